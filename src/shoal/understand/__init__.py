"""Who reads the bytes? The supervised pool of child processes."""
