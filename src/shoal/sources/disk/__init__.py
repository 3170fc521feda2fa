"""What do folders hold, and what has become of it?"""
