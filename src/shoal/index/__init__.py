"""Which documents have these words, for whom? The full-text index."""
