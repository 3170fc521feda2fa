"""What does a child process do, and who starts one?"""
