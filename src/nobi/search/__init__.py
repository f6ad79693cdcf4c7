"""Tree search: UCT with RAVE, rollouts with patterns, and network priors computed asynchronously.

Read in this order: `tree.py` (nodes), `state.py` (what a thread works on), `playout.py` (one playout), `rollouts.py`
and `go.py` (knowledge of Go), `report.py` (results), `policy.py` and `evaluator.py` (networks),
`search.py`.
"""
