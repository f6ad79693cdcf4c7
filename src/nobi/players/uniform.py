"""A uniformly random choice among acceptable moves: the core of the random players."""

from typing import Any

from nobi.board.stones import PASS, as_point, swap_empties
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game
from nobi.players.base import Chooser
from nobi.streams import Streams, below

acceptable: Any = UNBOUND  # bound by `uniform_chooser`
may_pass: Any = UNBOUND


def _choose_uniformly(boards: Any, g: int, streams: Streams, room: Any) -> int:  # noqa: ARG001
    """Draws moves until one is acceptable, never the same twice; passes when none is.

    What has been refused is swapped to the end of the list of empty points, out of the range of the next draw:
    every acceptable move is equally likely, and the mean cost is one draw and one test where most are acceptable.
    """
    stones = boards.stones
    left = stones.empties[g]
    passes = 1 if may_pass else 0
    while left + passes > 0:
        i = below(streams, g, left + passes)
        if i == left:
            if acceptable(boards, g, as_point(PASS)):
                return as_point(PASS)
            passes = 0
            continue
        point = stones.empty[g, i]
        if acceptable(boards, g, point):
            return point
        left -= 1
        swap_empties(stones, g, i, left)
    return as_point(PASS)


def uniform_chooser(name: str, game: type[Game], acceptable: Any, *, may_pass: bool) -> Chooser:
    """The compiled choice among the moves for which the compiled `acceptable(boards, g, move)` holds."""
    return specialise(
        _choose_uniformly,
        f"{game.name}_{name}",
        inline=True,
        acceptable=acceptable,
        may_pass=may_pass,
    )
