"""What may a person want of a crawl? Commands, also while it runs; feeds; a look at a site."""
