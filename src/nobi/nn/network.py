"""The interface of compiled networks: settings, a vector of weights in named groups, and a compiled forward pass."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.nn.bound import BoundPass, bind_pass, run_pass
from nobi.nn.lanes import LANES
from nobi.spec import format_spec

Weights = NDArray[np.float32]
Forward = Callable[..., None]
"""Compiled (workspace, boards) → None: computes `workspace.out[cell, board]` from `workspace.x[cell, plane, board]`.

Planes are own stones and enemy stones, 0 or 1, and those of `Network.features`. There are at most LANES boards; lanes
of `x` and `out` beyond them are arbitrary.
"""


class Network(ABC):
    """A network architecture with its settings; the weights are a separate vector."""

    name: ClassVar[str]
    settings_type: ClassVar[type]
    scalable: ClassVar[bool] = True
    """Whether one vector of weights can be used on every board size."""

    def __init__(self, settings: Any = None) -> None:
        self.settings = self.settings_type() if settings is None else settings

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    def __repr__(self) -> str:
        return f"<Network {self}>"

    @property
    def features(self) -> str:
        """The names of the inputs in addition to stones, joined by + (`nobi.nn.inputs`)."""
        return ""

    @abstractmethod
    def groups(self, size: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the groups of weights, in the order of the vector; `size` matters if not `scalable`."""

    @abstractmethod
    def forward(self) -> Forward:
        """Return the compiled forward pass; the same object for equal settings."""

    @abstractmethod
    def new_workspace(self, weights: Weights, size: int) -> Any:
        """Return a named tuple of arrays for the forward pass: `x`, `out`, weights etc.; each thread needs its own."""

    def bind(self, weights: Weights, size: int) -> BoundPass:
        """Return the forward pass with weights, of the same type for all networks; each thread needs its own."""
        return bind_pass(self.forward(), self.new_workspace(weights, size))

    def weight_count(self, size: int) -> int:
        """Return the number of weights."""
        return sum(prod(shape) for shape in self.groups(size).values())

    def random_weights(self, size: int, rng: np.random.Generator) -> Weights:
        """Draw weights from N(0, 1), as in both papers."""
        return rng.standard_normal(self.weight_count(size)).astype(np.float32)

    def split(self, weights: Weights, size: int) -> dict[str, Weights]:
        """Split a vector into the groups of weights."""
        expected = self.weight_count(size)
        if weights.shape != (expected,):
            raise NobiError(f"The network {self} has {expected} weights, not {weights.size}{self._hint(size)}.")
        parts, start = {}, 0
        for group, shape in self.groups(size).items():
            parts[group] = np.ascontiguousarray(weights[start : start + prod(shape)], np.float32).reshape(shape)
            start += prod(shape)
        return parts

    def evaluate(self, weights: Weights, own: NDArray[Any], enemy: NDArray[Any]) -> NDArray[np.float32]:
        """Return the outputs for many boards.

        Args:
            weights: float32[weight_count].
            own: [batch, n, n] 1 where there is a stone of the player to move, else 0.
            enemy: [batch, n, n] the same for the other player.

        Returns:
            float32[batch, n, n], the higher the better. The papers' final sigmoid is omitted: it does not change the
            order of moves.
        """
        if self.features:
            raise NobiError(
                f"The network {self} has further inputs than stones: it plays, but does not guide a search."
            )
        batch, size, _ = own.shape
        bound = self.bind(weights, size)
        planes = np.stack([own, enemy], axis=-1).reshape(batch, size * size, 2)
        result = np.empty((batch, size * size), np.float32)
        for start in range(0, batch, LANES):
            block = planes[start : start + LANES]
            bound.x[:, :, : len(block)] = block.transpose(1, 2, 0)
            run_pass(bound, len(block))
            result[start : start + LANES] = bound.out[:, : len(block)].T
        return result.reshape(batch, size, size)

    def _hint(self, size: int) -> str:
        return "" if self.scalable else f" on {size}x{size}; it can play only on the board size it was trained on"
