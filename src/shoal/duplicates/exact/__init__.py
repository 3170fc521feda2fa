"""Are these the same bytes, or the same text? Checksums and their index."""
