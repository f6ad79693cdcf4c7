"""Tree search: UCT with RAVE, patterned rollouts, and priors from networks that arrive while the search goes on.

Read in this order: `tree.py` (nodes), `state.py` (what a thread works on), `playout.py` (one playout), `rollouts.py`
and `go.py` (knowledge of Go), `report.py` (results), `policy.py` and `evaluator.py` (networks),
`search.py`.
"""
