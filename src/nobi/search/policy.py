"""The network's side of the search: positions in, a probability for each point out.

Whatever has `planes` and `evaluate` can guide a search. The small networks see own and enemy stones, the deep ones the
planes that they were trained on.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nobi.cores import usable_threads
from nobi.errors import NobiError
from nobi.features.base import Planes
from nobi.games.base import Variant
from nobi.networks.base import Network, Weights

PLAYS_AS = 9
"""The dan rank that a network which is told one plays as (M15 section 5.2)."""


@dataclass(frozen=True)
class Positions:
    """A batch of positions, each seen by the player to move."""

    planes: NDArray[Any]
    """[batch, plane, n, n] what the policy asks for: own and enemy stones, uint8, or planes of Go, float32."""
    white: NDArray[np.bool_]
    """[batch] whether White is to move."""

    def __len__(self) -> int:
        return len(self.white)


class Policy(Protocol):
    """Tells how likely moves are to be good."""

    @property
    def planes(self) -> Planes | None:
        """What it looks at: planes of Go, or None for own and enemy stones, which every game has."""

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """float32[batch, n·n], row by row from the top: a weight for each point, 0 or more.

        The search looks at legal moves only and makes their weights sum to 1. Two threads may ask at the same time.
        """


def softmax(values: NDArray[np.float32], sharpness: float) -> NDArray[np.float32]:
    """The Gibbs distribution over the last axis."""
    heated = np.float32(sharpness) * values
    weights = np.exp(heated - heated.max(axis=-1, keepdims=True))
    result: NDArray[np.float32] = weights / weights.sum(axis=-1, keepdims=True)
    return result


@dataclass(frozen=True)
class NetworkPolicy:
    """The Gibbs distribution over the values of a swiping network, or any other that sees stones alone."""

    network: Network
    weights: Weights
    sharpness: float = 1.0
    planes: ClassVar[None] = None

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """Looks at all positions in one pass."""
        own, enemy = positions.planes[:, 0], positions.planes[:, 1]
        values = self.network.evaluate(self.weights, own, enemy)
        return softmax(values.reshape(len(values), -1), self.sharpness)


def policy_from_file(path: str, variant: Variant, sharpness: float, searching: int = 0) -> Policy:
    """The policy that a model file holds.

    Args:
        path: the file.
        variant: the game that is searched.
        sharpness: by what a network's values are multiplied before the softmax.
        searching: how many threads search while the network works; it keeps to the other cores where there are any.
    """
    from nobi.networks.model import model_in
    from nobi.networks.modelfile import DEEP, read_model_file

    file = read_model_file(Path(path))
    if file.format == DEEP:
        from nobi.networks.deep.playing import compiled_in
        from nobi.search.deep import deep_policy

        network = compiled_in(file, max(1, usable_threads() - searching))
        if network is not None:
            return deep_policy(network, path, variant, sharpness)
        try:
            from nobi.networks.deep.store import deep_model_in
            from nobi.networks.deep.threads import leave_cores
        except ModuleNotFoundError as fault:
            if fault.name != "torch":
                raise
            raise NobiError(f"{path!r} needs PyTorch; install it with pip install 'nobi[deep]'.") from None
        leave_cores(searching)
        return deep_policy(deep_model_in(file).network, path, variant, sharpness)
    model = model_in(file)
    if not model.network.scalable and model.size != variant.size:
        raise NobiError(
            f"The network of {path!r} plays on {model.size}x{model.size} only, not on {variant.size}x{variant.size}."
        )
    return NetworkPolicy(model.network, model.weights, sharpness)
