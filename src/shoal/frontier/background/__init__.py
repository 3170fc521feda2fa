"""What is done beside the visits? Many rows changed a slice at a time."""
