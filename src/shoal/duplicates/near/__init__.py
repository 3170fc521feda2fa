"""Which group of near-duplicates does a text belong to? Sketches and groups."""
