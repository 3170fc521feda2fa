"""What lies in an archive? Its members, each within bounds."""
