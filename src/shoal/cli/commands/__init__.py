"""Which commands are there? A file for each, or for a few that belong together."""
