"""Schaul & Schmidhuber 2008 (S08)."""
