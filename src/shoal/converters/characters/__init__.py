"""Which characters do these bytes stand for, and in which language?"""
