"""What does the frontier remember, and under which keys?"""
