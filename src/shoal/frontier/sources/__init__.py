"""What do robots.txt, sitemaps and feeds add to the frontier?"""
