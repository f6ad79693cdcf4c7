"""CONV: S09's baseline, one layer of k feature maps of p×p with tanh, no subsampling.

The board is padded with trainable values. With one signed input plane (own minus enemy) there are k(p² + 1) + 1
weights, the paper's count; with two planes 2kp² + k + 2, as in the published code.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import specialise
from nobi.memory import zeros
from nobi.nn.lanes import LANES, F, add_scaled, fill, tanh, whole_steps
from nobi.nn.network import Forward, Network, Weights


@dataclass(frozen=True)
class ConvSettings:
    """The settings of a convolutional network."""

    features: int = 3
    """k, the feature maps."""
    width: int = 5
    """p, odd: the width of the filters."""
    planes: int = 1
    """1: own stones minus enemy stones (the paper's count). 2: one plane for each (the published code)."""

    def __post_init__(self) -> None:
        if not 1 <= self.features <= 1000:
            raise ValueError(f"features must be 1 to 1000, not {self.features}")
        if not 1 <= self.width <= 49 or self.width % 2 == 0:
            raise ValueError(f"width must be an odd number from 1 to 49, not {self.width}")
        if self.planes not in (1, 2):
            raise ValueError(f"planes must be 1 or 2, not {self.planes}")


class ConvWorkspace(NamedTuple):
    """The arrays of the forward pass."""

    x: NDArray[np.float32]
    out: NDArray[np.float32]
    filters: NDArray[np.float32]  # [k, planes, p, p]
    output: NDArray[np.float32]  # [k]
    padded: NDArray[np.float32]  # [planes, row, column, lane] the board with a margin of p // 2 cells of padding
    total: NDArray[np.float32]  # [lane]


def _squash_into(weight: np.float32, total: NDArray[np.float32], out: NDArray[np.float32], lanes: int) -> None:
    """Compute out[lane] += weight·tanh(total[lane])."""
    for lane in range(lanes):
        out[lane] += weight * tanh(total[lane])


squash_into: Any = specialise(_squash_into, "conv", fuse=True)


def _forward(workspace: ConvWorkspace, boards: int) -> None:
    lanes = whole_steps(boards)
    features, planes, width, _ = workspace.filters.shape
    margin = width // 2
    size = workspace.padded.shape[1] - 2 * margin
    for row in range(size):
        for column in range(size):
            seen = workspace.x[row * size + column]
            for lane in range(lanes):
                if planes == 1:
                    workspace.padded[0, row + margin, column + margin, lane] = seen[0, lane] - seen[1, lane]
                else:
                    workspace.padded[0, row + margin, column + margin, lane] = seen[0, lane]
                    workspace.padded[1, row + margin, column + margin, lane] = seen[1, lane]
    for row in range(size):
        for column in range(size):
            out = workspace.out[row * size + column]
            fill(F(0.0), out, lanes)
            for f in range(features):
                fill(F(0.0), workspace.total, lanes)
                for plane in range(planes):
                    for i in range(width):
                        for j in range(width):
                            add_scaled(
                                workspace.filters[f, plane, i, j],
                                workspace.padded[plane, row + i, column + j],
                                workspace.total,
                                lanes,
                            )
                squash_into(workspace.output[f], workspace.total, out, lanes)


forward: Forward = specialise(_forward, "conv")


class Conv(Network):
    """One layer of feature maps; its field of view is p×p points on every board."""

    name = "conv"
    settings_type = ConvSettings

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:  # noqa: ARG002
        """Return the groups: filters, output weights, and the values of the padding."""
        s = self.settings
        return {
            "filters": (s.features, s.planes, s.width, s.width),
            "output": (s.features,),
            "padding": (s.planes,),
        }

    def forward(self) -> Forward:
        return forward

    def new_workspace(self, weights: Weights, size: int) -> ConvWorkspace:
        groups = self.split(weights, size)
        around = size + 2 * (self.settings.width // 2)
        padded = np.broadcast_to(groups["padding"][:, None, None, None], (self.settings.planes, around, around, LANES))
        return ConvWorkspace(
            zeros((size * size, 2, LANES), F),
            zeros((size * size, LANES), F),
            groups["filters"],
            groups["output"],
            np.ascontiguousarray(padded),
            zeros(LANES, F),
        )
