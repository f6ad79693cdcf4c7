"""Fast play of many games, and statistics of their results."""
