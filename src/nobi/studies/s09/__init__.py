"""Schaul & Schmidhuber 2009 (S09)."""
