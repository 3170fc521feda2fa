"""Which concrete parts make an engine? The only room that names parts of two rooms."""
