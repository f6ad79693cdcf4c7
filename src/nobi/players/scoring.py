"""Scoring of a finished position of Go by random playouts: the owner of each point, the dead stones, the score.

`final_score` is the package's only method of removing dead stones. GTP's `final_score`, the referee of a match and the
decision of a search to pass all use it, so that the search anticipates the score after two passes. Half of the playouts
begin with each player, and the random numbers are fixed: the score does not depend on the player to move, and it is
reproducible.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.area import find_owners
from nobi.board.stones import BLACK, EMPTY, RUNNING, SIDES, WHITE, board_points
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game
from nobi.games.go import SIMPLE, Go, GoBoards
from nobi.games.go import play as play_go
from nobi.memory import copy_state, pack
from nobi.players.random import PlayoutPlayer
from nobi.streams import Streams, stream_of

choose: Any = UNBOUND  # this and the next are bound by `_compiled_playout`
play: Any = UNBOUND

PLAYOUTS = 1000
"""Number of playouts of an ownership map."""
DEAD_BELOW = (-0.2, 0.0)
"""A chain is dead if the ownership of its points by its own colour, from −1 to 1, is below these bounds. The clearly
dead chains are removed first, and the remaining ones are judged by new playouts, since random play around dead chains
is unreliable.
"""


def _play_out(boards: Any, streams: Streams, sums: NDArray[np.int64]) -> None:
    """Play board 0 to its end; add 1 to the sums of Black's points and subtract 1 from those of White's."""
    stones = boards.stones
    while stones.outcome[0] == RUNNING:
        play(boards, 0, choose(boards, 0, streams, ()))
    find_owners(stones, 0, boards.areas)
    for point in range(len(sums)):
        sums[point] += boards.areas.owner[point] == BLACK
        sums[point] -= boards.areas.owner[point] == WHITE


@cache
def _compiled_playout() -> Callable[..., None]:
    return specialise(_play_out, "go_playout", choose=PlayoutPlayer.chooser(Go), play=play_go)


def ownership(game: Go, playouts: int = PLAYOUTS) -> NDArray[np.float32]:
    """Return the ownership of each point, [n, n], from −1, always White's, to 1, always Black's."""
    size = game.size
    boards = cast(GoBoards, copy_state(game.boards))
    longest = int(boards.stones.ply[0]) + 3 * size * size
    # simple ko is sufficient in playouts, and much faster than superko
    boards = boards._replace(ko_rule=SIMPLE, suicide=False, history=np.zeros((1, longest + 2), np.uint64))
    boards.passes[0] = 0
    boards.stones.outcome[0] = RUNNING
    boards, now = pack(boards, only_boards=True)
    start = now.copy()
    streams = np.zeros(1, np.uint64)
    sums = np.zeros(boards.stones.colour.shape[1], np.int64)
    playout = _compiled_playout()
    for i in range(playouts):
        now[:] = start
        boards.stones.to_move[0] = BLACK if i % 2 == 0 else WHITE
        streams[0] = stream_of(0, i)
        playout(boards, streams, sums)
    return (sums[board_points(size)].reshape(size, size) / max(1, playouts)).astype(np.float32)


def dead_stones(game: Go) -> list[int]:
    """Return the points of the stones that count as captured if the game ends here, according to playouts."""
    dead: list[int] = []
    for bound in DEAD_BELOW:
        left = game.without(dead)
        dead += _chains_below(left, ownership(left), bound)
    return dead


def final_score(game: Go) -> str:
    """Return the score if the game ends here, with dead stones removed: `B+3.5`, `W+0.5` or `Draw`."""
    return game.score(dead_stones(game))


def _chains_below(game: Go, owned: NDArray[np.float32], bound: float) -> list[int]:
    """Return the stones of the chains whose ownership by their own colour is below the bound."""
    values = dict(zip(game.points(), owned.ravel(), strict=True))
    found: list[int] = []
    for chain in chains_of(game):
        sign = 1 if game.colour(chain[0]) == BLACK else -1
        if sign * float(np.mean([values[point] for point in chain])) < bound:
            found += chain
    return found


def chains_of(game: Game) -> list[list[int]]:
    """Return the chains of stones, each with the stone at its upper left first."""
    colour, neighbours = game.boards.stones.colour[0], game.boards.stones.neighbours
    seen: set[int] = set()
    chains = []
    for first in game.points():
        if colour[first] == EMPTY or first in seen:
            continue
        chain = [first]
        seen.add(first)
        for point in chain:
            for neighbour in map(int, neighbours[point, :SIDES]):
                if colour[neighbour] == colour[first] and neighbour not in seen:
                    seen.add(neighbour)
                    chain.append(neighbour)
        chains.append(chain)
    return chains
