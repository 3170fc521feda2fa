"""What is stored, and for whom? Reading it, on one tablet or on many."""
