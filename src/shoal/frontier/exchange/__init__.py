"""What do the frontiers of other tablets send here, and what is sent to them?"""
