"""How do many tablets run as one? Owners, a coordinator, work on all machines."""
