"""What does a person see in a browser? Pages made on this machine, and their twins in JSON."""
