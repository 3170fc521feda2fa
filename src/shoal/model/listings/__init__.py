"""What does a sitemap or a feed say? Items, articles, what a site says of its pages."""
