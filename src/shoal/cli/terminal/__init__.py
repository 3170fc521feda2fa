"""How does an answer look in a terminal? Tables, progress, plots, numbers in words."""
