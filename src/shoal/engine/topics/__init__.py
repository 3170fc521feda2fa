"""How does a crawl learn what is on topic, and which links lead there?"""
