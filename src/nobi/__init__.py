"""Neural networks that learn a board game on a small board and play it on any board.

Read in this order: `games` (the rules), `players` (position → move), `arena` (many games, fast), `cli`.
"""

__version__ = "0.1.0"
