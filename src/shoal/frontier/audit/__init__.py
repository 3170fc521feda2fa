"""Does what the frontier keeps agree? Counted again, and rebuilt."""
