"""What a searching thread works on: its position, its scratch space and the constants of the search."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards, points_of
from nobi.memory import Words, pack

DEEPEST = 250
"""The longest line of moves that is looked at in the tree."""

DONE = 0
"""Where in `Workspace.counts` the playouts are counted."""

SPARE = 16
"""More room for candidates than is filled by the loop that may find many."""


class SearchParams(NamedTuple):
    """The constants of the search that compiled code needs."""

    rave: float
    """The number of playouts at which RAVE and real wins weigh the same, roughly (k of the docs)."""
    explore: float
    """How strongly rarely tried moves are preferred (c of UCB)."""
    follow: float
    """How strongly the network's policy is followed."""
    expand_after: float
    """The number of playouts after which a leaf gets children."""
    agreed: bool
    """Whether two passes are judged by rollouts, dead stones considered, and not by counting all stones as alive."""
    tactics: float
    """What the knowledge of tactics is worth as prior, 1 by default."""
    sparing: int
    """Where a node has many playouts, only every so many-th teaches RAVE."""


class SearchPosition(NamedTuple):
    """A position; its arrays are packed, so that it is copied in one go."""

    boards: Any
    """The game's state of one board."""
    codes: NDArray[np.uint16]
    """[1, point] the pattern codes of Go; [1, 1] elsewhere."""
    previous: NDArray[np.uint16]
    """[1] the move before the latest one."""


class Workspace(NamedTuple):
    """Scratch space of one thread."""

    streams: NDArray[np.uint64]
    """[1] its random stream."""
    counts: NDArray[np.int64]
    """[8] DONE: playouts made since the count was last taken."""
    path: NDArray[np.int32]
    """[depth] the nodes of this playout."""
    movers: NDArray[np.uint8]
    """[depth] who moved to each."""
    moves: NDArray[np.uint16]
    """[depth] by which move."""
    played: NDArray[np.uint8]
    """[point] who played there first, from some depth on."""
    owned: NDArray[np.int32]
    """[point] rollouts that ended with the point black's, less those that ended with it white's."""
    values: NDArray[np.float32]
    """[child]"""
    found: NDArray[np.uint16]
    """[child] moves on their way to the tree."""
    visits: NDArray[np.float32]
    """[child] their prior knowledge."""
    wins: NDArray[np.float32]
    outcomes: NDArray[np.int8]
    near: NDArray[np.uint8]
    """[point] the distance from the latest move."""
    queue: NDArray[np.uint16]
    """[i] points yet to be walked through."""
    candidates: NDArray[np.uint16]
    """[i] moves that a rollout chooses from."""


def new_position(boards: Boards, *, codes: int) -> tuple[SearchPosition, Words]:
    """A packed position around a state of one board, with so many pattern codes."""
    return pack(SearchPosition(boards, np.zeros((1, codes), np.uint16), np.zeros(1, np.uint16)), only_boards=True)


def new_workspace(size: int) -> Workspace:
    """A thread's scratch space."""
    points, cells = points_of(size), size * size + 1
    workspace = Workspace(
        streams=np.zeros(1, np.uint64),
        counts=np.zeros(8, np.int64),
        path=np.zeros(DEEPEST + 2, np.int32),
        movers=np.zeros(DEEPEST + 2, np.uint8),
        moves=np.zeros(DEEPEST + 2, np.uint16),
        played=np.zeros(points, np.uint8),
        owned=np.zeros(points, np.int32),
        values=np.zeros(cells, np.float32),
        found=np.zeros(cells, np.uint16),
        visits=np.zeros(cells, np.float32),
        wins=np.zeros(cells, np.float32),
        outcomes=np.zeros(cells, np.int8),
        near=np.zeros(points, np.uint8),
        queue=np.zeros(points, np.uint16),
        candidates=np.zeros(2 * points + SPARE, np.uint16),
    )
    return pack(workspace)[0]
