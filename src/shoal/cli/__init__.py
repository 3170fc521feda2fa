"""What does a person type? Commands, and how their answers look in a terminal."""
