"""Which commands sort what was gathered?"""
