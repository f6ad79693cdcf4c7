"""The gates of MDLSTM cells at every point of a board, recomputed from the outputs of a forward pass.

The compiled pass stores the outputs of cells, not their gates. Gates follow from the inputs of a cell and the sum of
the outputs of its two predecessors.
"""

import base64
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import cell_tables
from nobi.games.base import Game
from nobi.nn.bound import bind_pass, run_pass
from nobi.nn.inputs import input_writer
from nobi.nn.lanes import STEP
from nobi.nn.sweeps import list_sweeps
from nobi.nn.swiping import WIDTH, SwipingNetwork
from nobi.players.network import NetworkPlayer

NAMES = ("input", "forget row", "forget column", "cell", "output")
TIED_NAMES = ("input", "forget", "cell", "output")


@dataclass(frozen=True)
class Gates:
    """The gates of the first layer."""

    names: tuple[str, ...]
    values: NDArray[np.float32]
    """[sweep, unit, gate, n, n] from 0 to 1; the cell's input from -1 to 1."""

    def packed(self, sweep: int, unit: int) -> str:
        """[gate, cell] -127 to 127, one byte each, in base64."""
        scaled = np.rint(127 * self.values[sweep, unit])
        return base64.b64encode(scaled.astype(np.int8).tobytes()).decode()


def gates_of(player: NetworkPlayer, game: Game) -> Gates | None:
    """The gates of an MDLSTM in the current position of a game; None for other networks."""
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
