"""Which part of a page is its content? By tags and words, the DOM, visual blocks, or a model."""
