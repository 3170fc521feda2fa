"""Which URLs and sites always give what is there already? Lessons and mirrors."""
