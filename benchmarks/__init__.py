"""Side-by-side runs against peers; each prints lines of the form `name ours peer ratio`."""
