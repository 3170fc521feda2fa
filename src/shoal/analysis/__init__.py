"""What follows from all pages at once? Ranks, the link graph, all pairs of duplicates, policies."""
