"""The count of a finished position of Go, by random playouts: who owns each point, which stones are dead, the score.

`final_score` is the only count of dead stones in the package. GTP's `final_score`, the referee of a match and the
decision of a search to pass all use it, so that a search knows how two passes are judged. Half of the playouts begin
with each player, and the random numbers are fixed: the count does not depend on whose turn it is, and a game is counted
the same every time.
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

choose: Any = UNBOUND  # these are bound by `_compiled_playout`
play: Any = UNBOUND

PLAYOUTS = 1000
"""Playouts of one ownership map."""
DEAD_BELOW = (-0.2, 0.0)
"""A chain is dead if its points are owned by its own colour, on a scale from −1 to 1, less than this. First the clearly
dead ones are lifted; what remains is judged anew, since random play is at a loss where they stood.
"""


def _play_out(boards: Any, streams: Streams, sums: NDArray[np.int64]) -> None:
    """Plays board 0 to its end; adds 1 to black's points and subtracts 1 from white's."""
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
    """[n, n] from −1, always white's, to 1, always black's."""
    size = game.size
    boards = cast(GoBoards, copy_state(game.boards))
    longest = int(boards.stones.ply[0]) + 3 * size * size
    # simple ko is enough in playouts, and much faster than superko
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
    """Return the stones that count as captured if the game ends here, as points: chains that playouts mostly take."""
    dead: list[int] = []
    for bound in DEAD_BELOW:
        left = game.without(dead)
        dead += _chains_below(left, ownership(left), bound)
    return dead


def final_score(game: Go) -> str:
    """Return the score if the game ends here, dead stones taken off: `B+3.5`, `W+0.5` or `Draw`."""
    return game.score(dead_stones(game))


def _chains_below(game: Go, owned: NDArray[np.float32], bound: float) -> list[int]:
    """Return the stones of the chains whose points their own colour owns less than this."""
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
            for beside in map(int, neighbours[point, :SIDES]):
                if colour[beside] == colour[first] and beside not in seen:
                    seen.add(beside)
                    chain.append(beside)
        chains.append(chain)
    return chains
