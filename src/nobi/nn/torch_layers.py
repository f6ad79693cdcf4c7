"""Layers of deep networks on a square board, plain or tied over the eight symmetries of the board.

A tied layer is reflection preserving (C14 section 2.3.3): the output for a turned or mirrored board is the turned or
mirrored output. Its filters are the same under all symmetries; a fully connected layer gives the same weight to a pair
of cells and to every image of that pair; biases are the same for all images of a cell. Each distinct weight is stored
once, and the whole layer is written out from these before it is used, which costs little beside the layer itself.

MERGED networks/deep/loss.py: From values to probabilities of moves, and how surprised a network is by the expert's move.

MERGED networks/deep/threads.py: How many threads torch may use beside threads of ours.
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
    """The same planes with those of a cell side by side in memory: convolutions on processors are faster then."""
    return planes.contiguous(memory_format=torch.channels_last)


class Tied(nn.Module, ABC):
    """A layer whose weights may be tied."""

    tied: bool

    @abstractmethod
    def untie(self) -> None:
        """Replaces the tied weights by what they stand for, for a network that is only to be used."""


class Filters(Tied):
    """Convolution filters, [outputs, inputs, width, width] when written out; 5x5 tied have 6 weights in place of 25."""

    spread: Tensor

    def __init__(self, inputs: int, outputs: int, width: int, *, tied: bool) -> None:
        super().__init__()
        self.tied = tied
        self.shape = (outputs, inputs, width, width)
        orbits = cell_orbits(width)
        # a product with ones and zeros is exact, and faster both ways than picking by index
        ones = torch.from_numpy(np.eye(orbits.max() + 1, dtype=np.float32)[:, orbits])
        self.register_buffer("spread", ones if tied else torch.empty(0), persistent=False)
        self.weight = nn.Parameter(torch.empty(outputs, inputs, len(ones)) if tied else torch.empty(self.shape))

    def forward(self) -> Tensor:
        """The filters written out."""
        return (self.weight @ self.spread).view(self.shape) if self.tied else self.weight

    def untie(self) -> None:
        """Writes the filters out for good."""
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
        """[outputs, n, n], or [outputs, 1, 1] if it is the same for all cells."""
        bias = self.bias.index_select(1, self.orbit) if self.tied else self.bias
        return bias.view(len(self.bias), self.size or 1, self.size or 1)

    def untie(self) -> None:
        """Writes the biases out for good."""
        self.bias = nn.Parameter(self().flatten(1), requires_grad=False)
        self.tied = False


class BoardConv(nn.Module):
    """A convolution padded with zeros, so that the board keeps its size."""

    def __init__(self, inputs: int, outputs: int, width: int, *, tied: bool, bias_size: int | None = None) -> None:
        """`bias_size` asks for biases that depend on the position, on boards of this size."""
        super().__init__()
        self.filters = Filters(inputs, outputs, width, tied=tied)
        self.bias = CellBias(outputs, bias_size, tied=tied)
        self.reach = width // 2

    def forward(self, x: Tensor) -> Tensor:
        """float[b, inputs, n, n] → float[b, outputs, n, n]."""
        bias = self.bias()
        if self.bias.size is None:
            return conv2d(x, self.filters(), bias.flatten(), padding=self.reach)
        return conv2d(x, self.filters(), padding=self.reach) + bias


class EdgeConv(BoardConv):
    """A convolution with edge encoding (C14 section 2.3.1).

    A further input is 1 beyond the edge of the board and 0 on it. It is the same for every position, so it is convolved
    once for the whole batch.
    """

    def __init__(self, inputs: int, outputs: int, width: int, *, tied: bool) -> None:
        super().__init__(inputs + 1, outputs, width, tied=tied)

    def forward(self, x: Tensor) -> Tensor:
        """float[b, inputs, n, n] → float[b, outputs, n, n]."""
        filters = self.filters()
        beyond = pad(torch.zeros_like(x[:1, :1]), [self.reach] * 4, value=1.0)
        edge = conv2d(beyond, filters[:, -1:], self.bias().flatten())
        return conv2d(x, filters[:, :-1], padding=self.reach) + edge


class BoardDense(Tied):
    """A fully connected layer from all cells of some planes to all cells of one plane, on boards of one size.

    Tied: one weight for all images of a pair of cells; 16,471 in place of 130,321 a plane on 19x19.
    """

    orbit: Tensor

    def __init__(self, inputs: int, size: int, *, tied: bool) -> None:
        super().__init__()
        self.tied = tied
        cells = size * size
        orbits: NDArray[np.int64] = pair_orbits(size).ravel() if tied else np.zeros(0, np.int64)
        self.register_buffer("orbit", torch.from_numpy(orbits), persistent=False)
        # rows of all planes: a row is picked as a whole, and is what lies together in the input
        self.weight = nn.Parameter(torch.empty(int(orbits.max()) + 1 if tied else cells * cells, inputs))
        self.bias = CellBias(1, size, tied=tied)

    def rows(self) -> Tensor:
        """float[cells², inputs]: for each cell of the output each cell of the input."""
        return self.weight.index_select(0, self.orbit) if self.tied else self.weight

    def forward(self, x: Tensor) -> Tensor:
        """float[b, inputs, n, n] → float[b, n·n]."""
        weight = self.rows().view(x.shape[2] * x.shape[3], -1)
        return linear(x.permute(0, 2, 3, 1).flatten(1), weight, self.bias().flatten())

    def untie(self) -> None:
        """Writes the weights out for good."""
        if self.tied:
            self.weight = nn.Parameter(self.rows(), requires_grad=False)
            self.tied = False


def only_legal(logits: Tensor, legal: Tensor) -> Tensor:
    """Logits float[b, cells] with −∞ where legal bool[b, cells] is false: such moves get the probability 0."""
    return logits.masked_fill(~legal, -torch.inf)


def move_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The mean negative log likelihood of the experts' moves, the cells int64[b], by logits float[b, cells].

    In masked training (C14 section 2.3.2) the logits are `only_legal`: softmax and gradient heed the legal moves alone.
    """
    return cross_entropy(logits, target)


def leave_cores(busy: int) -> None:
    """Has torch use no more threads than there are cores beside the busy ones, but one at least.

    More would take turns with the busy threads, and each wait for the others.
    """
    torch.set_num_threads(min(torch.get_num_threads(), max(1, usable_threads() - busy)))
