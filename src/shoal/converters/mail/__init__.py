"""What does a mail say? Its parts, its attachments, whole mailboxes."""
