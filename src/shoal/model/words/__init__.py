"""Which words stand for a text, or for what was found out about it?"""
