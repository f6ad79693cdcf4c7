"""A deep network of Go as the policy of a search."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.features import planes_named
from nobi.features.base import Planes
from nobi.games.base import Variant
from nobi.games.go import Go
from nobi.networks.deep.playing import PlayingNetwork
from nobi.search.policy import Policy, Positions, softmax


@dataclass(frozen=True)
class DeepPolicy:
    """The Gibbs distribution over a deep network's values."""

    network: PlayingNetwork
    sharpness: float = 1.0

    @cached_property
    def planes(self) -> Planes:
        """Those that the network was made for."""
        return planes_named(self.network.planes)

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """Looks at all positions in one pass."""
        return softmax(self.network.evaluate(positions.planes, positions.white), self.sharpness)


def deep_policy(network: PlayingNetwork, path: str, variant: Variant, sharpness: float) -> Policy:
    """The policy of a deep network; `path` names it in error messages."""
    if variant.game is not Go:
        raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")
    network.check_serves(variant.size)
    return DeepPolicy(network.for_play(), sharpness)
