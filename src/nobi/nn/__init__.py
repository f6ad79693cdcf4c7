"""Building blocks of networks.

Compiled networks: `network` (their interface), `lanes` (activations and products over many boards), `sweeps` and
`swiping` (swiping layers). Deep networks: `torch_layers` (layers in torch), `simd` (a vector type for compiled code),
`winograd` (3x3 convolutions, forward and backward, made of `transforms` and `kernels`), `pooling` (global pooling and
normalisation), `residual` (a residual network without torch), `winograd_torch` (the same layers with torch's autograd).
"""
