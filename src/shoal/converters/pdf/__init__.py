"""What does a PDF say? Its characters in reading order, as blocks."""
