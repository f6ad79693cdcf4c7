"""Slow, plain reference implementations of the compiled code of the package. They share no code with it."""
