"""Slow, plain and readable twins of what the package compiles. They share no code with it."""
