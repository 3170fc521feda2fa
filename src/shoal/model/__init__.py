"""What are the nouns? Pure values, no I/O."""
