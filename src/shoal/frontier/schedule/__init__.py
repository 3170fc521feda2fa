"""Which site may be asked next, and when? Clocks, queues, credit, turns."""
