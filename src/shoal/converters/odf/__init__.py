"""What do OpenDocument files say? Texts, sheets, slides, drawings."""
