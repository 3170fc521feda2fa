"""What is the one name of a document, where does it stand in the table, and who has it?"""
