"""What a network makes of a position: its values, the legal moves, and those among them that it likes best."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS
from nobi.board.vertices import row_column
from nobi.games.base import Game
from nobi.networks.base import Network, Weights
from nobi.networks.inside import Inside, look_inside


@dataclass(frozen=True)
class View:
    """A position as a network sees it."""

    game: Game
    inside: Inside
    legal: list[int]
    """Row by row, a pass last; none if the game is over."""
    best: list[int]
    """The legal moves of the highest value, of which `NetworkPlayer` draws one; a pass if nothing else is legal."""


def colours_of(game: Game) -> NDArray[np.uint8]:
    """[n, n] EMPTY, BLACK or WHITE."""
    return np.array([game.colour(point) for point in game.points()], np.uint8).reshape(game.size, game.size)


def view(game: Game, network: Network, weights: Weights) -> View:
    """Shows the present position of a game to a network, with the eyes of the player to move."""
    colours = colours_of(game)
    own = colours == game.to_move
    inside = look_inside(network, weights, own, (colours != EMPTY) & ~own)
    legal = game.legal_moves()
    values = {move: inside.output[row_column(move, game.size)] for move in legal if move != PASS}
    best = [move for move, value in values.items() if value == max(values.values())]
    return View(game, inside, legal, best or legal)
