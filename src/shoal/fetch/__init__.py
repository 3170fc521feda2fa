"""How do bytes arrive? HTTP, DNS, files, FTP, and schemes that others add."""
