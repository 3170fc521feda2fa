"""What do spreadsheets say? Excel, old and new, and its peers."""
