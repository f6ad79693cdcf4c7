"""Building blocks of networks: explicit vectors, Winograd convolutions, their gradients, and inference without torch.

In the order in which to read: `simd` (a vector type for compiled code), `winograd` (3x3 convolutions, forward and
backward, made of `transforms` and `kernels`), `pooling` (global pooling and normalisation), `residual` (a residual
network evaluated without torch) and `winograd_torch` (the same layers as functions that torch can differentiate).
"""
