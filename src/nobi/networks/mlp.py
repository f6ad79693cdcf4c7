"""MLP: the papers' baseline, one fully connected hidden layer. Its weights fit only one board size."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import specialise
from nobi.memory import zeros
from nobi.nn.lanes import LANES, F, add_scaled, fill, sigmoid, tanh, whole_steps
from nobi.nn.network import Forward, Network, Weights


@dataclass(frozen=True)
class MlpSettings:
    """The settings of a multilayer perceptron."""

    hidden: int = 100
    """k, the hidden units; 100 in S08."""
    unit: Literal["tanh", "sigmoid"] = "sigmoid"
    """The activation function: sigmoid in S08, tanh in S09."""

    def __post_init__(self) -> None:
        if not 1 <= self.hidden <= 10_000:
            raise ValueError(f"hidden must be 1 to 10000, not {self.hidden}")


class MlpWorkspace(NamedTuple):
    """The arrays of the forward pass; the inputs are own stones row by row, then enemy stones."""

    x: NDArray[np.float32]
    out: NDArray[np.float32]
    is_tanh: bool
    input: NDArray[np.float32]  # [k, 2, cells]
    hidden_bias: NDArray[np.float32]  # [k]
    output: NDArray[np.float32]  # [cells, k]
    output_bias: NDArray[np.float32]  # [cells]
    h: NDArray[np.float32]  # [k, lane]


def _squash(is_tanh: bool, h: NDArray[np.float32], lanes: int) -> None:
    for lane in range(lanes):
        h[lane] = tanh(h[lane]) if is_tanh else sigmoid(h[lane])


squash: Any = specialise(_squash, "mlp", fuse=True)


def _forward(workspace: MlpWorkspace, boards: int) -> None:
    lanes = whole_steps(boards)
    hidden, planes, cells = workspace.input.shape
    for u in range(hidden):
        fill(workspace.hidden_bias[u], workspace.h[u], lanes)
        for plane in range(planes):
            for cell in range(cells):
                add_scaled(workspace.input[u, plane, cell], workspace.x[cell, plane], workspace.h[u], lanes)
        squash(workspace.is_tanh, workspace.h[u], lanes)
    for cell in range(cells):
        fill(workspace.output_bias[cell], workspace.out[cell], lanes)
        for u in range(hidden):
            add_scaled(workspace.output[cell, u], workspace.h[u], workspace.out[cell], lanes)


forward: Forward = specialise(_forward, "mlp")


class Mlp(Network):
    """One hidden layer, fully connected; for one board size only."""

    name = "mlp"
    settings_type = MlpSettings
    scalable = False

    def groups(self, size: int) -> dict[str, tuple[int, ...]]:
        """Return the weights and biases of both layers."""
        k, cells = self.settings.hidden, size * size
        return {"input": (k, 2, cells), "hidden_bias": (k,), "output": (cells, k), "output_bias": (cells,)}

    def forward(self) -> Forward:
        return forward

    def new_workspace(self, weights: Weights, size: int) -> MlpWorkspace:
        groups = self.split(weights, size)
        cells = size * size
        return MlpWorkspace(
            zeros((cells, 2, LANES), F),
            zeros((cells, LANES), F),
            self.settings.unit == "tanh",
            groups["input"],
            groups["hidden_bias"],
            groups["output"],
            groups["output_bias"],
            zeros((self.settings.hidden, LANES), F),
        )
