"""What do examples teach? One linear model: of topics, links, classes, and evidence of any kind."""
