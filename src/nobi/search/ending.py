"""The end of a game of Go: who owns what once dead stones are considered, and when there is nothing left to gain."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, PASS, RUNNING
from nobi.games.base import Game, Variant
from nobi.games.go import Go, GoBoards
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

SETTLED = 0.6
"""A point is somebody's if the share of playouts that say so, less those that say otherwise, is above this."""

_ENOUGH = 2000
"""Playouts that tell an owner well enough."""
_LEADING = 0.75
"""Only who wins this often thinks of passing first."""


def ownership(game: Game, rollouts: int = 1000, seed: int = 0) -> NDArray[np.float32]:
    """[n, n] whose each point will be: from -1, white's, to 1, black's. A finished game is looked at as if it went on.

    Half of the playouts begin with each player, so that a settled position is judged without favour.
    """
    variant = Variant(type(game), game.size, game.settings)
    search = Search(variant, SearchSettings(rollouts=rollouts, memory=16), seed=seed)
    total = np.zeros((game.size, game.size))
    for colour in (1, 2):
        asked = game.copy()
        boards = asked.boards
        boards.stones.to_move[0] = colour
        boards.stones.outcome[0] = RUNNING
        if isinstance(boards, GoBoards):
            boards.passes[0] = 0
            boards.ko[0] = PASS
        search.set_board(boards, 0, seed)
        search.run(rollouts // 2 + 1)
        total += search.ownership() / 2
    search.close()
    return total.astype(np.float32)


def settled_margin(game: Go, owned: NDArray[np.float64] | NDArray[np.float32], player: int) -> float:
    """What `player` wins by at least, komi included: every point that is not settled counts for the other.

    Territory and prisoners are the area less the stones that each player has placed.
    """
    sign = 1 if player == BLACK else -1
    mine = int((sign * owned > SETTLED).sum())
    margin = float(mine - (game.size**2 - mine)) - sign * game.settings.komi
    if game.settings.scoring == "territory":
        boards = game.boards
        placed = boards.prisoners[0, BLACK] - boards.prisoners[0, 3 - BLACK]  # type: ignore[attr-defined]
        placed += int((boards.stones.colour[0] == BLACK).sum()) - int((boards.stones.colour[0] == 3 - BLACK).sum())
        margin -= sign * float(placed)
    return margin


def is_settled_win(search: Search, game: Game, *, passed: bool, seconds: float = 0.0) -> bool:
    """Whether the player to move may pass: he wins even if all that is not settled goes to the opponent.

    `search` has searched this position. If the opponent has just passed, a pass ends the game and what the search
    has seen is enough. If not, the opponent moves next: the position after the pass is searched as well, for at most
    so many `seconds`, 0 for no limit.
    """
    if not isinstance(game, Go):
        return False
    me = game.to_move
    if settled_margin(game, search.ownership(), me) <= 0:
        return False
    if passed:
        return True
    if search.children()[0].winrate < _LEADING:
        return False
    after = game.copy()
    after.play(PASS)
    again = Search(search.variant, replace(search.settings, reuse=False, model="", memory=16, threads=1))
    again.set_game(after)
    again.run(min(_ENOUGH, max(400, search.settings.rollouts // 2)), seconds)
    return settled_margin(game, again.ownership(), me) > 0
