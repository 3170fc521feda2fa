"""Has somebody said this before? Exact copies, near-duplicates, mirrors."""
