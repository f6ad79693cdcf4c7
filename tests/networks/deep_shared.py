"""Shared by the tests of deep networks: positions, and weights with visible effects."""

import numpy as np
import torch

from nobi.features import plane_count
from nobi.networks.deep import make_deep


def lively(spec, seed=0, scale=1.0):
    """A network with random weights and biases, large enough for clearly different outputs."""
    net = make_deep(spec, seed).double()
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in net.parameters():
            fan_in = weights[0].numel() if weights.dim() > 1 else 1
            weights.normal_(0, scale / max(1, fan_in) ** 0.5, generator=rng)
    return net


def random_planes(net, batch, size, seed=0):
    """Zeros and ones, float64[batch, P, n, n]."""
    rng = np.random.default_rng(seed)
    return torch.from_numpy((rng.random((batch, plane_count(net.planes), size, size)) < 0.3).astype(float))


def colours(batch):
    return torch.arange(batch) % 2 == 1


def outputs(net, planes):
    """[batch, n, n] as numbers."""
    with torch.no_grad():
        found = net(planes, colours(len(planes)))
    return found.numpy().reshape(len(planes), *planes.shape[-2:])
