"""Tree search: UCT with RAVE, rollouts with patterns, and network priors computed asynchronously.

Read in this order: `tree.py` (nodes), `state.py` (the state of a thread), `playout.py` (one playout), `rollouts.py` and
`go.py` (knowledge of Go), `score.py` and `report.py` (scores), `policy.py` and `evaluator.py` (networks), `search.py`.
"""
