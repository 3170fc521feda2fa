"""What can a reader of hostile files do to this machine? What the kernel's cage leaves it."""
