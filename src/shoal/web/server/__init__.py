"""How is it served? Requests, guards, rendering, what is held open."""
