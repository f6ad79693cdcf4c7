"""Looking inside a network: what it puts out for one position, and what the hidden units of its sweeps say.

Nothing is computed here: the network's own pass runs once, in a room that keeps the outputs of all cells.

MERGED players/view.py: What a network makes of a position: its values, the legal moves, and those among them that it likes best.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS
from nobi.board.text import row_column
from nobi.errors import NobiError
from nobi.games.base import Game
from nobi.games.go import Go
from nobi.nn.lanes import STEP
from nobi.nn.network import Network, Weights
from nobi.nn.sweeps import Sweep, list_sweeps
from nobi.nn.swiping import WIDTH, Layer, LayerState, SwipingNetwork
from nobi.players.base import Player
from nobi.players.network import NetworkPlayer

if TYPE_CHECKING:
    from nobi.players.network import PolicyPlayer


_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))
SATURATED = np.float32(8.5)
"""In single precision the tanh of a larger input is 1."""


@dataclass(frozen=True)
class SweepLabel:
    """Which sweep it is."""

    arrow: str
    """Where it goes: ↘ ↙ ↗ or ↖."""
    gates: str
    """Which forget gates the states from the row and from the column meet (MDLSTM with two), or nothing."""


@dataclass(frozen=True)
class LayerInside:
    """The hidden units of one layer."""

    sweeps: list[SweepLabel]
    hidden: NDArray[np.float32]
    """[sweep, k, n, n] what unit k says at each point."""
    is_tanh: bool = False
    """Whether a unit is the tanh of its input, and nothing else: in most networks nearly −1 or 1 everywhere."""

    def inputs(self) -> NDArray[np.float32]:
        """[sweep, k, n, n] the inputs of such units, as far as their outputs tell: up to ±SATURATED."""
        return np.clip(np.arctanh(np.clip(self.hidden, -_BELOW_ONE, _BELOW_ONE)), -SATURATED, SATURATED)


@dataclass(frozen=True)
class Inside:
    """What goes on in a network for one position."""

    output: NDArray[np.float32]
    """[n, n] the higher the better."""
    layers: list[LayerInside]
    """The swiping layers, the first that sees the board first; none in other networks."""


def look_inside(network: Network, weights: Weights, own: NDArray[Any], enemy: NDArray[Any]) -> Inside:
    """Shows a position to a network.

    Args:
        network: any kind of network.
        weights: float32[weight_count].
        own: [n, n] 1 where there is a stone of the player to move, else 0.
        enemy: [n, n] the same for the other player.
    """
    size = len(own)
    workspace = (
        network.new_workspace(weights, size, keep=True)
        if isinstance(network, SwipingNetwork)
        else network.new_workspace(weights, size)
    )
    workspace.x[:, :, 0] = np.stack([own, enemy], axis=-1).reshape(size * size, 2)
    network.forward()(workspace, 1)
    output = workspace.out[:, 0].reshape(size, size).copy()
    if not isinstance(network, SwipingNetwork):
        return Inside(output, [])
    parts = zip(network.layers(), workspace.parts, strict=True)
    return Inside(output, [_look_into(layer, part, size) for layer, part in parts])


def _look_into(layer: Layer, part: LayerState, size: int) -> LayerInside:
    """The outputs that the pass has left: sweep d of a lone board is in lane d·(STEP/sweeps)."""
    sweeps = list_sweeps(layer.gates)
    rows = part.workspace.h[:-1].reshape(size * size, layer.hidden, WIDTH)
    labels, hidden = [], []
    for d, sweep in enumerate(sweeps):
        labels.append(_label(sweep, layer.gates))
        units = rows[part.sweeps.step[:, d], :, d * (STEP // len(sweeps))]
        hidden.append(units.T.reshape(layer.hidden, size, size))
    return LayerInside(labels, np.stack(hidden), not layer.cell.gated)


def _label(sweep: Sweep, gates: str) -> SweepLabel:
    arrow = ("↖" if sweep.left else "↗") if sweep.up else ("↙" if sweep.left else "↘")
    texts = {
        "none": "",
        "both": "row 1, column 0" if sweep.transposed else "row 0, column 1",
        "original": "as in the published code",
    }
    return SweepLabel(arrow, texts[gates])


@dataclass(frozen=True)
class View:
    """A position as a network sees it."""

    game: Game
    inside: Inside
    legal: list[int]
    """Row by row, a pass last; none if the game is over."""
    best: list[int]
    """The legal moves of the highest value, of which `NetworkPlayer` draws one; a pass if nothing else is legal.

    `PolicyPlayer` also fills no eye of its own, and passes when its opponent has passed.
    """
    measure: Literal["output", "chance in %"] = "output"
    """What the output is."""


def colours_of(game: Game) -> NDArray[np.uint8]:
    """[n, n] EMPTY, BLACK or WHITE."""
    return np.array([game.colour(point) for point in game.points()], np.uint8).reshape(game.size, game.size)


def view(game: Game, network: Network, weights: Weights) -> View:
    """Shows the present position of a game to a network, with the eyes of the player to move."""
    colours = colours_of(game)
    own = colours == game.to_move
    inside = look_inside(network, weights, own, (colours != EMPTY) & ~own)
    return View(game, inside, *_moves_of(game, inside.output))


def view_of(player: Player, game: Game) -> View:
    """What the player of a model file makes of the present position of a game."""
    if isinstance(player, NetworkPlayer):
        return view(game, player.network, player.weights)
    deep = cast("PolicyPlayer", player)  # the other kind; to ask would load torch
    return view_of_policy(game, deep.values([cast(Go, game)]).reshape(game.size, game.size))


def view_of_policy(game: Game, values: NDArray[np.float32]) -> View:
    """The view of a deep network whose values for the present position are float32[n, n]: chances among legal moves."""
    if not np.isfinite(values).all():
        raise NobiError("The network's values are no numbers: its training has diverged.")
    legal, best = _moves_of(game, values)
    counts = np.full(values.shape, not legal)
    for move in legal:
        if move != PASS:
            counts[row_column(move, game.size)] = True
    chances = np.exp(values - values.max(where=counts, initial=-np.inf), where=counts, out=np.zeros_like(values))
    return View(game, Inside(100 * chances / max(chances.sum(), 1), []), legal, best, "chance in %")


def _moves_of(game: Game, output: NDArray[np.float32]) -> tuple[list[int], list[int]]:
    """The legal moves, and the best of them by the output [n, n]."""
    legal = game.legal_moves()
    values = {move: output[row_column(move, game.size)] for move in legal if move != PASS}
    best = [move for move, value in values.items() if value == max(values.values())]
    return legal, best or legal
