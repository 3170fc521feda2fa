"""Which commands say what pages are, and what they are to each other?"""
