"""What becomes of a URL when its visit has ended, and of the links that it brought?"""
