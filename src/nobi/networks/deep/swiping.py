"""Torch twins of the swiping networks `mdrnn`, `mdlstm` and `stacked`, for training by gradient.

The compiled networks visit the cells one by one, for many boards. Here all cells of an anti-diagonal, which do not
depend on each other, are computed at once, for all sweeps and all boards: a step is a single product of the recurrent
weights with the whole diagonal, and a board of size n needs 2n − 1 steps. Every sweep is transformed so that it goes
down and right; then the predecessors of the cells of a diagonal are the cells of the previous diagonal:

    . . . 3        on growing diagonals, the first cell has no predecessor above and the last none in its row;
    . . 3 4        on shrinking diagonals, every cell has both
    . 3 4 5
    3 4 5 6

The last axes of arrays are (sweep, board), corresponding to the lanes of the compiled networks.
"""

from dataclasses import dataclass, fields
from functools import cache
from math import prod
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
import torch
from torch import Tensor, nn

from nobi.features import ONLY_STONES, check_planes, plane_count
from nobi.networks.deep.base import DeepNetwork
from nobi.networks.mdlstm import Mdlstm, MdlstmSettings
from nobi.networks.mdrnn import Mdrnn, MdrnnSettings
from nobi.networks.stacked import Stacked, StackedSettings
from nobi.nn.network import Network, Weights
from nobi.nn.sweeps import CORNERS, sweeps_of
from nobi.nn.swiping import Layer, SwipingNetwork, groups_of, prefixes


class Diagonals(NamedTuple):
    """The sweeps d over a board, diagonal by diagonal; step i is the same cell of the transformed board in each."""

    lengths: list[int]  # the number of cells of each diagonal
    cell: Tensor  # int64[cells·d] the cell of sweep d at step i
    step: Tensor  # int64[cells·d] the index of cell c of sweep d: its step times the number of sweeps, plus d
    missing: Tensor  # float64[cells] the number of predecessors of step i beyond the border
    above_is_first: Tensor  # bool[cells, 1] whether the state from above has forget gate 0, as that from the side


@cache
def diagonals_of(size: int, gates: str) -> Diagonals:
    """Return the sweeps of `sweeps_of` in the order of diagonals."""
    sweeps = sweeps_of(size, gates)
    cells, count = sweeps.cell.shape
    rows, columns = np.divmod(np.arange(cells), size)
    order = np.lexsort((rows, rows + columns))  # step → cell, in a sweep that goes down and right
    cell = sweeps.cell[order].astype(np.int64)
    step = np.empty((cells, count), np.int64)
    for d in range(count):
        step[cell[:, d], d] = np.arange(cells) * count + d
    with torch.inference_mode(False):  # the cached tensors may be used in training as well
        return Diagonals(
            [min(t + 1, 2 * size - 1 - t) for t in range(2 * size - 1)],
            torch.from_numpy(cell.ravel()),
            torch.from_numpy(step.ravel()),
            torch.from_numpy(sweeps.missing[order].astype(np.float64)),
            torch.from_numpy(sweeps.gate[order, None] == 0),
        )


def pairs(before: Tensor, beyond: Tensor, t: int, size: int) -> tuple[Tensor, Tensor]:
    """Return the predecessors in the row and in the column of each cell of diagonal t.

    Args:
        before: [k, length, boards] the previous diagonal.
        beyond: [k, 1, boards] the values beyond the border.
        t: the index of the diagonal.
        size: n.
    """
    if t == 0:
        return beyond, beyond
    if t < size:
        return torch.cat([before, beyond], 1), torch.cat([beyond, before], 1)
    return before[:, 1:], before[:, :-1]


def swipe(layer: Layer, groups: dict[str, Tensor], beyond: Tensor, x: Tensor, size: int) -> Tensor:
    """Sweep a layer over many boards.

    Args:
        layer: the cell and the shape of the layer.
        groups: the weights `input`, `recurrent`, and `border`, the term added for each missing predecessor.
        beyond: [k] the outputs of cells beyond the border.
        x: [inputs, cells, b] the inputs.
        size: n.

    Returns:
        [k, cells, d, b] the outputs of the units, by cell.
    """
    device = x.device
    diagonals = diagonals_of(size, layer.gates)
    cells, batch = len(diagonals.missing), x.shape[2]
    count = len(diagonals.cell) // cells
    seen = torch.einsum("ri,icb->rcb", groups["input"], x).index_select(1, diagonals.cell.to(device))
    missing = diagonals.missing.to(x)
    seen = seen.view(layer.rows, cells, count * batch) + groups["border"][:, None, None] * missing[:, None]
    outside = beyond[:, None, None].expand(-1, 1, count * batch)
    nothing = torch.zeros_like(outside)
    h, s, found = outside, nothing, []
    # split into diagonals at once: the gradient of each slice would be as large as the whole
    diagonal_parts = [
        torch.split(whole, diagonals.lengths, -2) for whole in (seen, diagonals.above_is_first.to(device))
    ]
    for t, (part, above_is_first) in enumerate(zip(*diagonal_parts, strict=True)):
        beside, above = pairs(h, outside, t, size)
        both = (beside + above).reshape(layer.hidden, -1)
        a = part + (groups["recurrent"] @ both).view(part.shape)
        if not layer.cell.gated:
            h = torch.tanh(a)  # S08 section III
        else:
            h, s = lstm_cells(layer, a, *pairs(s, nothing, t, size), above_is_first)
        found.append(h)
    by_step = torch.cat(found, 1).view(layer.hidden, cells * count, batch)
    return by_step.index_select(1, diagonals.step.to(device)).view(layer.hidden, cells, count, batch)


def lstm_cells(
    layer: Layer, a: Tensor, s_beside: Tensor, s_above: Tensor, above_is_first: Tensor
) -> tuple[Tensor, Tensor]:
    """Return h = σ(o)·tanh(s) and s = σ(i)·tanh(c) + σ(f₀)·s₀ + σ(f₁)·s₁ from the sums a[rows, …] (S09 section 2.3)."""
    k = layer.hidden
    gates, c, o = torch.split(a, [layer.rows - 2 * k, k, k])
    opened = torch.split(torch.sigmoid(gates), k)  # input gate, forget gates
    if layer.gates == "none":
        kept = opened[1] * (s_beside + s_above)
    else:
        _, f0, f1 = opened
        kept = f0 * s_beside + torch.where(above_is_first, f0, f1) * s_above
    s = opened[0] * torch.tanh(c) + kept
    return torch.sigmoid(o) * torch.tanh(s), s


class SwipingTwin(DeepNetwork):
    """A swiping network in torch, equal to the compiled network with the same vector of weights.

    With the planes `own-enemy`, `compiled_network` and `compiled_weights` return the equal compiled network. With other
    planes the first layer has more inputs, and there is no equal compiled network.
    """

    compiled_type: ClassVar[type[SwipingNetwork]]

    def __init__(self, settings: Any = None) -> None:
        super().__init__(settings)
        inputs = plane_count(self.settings.planes)
        bottom, *others = self.compiled_network().layers()
        self.layers = [bottom._replace(inputs=inputs), *others]
        self.groups = groups_of(self.layers)
        self.weights = nn.Parameter(torch.empty(sum(prod(shape) for shape in self.groups.values())))

    @classmethod
    def of(cls, network: Network, weights: Weights) -> Self:
        """Return the twin of a compiled network with these weights."""
        twin = cls(cls.settings_type(**vars(network.settings)))
        network.split(weights, 0)
        twin.weights = nn.Parameter(torch.tensor(np.asarray(weights)))
        return twin

    @property
    def is_compiled(self) -> bool:
        """Whether there is an equal compiled network."""
        return self.planes == ONLY_STONES

    def compiled_network(self) -> SwipingNetwork:
        """Return the compiled network with the same settings, whose inputs are only stones."""
        kind = self.compiled_type.settings_type
        return self.compiled_type(kind(**{f.name: getattr(self.settings, f.name) for f in fields(kind)}))

    def compiled_weights(self) -> Weights:
        """Return the weights as a vector, for `compiled_network`."""
        if not self.is_compiled:
            raise ValueError(f"{self} has other inputs than stones: there is no equal compiled network")
        weights: Weights = self.weights.detach().cpu().to(torch.float32).numpy().copy()
        return weights

    def split(self) -> dict[str, Tensor]:
        """Return the groups of weights, as views of the vector."""
        parts = torch.split(self.weights, [prod(shape) for shape in self.groups.values()])
        return {name: part.view(shape) for (name, shape), part in zip(self.groups.items(), parts, strict=True)}

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:  # noqa: ARG002
        size = int(planes.shape[-1])
        groups = self.split()
        x = planes.flatten(2).permute(1, 2, 0)
        for i, (prefix, layer) in enumerate(zip(prefixes(len(self.layers)), self.layers, strict=True)):
            own = {name: groups[prefix + name] for name in ("input", "recurrent", "border")}
            beyond = own["border"].new_zeros(layer.hidden)
            if getattr(self.settings, "border", "") == "value" and not layer.cell.gated:
                own["border"], beyond = beyond, own["border"]
            h = swipe(layer, own, beyond, x, size)
            if i < len(self.layers) - 1:
                x = h.sum(2)
        return torch.einsum("k,kcdb->bc", groups["output"], h)

    def draw(self, rng: torch.Generator) -> None:
        """Draw small weights suited to gradient descent: N(0, 1/√(number of inputs of the unit)).

        With the papers' N(0, 1), meant for evolution, many units are chaotic on large boards.
        """
        for name, part in self.split().items():
            fan_in = 1 if name.endswith("border") else part.shape[-1]
            sums = len(CORNERS) if name.endswith("input") and name != "input" else 2
            part.normal_(0.0, 1.0 / (sums * fan_in**0.5), generator=rng)


def twin_of(network: Network, weights: Weights) -> SwipingTwin:
    """Return the torch twin of any compiled swiping network."""
    from nobi.networks.deep import find

    return cast(type[SwipingTwin], find(network.name)).of(network, weights)


@dataclass(frozen=True)
class TwinChoices:
    """The settings of a torch twin in addition to those of its compiled network."""

    mask: bool = True
    """Masked training, as in C14."""
    planes: str = ONLY_STONES
    """The set of planes; an equal compiled network exists only for `own-enemy`."""

    def check_inputs(self, features: str) -> None:
        """Check the planes, and that the compiled network has no features besides stones."""
        check_planes(self.planes)
        if features:
            raise ValueError("inputs are for compiled networks; networks trained by gradient have planes")


@dataclass(frozen=True)
class MdrnnTwinSettings(TwinChoices, MdrnnSettings):
    """The settings of the compiled network, and the planes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_inputs(self.inputs)


class MdrnnTwin(SwipingTwin):
    """The swiping network `mdrnn`, trainable by gradient."""

    name = "mdrnn"
    settings_type = MdrnnTwinSettings
    compiled_type = Mdrnn


@dataclass(frozen=True)
class MdlstmTwinSettings(TwinChoices, MdlstmSettings):
    """The settings of the compiled network, and the planes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_inputs(self.inputs)


class MdlstmTwin(SwipingTwin):
    """The swiping network `mdlstm`, trainable by gradient."""

    name = "mdlstm"
    settings_type = MdlstmTwinSettings
    compiled_type = Mdlstm


@dataclass(frozen=True)
class StackedTwinSettings(TwinChoices, StackedSettings):
    """The settings of the compiled network, and the planes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_inputs(self.inputs)


class StackedTwin(SwipingTwin):
    """The swiping network `stacked`, trainable by gradient."""

    name = "stacked"
    settings_type = StackedTwinSettings
    compiled_type = Stacked
