"""Which site, which URL, when?"""
