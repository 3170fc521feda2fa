"""What names documents? Seeds, sitemaps, feeds, hubs, and what other processes ask for."""
