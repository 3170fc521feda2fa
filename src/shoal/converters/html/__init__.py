"""What does an HTML page say? One scan: text, links, and all that is not text."""
