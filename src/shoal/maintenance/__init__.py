"""Does it hold together, and what can be mended? What also runs behind `serve`."""
