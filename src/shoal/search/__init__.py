"""Which documents are meant, and in what order? A line of text understood, candidates ordered
again, snippets. Which of them match is the index's business."""
