"""What do books say? EPUB, FictionBook, Mobipocket."""
