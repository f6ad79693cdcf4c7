"""A deep network of Go as the policy of a search."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import WHITE
from nobi.errors import NobiError
from nobi.features import planes_named
from nobi.features.position import position_planes
from nobi.games.base import Variant
from nobi.games.go import Go
from nobi.networks.deep.base import DeepNetwork
from nobi.networks.deep.store import DeepModel
from nobi.search.policy import Policy, Positions, softmax

RANK = 9
"""The dan rank that a network which is told one plays as (M15 section 5.2)."""


@dataclass(frozen=True)
class DeepPolicy:
    """The Gibbs distribution over a deep network's values."""

    network: DeepNetwork
    sharpness: float = 1.0

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """Makes the planes of all positions and looks at them in one pass."""
        games = positions.games()
        named = planes_named(self.network.planes)
        planes = np.stack([position_planes(game, named, rank=RANK) for game in games])
        values = self.network.evaluate(planes, np.array([game.to_move == WHITE for game in games]))
        return softmax(values, self.sharpness)


def deep_policy(model: DeepModel, path: str, variant: Variant, sharpness: float) -> Policy:
    """The policy of a deep model; `path` names it in complaints."""
    if variant.game is not Go:
        raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")
    model.network.check_serves(variant.size)
    return DeepPolicy(model.network.for_play(), sharpness)
