"""Who links to whom, and what is that worth? Edges on disk, PageRank, the shape of the web."""
