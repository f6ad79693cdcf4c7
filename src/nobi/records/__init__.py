"""Game records: SGF, datasets, replay, and the encoding of positions as planes."""
