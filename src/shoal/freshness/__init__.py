"""When to look again? How pages change, what that costs, and which is due."""
