"""Which pages are these words about? From the line to the results."""
