"""What may be asked for, and what may be done with it? Rules of sites and pages."""
