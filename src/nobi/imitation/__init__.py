"""Learning from game records: gradient training of deep networks, and how well they predict experts' moves.

Reading order: `data`, `optimiser` and `muon`, `step`, `run`; then `prediction`.
"""
