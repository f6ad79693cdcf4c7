"""A complete new network in one file: a point is valued by the stones around it, with five weights.

Put into `src/nobi/networks/`, this file is the network `local-net` of every command. From elsewhere, importing it is
enough.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled
from nobi.networks import register
from nobi.nn.lanes import LANES, F, tanh
from nobi.nn.network import Forward, Network, Weights

BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))
DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True)
class LocalSettings:
    """There is nothing to choose."""


class LocalRoom(NamedTuple):
    """What the pass works on: every network has `x` and `out`."""

    x: NDArray[np.float32]
    """[cell, plane, lane] own stones, then enemy stones."""
    out: NDArray[np.float32]
    """[cell, lane]"""
    weights: NDArray[np.float32]
    """[plane, 2] for stones beside and at the diagonal."""
    edge: NDArray[np.float32]
    """[1] for every neighbour that lies beyond the border."""
    total: NDArray[np.float32]
    """[lane]"""


@compiled
def forward(workspace: LocalRoom, lanes: int) -> None:
    """Computes out = tanh(Σ weights of the stones around)."""
    size = int(np.sqrt(len(workspace.out)))
    for cell in range(size * size):
        row, column = cell // size, cell % size
        for lane in range(lanes):
            workspace.total[lane] = F(0.0)
        for near in range(2):
            for down, right in BESIDE if near == 0 else DIAGONAL:
                r, c = row + down, column + right
                if 0 <= r < size and 0 <= c < size:
                    for plane in range(2):
                        for lane in range(lanes):
                            workspace.total[lane] += (
                                workspace.weights[plane, near] * workspace.x[r * size + c, plane, lane]
                            )
                else:
                    for lane in range(lanes):
                        workspace.total[lane] += workspace.edge[0]
        for lane in range(lanes):
            workspace.out[cell, lane] = tanh(workspace.total[lane])


@register
class LocalNet(Network):
    """Looks at the eight points around, no further."""

    name = "local-net"
    settings_type = LocalSettings

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG002
        """Two weights a plane, and one for the edge."""
        return {"stones": (2, 2), "edge": (1,)}

    def forward(self) -> Forward:
        """The compiled pass."""
        return forward

    def new_workspace(self, weights: Weights, size: int) -> LocalRoom:
        """Makes the room for one thread."""
        groups = self.split(weights, size)
        cells = size * size
        return LocalRoom(
            np.zeros((cells, 2, LANES), F),
            np.zeros((cells, LANES), F),
            groups["stones"],
            groups["edge"],
            np.zeros(LANES, F),
        )


if __name__ == "__main__":
    from nobi.evolution.fitness import Fitness
    from nobi.networks import make_network

    network = make_network("local-net")
    fitness = Fitness("atari-go", (7,), network, ("naive",), games=100, seed=0)
    guesses = np.random.default_rng(0).standard_normal((50, network.weight_count(7))).astype(F)
    scores = fitness.measure(guesses, generation=0)
    best, mean = (50 * (1 + value) for value in (scores.max(), scores.mean()))
    print(f"of 50 guesses the best wins {best:.0f} % against naive on 7x7, the mean {mean:.0f} %")
    print("its weights:", guesses[scores.argmax()].round(2))
