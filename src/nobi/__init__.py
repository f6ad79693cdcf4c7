"""Neural networks that learn a board game on a small board and play it on any board.

Read in this order: `games` (the rules), `players` (position → move), `arena` (many games, fast), `cli`.
"""

import os

__version__ = "0.1.0"

# Read when torch is loaded, which nothing here does before this line. OpenMP's threads wait for each other by spinning
# unless told otherwise, which on a busy machine makes a network many times slower than one thread would be.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
