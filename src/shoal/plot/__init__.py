"""How is a curve drawn? As SVG and PNG, without a library."""
