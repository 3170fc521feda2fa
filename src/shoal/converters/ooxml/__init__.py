"""What do Microsoft's newer files say? Word, PowerPoint, Visio, XPS."""
