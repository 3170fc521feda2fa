"""What does a file say? Any format becomes the same tagged text."""
