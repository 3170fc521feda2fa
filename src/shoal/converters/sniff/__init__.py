"""Which format is it? Told by the bytes, the declared type and the name."""
