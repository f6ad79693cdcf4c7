"""Inspection of a network: its output for a position, the best legal moves, and the hidden units of its sweeps.

The network's forward pass runs once, with a workspace that keeps the outputs of all cells.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS, cell_tables
from nobi.board.text import row_column, vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game
from nobi.nn.bound import bind_pass, run_pass
from nobi.nn.inputs import check_game, input_planes, input_writer
from nobi.nn.lanes import STEP
from nobi.nn.network import Network, Weights
from nobi.nn.sweeps import Sweep, list_sweeps
from nobi.nn.swiping import WIDTH, Layer, LayerState, SwipingNetwork
from nobi.search.policy import softmax

_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))
SATURATED = np.float32(8.5)
"""In single precision, tanh of a larger input is 1."""


@dataclass(frozen=True)
class SweepLabel:
    """The direction and the gates of a sweep."""

    arrow: str
    """The direction: ↘ ↙ ↗ or ↖."""
    gates: str
    """Which forget gates apply to the states from the row and from the column (MDLSTM with two), or empty."""


@dataclass(frozen=True)
class LayerInspection:
    """The hidden units of one layer."""

    sweeps: list[SweepLabel]
    hidden: NDArray[np.float32]
    """[sweep, k, n, n] the output of unit k at each point."""
    is_tanh: bool = False
    """Whether a unit is simply the tanh of its input, which in most networks is close to ±1 everywhere."""

    def inputs(self) -> NDArray[np.float32]:
        """Return the inputs of tanh units, [sweep, k, n, n], computed from their outputs; at most ±SATURATED."""
        return np.clip(np.arctanh(np.clip(self.hidden, -_BELOW_ONE, _BELOW_ONE)), -SATURATED, SATURATED)


@dataclass(frozen=True, repr=False)
class Inspection:
    """A network's evaluation of the current position of a game, for the player to move."""

    game: Game
    output: NDArray[np.float32]
    """[n, n] higher is better."""
    layers: list[LayerInspection]
    """The swiping layers, beginning with the one next to the input; none for other networks."""
    legal: list[int]
    """The legal moves, row by row, a pass last; empty if the game is over."""
    best: list[int]
    """The legal moves of the highest value, of which `NetworkPlayer` draws one; a pass if nothing else is legal.

    `PolicyPlayer` also avoids filling own eyes, and passes after a pass of its opponent.
    """
    measure: Literal["output", "chance in %"] = "output"
    """The unit of the output."""

    def __repr__(self) -> str:
        best = " ".join(vertex_name(move, self.game.size) for move in self.best)
        return f"<Inspection {self.game.name} {self.game.size}x{self.game.size}, best {best}>"


def inspect_network(game: Game, network: Network, weights: Weights) -> Inspection:
    """Evaluate the current position of a game by a compiled network."""
    check_game(network.features, game.name, game.boards)
    size = game.size
    x = np.zeros((size * size, len(input_planes(network.features)), 1), np.float32)
    input_writer(network.features)(game.boards, np.zeros(1, np.int64), x, *cell_tables(size))
    output, layers = evaluate_layers(network, weights, *x[:, :, 0].T.reshape(-1, size, size))
    return Inspection(game, output, layers, *_legal_and_best(game, output))


def inspect_policy(game: Game, values: NDArray[np.float32]) -> Inspection:
    """Return the evaluation by a deep network with these values, float32[n, n]: probabilities of the legal moves."""
    if not np.isfinite(values).all():
        raise NobiError("The network's values are NaN or infinite: its training has diverged.")
    legal, best = _legal_and_best(game, values)
    mask = game.legal_mask() if legal else np.ones(values.shape, np.bool_)
    chances = np.zeros_like(values)
    if mask.any():
        chances[mask] = 100 * softmax(values[mask])
    return Inspection(game, chances, [], legal, best, "chance in %")


def evaluate_layers(
    network: Network, weights: Weights, *planes: NDArray[Any]
) -> tuple[NDArray[np.float32], list[LayerInspection]]:
    """Return the output of a network, [n, n], and its swiping layers.

    Args:
        network: any network.
        weights: float32[weight_count].
        planes: [n, n] each: 1 where there is a stone of the player to move, else 0; the same for the other player;
            then the planes of its further inputs.
    """
    size = len(planes[0])
    swiping = isinstance(network, SwipingNetwork)
    workspace = network.new_workspace(weights, size, **({"keep": True} if swiping else {}))
    workspace.x[:, :, 0] = np.stack(planes, axis=-1).reshape(size * size, -1)
    run_pass(bind_pass(network.forward(), workspace), 1)
    output = workspace.out[:, 0].reshape(size, size).copy()
    if not isinstance(network, SwipingNetwork):
        return output, []
    parts = zip(network.layers(), workspace.parts, strict=True)
    return output, [_inspect_layer(layer, part, size) for layer, part in parts]


def colours_of(game: Game) -> NDArray[np.uint8]:
    """Return the colours of the points, [n, n]: EMPTY, BLACK or WHITE."""
    return np.array([game.colour(point) for point in game.points()], np.uint8).reshape(game.size, game.size)


def _inspect_layer(layer: Layer, part: LayerState, size: int) -> LayerInspection:
    """Return the outputs of a layer after a forward pass: sweep d of a single board is in lane d·(STEP/sweeps)."""
    sweeps = list_sweeps(layer.gates)
    rows = part.workspace.h[:-1].reshape(size * size, layer.hidden, WIDTH)
    labels, hidden = [], []
    for d, sweep in enumerate(sweeps):
        labels.append(_label(sweep, layer.gates))
        units = rows[part.sweeps.step[:, d], :, d * (STEP // len(sweeps))]
        hidden.append(units.T.reshape(layer.hidden, size, size))
    return LayerInspection(labels, np.stack(hidden), not layer.cell.gated)


def _label(sweep: Sweep, gates: str) -> SweepLabel:
    arrow = ("↖" if sweep.left else "↗") if sweep.up else ("↙" if sweep.left else "↘")
    texts = {
        "none": "",
        "both": "row 1, column 0" if sweep.transposed else "row 0, column 1",
        "original": "as in the published code",
    }
    return SweepLabel(arrow, texts[gates])


def _legal_and_best(game: Game, output: NDArray[np.float32]) -> tuple[list[int], list[int]]:
    """Return the legal moves, and the best of them by the output [n, n]."""
    legal = game.legal_moves()
    values = {move: output[row_column(move, game.size)] for move in legal if move != PASS}
    best = [move for move, value in values.items() if value == max(values.values())]
    return legal, best or legal
