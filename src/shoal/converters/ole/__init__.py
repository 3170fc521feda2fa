"""What do Microsoft's older binary files say? Word, PowerPoint, Outlook, OneNote."""
