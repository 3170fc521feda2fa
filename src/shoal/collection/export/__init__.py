"""How does a collection leave? As URLs, JSON lines, WARC or CDXJ."""
