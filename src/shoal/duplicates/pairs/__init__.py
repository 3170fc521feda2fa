"""Which documents of a whole collection are near-duplicates? All pairs."""
