"""Plays many games fast, and says how sure the result is."""
