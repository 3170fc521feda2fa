"""Which parts make a crawl, and how does it run?"""
