"""Which mails are in a mailbox, and what has become of them?"""
