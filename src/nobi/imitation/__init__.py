"""Learning to play as experts do: positions of game records, gradient training, and how well moves are predicted.

In the order in which to read: `positions` (which positions a collection has), `permutation` and `sampling` (which of
them a step of training sees), `batches` (their planes, made while the network works), `schedule` and `optimiser` (how
weights change), `group` (several processes), `trainer` (a step), `settings`, `sources`, `checkpoint` and `run` (a run in
a folder); then `outcomes` (the network's opinion of each expert's move), `metrics` (what it amounts to) and
`evaluation`. `scalars` writes for TensorBoard.
"""
