"""How else are near-duplicates told? Simhash, fingerprints, the cosine."""
