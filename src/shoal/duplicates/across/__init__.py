"""Has a page of another tablet said this before? What tablets tell each other."""
