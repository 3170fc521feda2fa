"""What goes on beside the visits of a crawl, or where there is none?"""
