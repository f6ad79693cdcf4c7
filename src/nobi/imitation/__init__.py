"""Learning from game records: gradient training of deep networks, and the accuracy of their move predictions.

Reading order: `data`, `optimiser` and `muon`, `step`, `run`; then `prediction`.
"""
