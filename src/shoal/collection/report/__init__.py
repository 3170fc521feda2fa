"""How does it stand, and why is it so? Status, hosts, freshness, the story of a URL."""
