"""What a network makes of a position: its values, the legal moves, and those among them that it likes best."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS
from nobi.board.vertices import row_column
from nobi.errors import NobiError
from nobi.games.base import Game
from nobi.games.go import Go
from nobi.networks.base import Network, Weights
from nobi.networks.inside import Inside, look_inside
from nobi.players.base import Player
from nobi.players.network import NetworkPlayer

if TYPE_CHECKING:
    from nobi.players.policy import PolicyPlayer


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
