"""Where is the truth of a tablet, who owns it, and how do tablets run on many machines?"""
