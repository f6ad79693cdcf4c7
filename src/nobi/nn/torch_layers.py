"""Torch layers on a square board, plain or tied over the eight symmetries; the loss of moves; numbers of threads.

A tied layer is reflection preserving (C14 section 2.3.3): the output for a rotated or mirrored board is the rotated or
mirrored output. Its filters are the same under all symmetries; a fully connected layer has the same weight for a pair
of cells and all images of that pair; biases are the same for all images of a cell. Each distinct weight is stored once,
and expanded in every pass, which costs little compared to the layer itself.
"""

from abc import ABC, abstractmethod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import conv2d, cross_entropy, linear, pad

from nobi.board.symmetry import cell_orbits, pair_orbits
from nobi.workers import usable_threads


def channels_last(planes: Tensor) -> Tensor:
    """Return the planes in torch's memory format channels_last, in which convolutions on CPUs are faster."""
    return planes.contiguous(memory_format=torch.channels_last)


class Tied(nn.Module, ABC):
    """A layer whose weights may be tied."""

    tied: bool

    @abstractmethod
    def untie(self) -> None:
        """Replace the tied weights by the expanded ones, for inference."""


class Filters(Tied):
    """Convolution filters, expanded [outputs, inputs, width, width]; tied 5x5 filters have 6 weights instead of 25."""

    spread: Tensor

    def __init__(self, inputs: int, outputs: int, width: int, *, tied: bool) -> None:
        super().__init__()
        self.tied = tied
        self.shape = (outputs, inputs, width, width)
        orbits = cell_orbits(width)
        # a product with ones and zeros is exact, and faster than indexing in both passes
        ones = torch.from_numpy(np.eye(orbits.max() + 1, dtype=np.float32)[:, orbits])
        self.register_buffer("spread", ones if tied else torch.empty(0), persistent=False)
        self.weight = nn.Parameter(torch.empty(outputs, inputs, len(ones)) if tied else torch.empty(self.shape))

    def forward(self) -> Tensor:
        """Return the expanded filters."""
        return (self.weight @ self.spread).view(self.shape) if self.tied else self.weight

    def untie(self) -> None:
        self.weight = nn.Parameter(self(), requires_grad=False)
        self.tied = False


class CellBias(Tied):
    """A bias for every output and, if a size is given, for every cell of a board of that size (M15 section 4)."""

    orbit: Tensor

    def __init__(self, outputs: int, size: int | None, *, tied: bool) -> None:
        super().__init__()
        self.size = size
        self.tied = tied and size is not None
        orbits = cell_orbits(size or 1)
        self.register_buffer("orbit", torch.from_numpy(orbits), persistent=False)
        self.bias = nn.Parameter(torch.empty(outputs, int(orbits.max()) + 1 if self.tied else len(orbits)))

    def forward(self) -> Tensor:
        """Return the biases [outputs, n, n], or [outputs, 1, 1] if they are the same for all cells."""
        bias = self.bias.index_select(1, self.orbit) if self.tied else self.bias
        return bias.view(len(self.bias), self.size or 1, self.size or 1)

    def untie(self) -> None:
        self.bias = nn.Parameter(self().flatten(1), requires_grad=False)
        self.tied = False


class BoardConv(nn.Module):
    """A convolution padded with zeros, so that the board size stays the same."""

    def __init__(self, inputs: int, outputs: int, width: int, *, tied: bool, bias_size: int | None = None) -> None:
        """With `bias_size`, biases depend on the cell, for boards of this size."""
        super().__init__()
        self.filters = Filters(inputs, outputs, width, tied=tied)
        self.bias = CellBias(outputs, bias_size, tied=tied)
        self.reach = width // 2

    def forward(self, x: Tensor) -> Tensor:
        """Return float[b, outputs, n, n] for x float[b, inputs, n, n]."""
        bias = self.bias()
        if self.bias.size is None:
            return conv2d(x, self.filters(), bias.flatten(), padding=self.reach)
        return conv2d(x, self.filters(), padding=self.reach) + bias


class EdgeConv(BoardConv):
    """A convolution with edge encoding (C14 section 2.3.1).

    An additional input is 1 outside the board and 0 on it. It is the same for every position, so it is convolved only
    once per batch. With `plane`, there is no additional input: that input plane is padded with ones.
    """

    def __init__(self, inputs: int, outputs: int, width: int, *, tied: bool, plane: int | None = None) -> None:
        super().__init__(inputs + (plane is None), outputs, width, tied=tied)
        self.plane = inputs if plane is None else plane
        self.inputs = inputs

    def forward(self, x: Tensor) -> Tensor:
        """Return float[b, outputs, n, n] for x float[b, inputs, n, n]."""
        filters = self.filters()
        beyond = pad(torch.zeros_like(x[:1, :1]), [self.reach] * 4, value=1.0)
        edge = conv2d(beyond, filters[:, self.plane : self.plane + 1], self.bias().flatten())
        return conv2d(x, filters[:, : self.inputs], padding=self.reach) + edge


class BoardDense(Tied):
    """A fully connected layer from all cells of some planes to all cells of one plane, on boards of one size.

    Tied: one weight for all images of a pair of cells; 16,471 instead of 130,321 per plane on 19x19.
    """

    orbit: Tensor

    def __init__(self, inputs: int, size: int, *, tied: bool) -> None:
        super().__init__()
        self.tied = tied
        cells = size * size
        orbits: NDArray[np.int64] = pair_orbits(size).ravel() if tied else np.zeros(0, np.int64)
        self.register_buffer("orbit", torch.from_numpy(orbits), persistent=False)
        # a row contains the weights of all planes: rows are indexed as a whole, and are contiguous like the input
        self.weight = nn.Parameter(torch.empty(int(orbits.max()) + 1 if tied else cells * cells, inputs))
        self.bias = CellBias(1, size, tied=tied)

    def rows(self) -> Tensor:
        """Return the weights float[cells², inputs] for each cell of the output and each cell of the input."""
        return self.weight.index_select(0, self.orbit) if self.tied else self.weight

    def forward(self, x: Tensor) -> Tensor:
        """Return float[b, n·n] for x float[b, inputs, n, n]."""
        weight = self.rows().view(x.shape[2] * x.shape[3], -1)
        return linear(x.permute(0, 2, 3, 1).flatten(1), weight, self.bias().flatten())

    def untie(self) -> None:
        if self.tied:
            self.weight = nn.Parameter(self.rows(), requires_grad=False)
            self.tied = False


def only_legal(logits: Tensor, legal: Tensor) -> Tensor:
    """Return logits float[b, cells] with −∞ where legal bool[b, cells] is false, which gives a probability of 0."""
    return logits.masked_fill(~legal, -torch.inf)


def move_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Return the mean negative log likelihood of the experts' moves, cells int64[b], for logits float[b, cells].

    In masked training (C14 section 2.3.2) the logits are `only_legal`.
    """
    return cross_entropy(logits, target)


def leave_cores(busy: int) -> None:
    """Limit torch's threads to the number of cores minus the `busy` other threads, at least one.

    More threads would compete with the busy ones and wait for each other.
    """
    torch.set_num_threads(min(torch.get_num_threads(), max(1, usable_threads() - busy)))
