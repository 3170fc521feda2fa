"""What do pictures, sound and film say of themselves? Their tags."""
