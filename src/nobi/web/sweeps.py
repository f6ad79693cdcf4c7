"""What happens inside a swiping network: the sweeps of its hidden units over a position, and the gates of MDLSTM cells.

The compiled pass stores the outputs of cells, not their gates. Gates follow from the inputs of a cell and the sum of
the outputs of its two predecessors.
"""

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import cell_tables
from nobi.games.base import Game, Variant
from nobi.models.model import Model
from nobi.nn.bound import bind_pass, run_pass
from nobi.nn.inputs import input_writer
from nobi.nn.lanes import STEP
from nobi.nn.sweeps import list_sweeps
from nobi.nn.swiping import WIDTH, SwipingNetwork
from nobi.players.network import NetworkPlayer, player_from_model
from nobi.web.evaluation import PositionEvaluation, evaluate_by_player

_SENTENCES = {
    "↘": "From the top left: each point receives the outputs of the points above it and to its left.",
    "↙": "From the top right: each point receives the outputs of the points above it and to its right.",
    "↗": "From the bottom left: each point receives the outputs of the points below it and to its left.",
    "↖": "From the bottom right: each point receives the outputs of the points below it and to its right.",
}
_CORNERS = {"↘": 0, "↙": 1, "↗": 2, "↖": 3}
SUM_SENTENCE = (
    "All sweeps are added. Each point now depends on the whole board, and the network plays the point with the largest "
    "sum."
)
TWICE_SENTENCE = (
    "The board is swept twice from each corner. The second time the two forget gates are exchanged, so that rows and "
    "columns are treated alike."
)

MOST_WEIGHTS = 400
"""The largest number of weights that are shown."""

NAMES = ("input", "forget row", "forget column", "cell", "output")
TIED_NAMES = ("input", "forget", "cell", "output")


@dataclass(frozen=True)
class SweepFrame:
    """One sweep over a board."""

    arrow: str
    corner: int
    """0 top left, 1 top right, 2 bottom left, 3 bottom right."""
    gates: str
    units: tuple[str, ...]
    """[k] the activations of unit k at every cell, -127 to 127, one byte each, in base64."""
    gate_names: tuple[str, ...] = ()
    """Gates of MDLSTM cells; empty for other networks."""
    unit_gates: tuple[str, ...] = ()
    """[k] the gates of unit k, [gate, cell], in the same encoding."""

    @property
    def sentence(self) -> str:
        """Explanation for the visitor."""
        return _SENTENCES[self.arrow]


@dataclass(frozen=True)
class NetworkView:
    """A network's evaluation of a position and the sweeps behind it."""

    evaluation: PositionEvaluation
    frames: tuple[SweepFrame, ...]
    """Sweeps of the first layer, sorted by corner; empty if the network has none."""
    units: int
    weights: NDArray[np.float32] | None = None
    """The weights of an evolved network; None for a deep network."""


def look_inside_file(file: Model, game: Game) -> NetworkView:
    """Return the evaluation of a position by the network in a file, with its sweeps."""
    variant = Variant(type(game), game.size, game.settings)
    player = player_from_model(file, variant)
    evaluation = evaluate_by_player(player, game)
    if not isinstance(player, NetworkPlayer):
        return NetworkView(evaluation, (), 0)
    layers = player.inspect(game).layers
    if not layers:
        return NetworkView(evaluation, (), 0, player.weights)
    layer, gates = layers[0], gates_of(player, game)
    largest = float(np.abs(layer.hidden).max()) or 1.0
    frames = [
        SweepFrame(
            label.arrow,
            _CORNERS[label.arrow],
            label.gates,
            tuple(_packed(unit / largest) for unit in units),
            gates.names if gates else (),
            tuple(gates.packed(sweep, unit) for unit in range(len(units))) if gates else (),
        )
        for sweep, (label, units) in enumerate(zip(layer.sweeps, layer.hidden, strict=True))
    ]
    frames.sort(key=lambda frame: frame.corner)
    return NetworkView(evaluation, tuple(frames), layer.hidden.shape[1], player.weights)


def _packed(values: NDArray[np.float32]) -> str:
    """-127 to 127, one byte each, in base64."""
    return base64.b64encode(np.rint(127 * values).astype(np.int8).tobytes()).decode()


def weights_of(file: Model) -> list[float]:
    """Return the weights of a small network, scaled to -1 to 1; empty if there are more than MOST_WEIGHTS."""
    weights: Any = np.concatenate([tensor.ravel() for tensor in file.tensors.values()])
    if len(weights) > MOST_WEIGHTS:
        return []
    return (weights / (float(np.abs(weights).max()) or 1.0)).round(4).tolist()


# --- gates ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gates:
    """The gates of the first layer."""

    names: tuple[str, ...]
    values: NDArray[np.float32]
    """[sweep, unit, gate, n, n] from 0 to 1; the cell's input from -1 to 1."""

    def packed(self, sweep: int, unit: int) -> str:
        """Return the gates, [gate, cell], from -127 to 127, one byte each, in base64."""
        return _packed(self.values[sweep, unit])


def gates_of(player: NetworkPlayer, game: Game) -> Gates | None:
    """Return the gates of an MDLSTM in the current position of a game; None for other networks."""
    network = player.network
    if not isinstance(network, SwipingNetwork) or not network.layers()[0].cell.gated:
        return None
    size = game.size
    workspace = network.new_workspace(player.weights, size, keep=True)
    input_writer(network.features)(game.boards, np.zeros(1, np.int64), workspace.x, *cell_tables(size))
    run_pass(bind_pass(network.forward(), workspace), 1)
    part, layer = workspace.parts[0], network.layers()[0]
    sweeps = list_sweeps(layer.gates)
    names = TIED_NAMES if layer.gates == "none" else NAMES
    outputs = part.workspace.h.reshape(-1, layer.hidden, WIDTH)
    found = np.zeros((len(sweeps), layer.hidden, len(names), size, size), np.float32)
    for d in range(len(sweeps)):
        h = outputs[:, :, d * (STEP // len(sweeps))]
        cells = part.sweeps.cell[:, d]
        seen = np.concatenate([part.x[cells, :, 0], h[part.sweeps.beside] + h[part.sweeps.above]], axis=1)
        sums = seen @ part.weights.seen.T + part.sweeps.missing[:, None] * part.weights.border
        gates = sums.reshape(len(cells), len(names), layer.hidden)
        squashed = 1 / (1 + np.exp(-gates.astype(np.float64)))
        cell_row = names.index("cell")
        squashed[:, cell_row] = np.tanh(gates[:, cell_row].astype(np.float64))
        if len(names) == 5:  # which of the two forget gates belongs to the row depends on the sweep
            gate = part.sweeps.gate
            above = squashed[np.arange(len(cells)), 1 + gate]
            beside = squashed[:, 1].copy()
            row, column = (above, beside) if sweeps[d].transposed else (beside, above)
            squashed[:, 1], squashed[:, 2] = row, column
        by_cell = np.zeros_like(squashed)
        by_cell[cells] = squashed
        found[d] = by_cell.transpose(2, 1, 0).reshape(layer.hidden, len(names), size, size)
    return Gates(names, found)
