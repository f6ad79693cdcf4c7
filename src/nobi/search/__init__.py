"""Tree search: UCT with RAVE, patterned rollouts, and priors from networks that arrive while the search goes on.

Read in this order: `tree.py` (the nodes), `descent.py` (one playout), `go_rollouts.py` and `go_priors.py` (what the
search knows of Go), `kits.py` (what it knows of the other games), `evaluation.py` (the network's part), `search.py`.
"""
