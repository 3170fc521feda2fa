"""What can be done with files and texts without a crawl? Clean, compare, make sitemaps."""
