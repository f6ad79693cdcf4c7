"""Muon: orthogonal steps for filters, AdamW for other weights, and its saved state."""

import numpy as np
import pytest
import torch
from torch import nn

from nobi.imitation.muon import orthogonal
from nobi.imitation.optimiser import make_optimiser, restore_state, set_rate, state_tensors


@pytest.mark.parametrize("shape", [(1, 8, 72), (3, 16, 16), (2, 40, 9)])
def test_orthogonal_keeps_singular_vectors_and_brings_singular_values_near_one(shape):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    for before, after in zip(matrices, orthogonal(matrices), strict=True):
        left, values, right = torch.linalg.svd(before, full_matrices=False)
        core = left.T @ after @ right.T
        large = values > 0.05 * values.max()
        assert ((core.diagonal() > 0.6) & (core.diagonal() < 1.3))[large].all()
        assert (core - torch.diag(core.diagonal())).abs().max() < 1e-3


class Small(nn.Module):
    """A filter for Muon, and weights for AdamW."""

    def __init__(self):
        super().__init__()
        self.filters = nn.Parameter(torch.randn(8, 16, 3, 3, generator=torch.Generator().manual_seed(1)))
        self.matrix = nn.Parameter(torch.randn(4, 8, generator=torch.Generator().manual_seed(2)))
        self.bias = nn.Parameter(torch.zeros(8))

    def loss(self, step):
        x = torch.randn(20, 16, 5, 5, generator=torch.Generator().manual_seed(step))
        y = torch.conv2d(x, self.filters, self.bias)
        return (torch.relu(y).mean((2, 3)) @ self.matrix.T - 1).square().mean()


def train(net, optimiser, steps):
    for step in steps:
        optimiser.zero_grad()
        net.loss(step).backward()
        set_rate(optimiser, 0.02)
        optimiser.step()


def test_filters_are_muons_and_the_rest_changes_as_by_adamw():
    net, twin = Small(), Small()
    muon = make_optimiser("muon:decay=0.1,beta1=0.8,beta2=0.9,others=0.5", net)
    adamw = torch.optim.AdamW([twin.matrix, twin.bias], 0.01, (0.8, 0.9), weight_decay=0.1)
    for step in range(4):
        for weights, own in zip(twin.parameters(), net.parameters(), strict=True):
            weights.data.copy_(own.data)
        adamw.zero_grad()
        twin.loss(step).backward()
        adamw.step()
        before = net.filters.detach().clone()
        train(net, muon, [step])
        torch.testing.assert_close(net.matrix, twin.matrix)
        torch.testing.assert_close(net.bias, twin.bias)
        change = (net.filters - before * (1 - 0.02 * 0.1)).detach().reshape(8, -1)
        values = torch.linalg.svdvals(change) / (0.02 * 0.2 * 144**0.5)
        assert values.max() < 1.3
        assert values.median() > 0.6


def test_a_saved_state_continues_with_the_same_bits():
    net, other = Small(), Small()
    first, second = make_optimiser("muon", net), make_optimiser("muon", other)
    train(net, first, range(3))
    other.load_state_dict(net.state_dict())
    kept = {name: np.array(tensor) for name, tensor in state_tensors(first).items()}
    restore_state(second, kept)
    train(net, first, range(3, 6))
    train(other, second, range(3, 6))
    for one, two in zip(net.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two)


def test_it_learns():
    net = Small()
    before = net.loss(0).item()
    train(net, make_optimiser("muon", net), [0] * 30)
    assert net.loss(0).item() < 0.2 * before
