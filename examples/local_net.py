"""A complete new network in one file: the value of a point depends on the adjacent stones, with five weights.

`nobi evolve runs/local --net local-net --load examples/local_net.py` trains it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.plugins import LANES, F, Forward, Network, Weights, compiled, register_network, tanh

BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))
DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True)
class LocalSettings:
    """No settings."""


class LocalWorkspace(NamedTuple):
    """The arrays of the forward pass; every network has `x` and `out`."""

    x: NDArray[np.float32]
    """[cell, plane, lane] own stones, then enemy stones."""
    out: NDArray[np.float32]
    """[cell, lane]"""
    weights: NDArray[np.float32]
    """[plane, 2] weights of orthogonal and diagonal neighbours."""
    edge: NDArray[np.float32]
    """[1] weight of every neighbour beyond the border."""
    total: NDArray[np.float32]
    """[lane]"""


@compiled
def forward(workspace: LocalWorkspace, lanes: int) -> None:
    """Compute out = tanh(Σ weights of the adjacent stones)."""
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


@register_network
class LocalNet(Network):
    """A network that uses only the eight neighbours of a point."""

    name = "local-net"
    settings_type = LocalSettings

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG002
        """Two weights per plane, and one for the edge."""
        return {"stones": (2, 2), "edge": (1,)}

    def forward(self) -> Forward:
        """The compiled pass."""
        return forward

    def new_workspace(self, weights: Weights, size: int) -> LocalWorkspace:
        """The arrays of one thread."""
        groups = self.split(weights, size)
        cells = size * size
        return LocalWorkspace(
            np.zeros((cells, 2, LANES), F),
            np.zeros((cells, LANES), F),
            groups["stones"],
            groups["edge"],
            np.zeros(LANES, F),
        )


if __name__ == "__main__":
    import nobi

    run = nobi.evolve(sizes=[7], net="local-net", method="guess:candidates=50", generations=1, progress=False)
    line = run.metrics()[0]
    print(f"fitness of 50 random networks against naive on 7x7: mean {line['mean']:+.2f}, best {line['best']:+.2f}")
    print("weights of the best:", run.champion().weights.round(2))
