"""How does the index follow the table?"""
