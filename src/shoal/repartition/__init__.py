"""How does one collection become many tablets, and many one?"""
