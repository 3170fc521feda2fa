"""Which pages are there? A file for each."""
