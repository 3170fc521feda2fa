"""Which people, places and organisations does a text name?"""
