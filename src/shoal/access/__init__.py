"""What stands at a place, and how is it opened? A collection, or a cluster as if it were one."""
