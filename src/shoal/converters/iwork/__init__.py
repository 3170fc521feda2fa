"""What do the files of Apple's office say? Pages, Numbers, Keynote."""
