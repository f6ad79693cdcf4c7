"""The state of a search thread: its position, its scratch arrays and the parameters of the search."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.ladders import LadderWorkspace, allocate_ladder_workspace
from nobi.board.stones import Boards, points_of, stride_of
from nobi.compiling import inlined
from nobi.memory import Words, pack
from nobi.search.shapes import ShapeWorkspace, allocate_shape_workspace

MAX_DEPTH = 250
"""Maximum length of a line of moves in the tree."""

DONE, ROOT_MOVE, DEPTH, SELECTIONS = 0, 1, 2, 3
"""Indices into `SearchWorkspace.counts`: the number of playouts, the row of the current one in `owned` and `results`,
the depth of the node that is being expanded, and the number of moves selected in the tree."""

PLY_SHIFT, COLOUR_MASK = 2, 3
"""The bits of `SearchWorkspace.played`: the colour, and above it the ply of the first play."""
_LAST_PLY = (1 << (16 - PLY_SHIFT)) - 1

PLAYOUTS, WINS, SCORED, SCORE, SQUARES = range(5)
"""Columns of `SearchWorkspace.results`: playouts and Black's wins; playouts with a score, their scores and squares.

Row i holds the playouts whose first move is child i of the root, the last row those without a first move. Games without
a score leave the columns of the score at 0."""

SPARE = 16
"""Entries of `SearchWorkspace.candidates` that the loop without a fixed bound leaves free for other loops."""


class RolloutParams(NamedTuple):
    """The parameters of the rollouts of Go; rates are out of 256."""

    self_atari: int  # chains of at least this size put themselves into atari only as nakade; 0: at random, as others
    seki: bool  # whether moves that are self-atari for both players are not played
    other_liberty: bool  # whether the other liberty of a chain is played instead of a rejected self-atari
    throw_in: int  # rate at which a random self-atari of a single stone is played
    two_liberties: int  # rate of the rule for chains with two liberties
    escape: int  # liberties that a chain must gain to escape from an atari
    nakade: int  # rate of the rule for vital points
    ordered: bool  # whether the latest move is answered before the previous one, and captures precede extensions
    previous_patterns: bool  # whether patterns next to the move before the latest one are also played


class Gammas(NamedTuple):
    """The tables of the learnt priors of Go (`nobi.search.gammas`)."""

    pattern: NDArray[np.float32]  # [code] for Black to move
    levels: NDArray[np.float32]  # [offset of the group + level]
    shapes: NDArray[np.uint32]  # [slot] a hash table of shapes (`nobi.search.shapes`)
    shape_gammas: NDArray[np.float32]  # [slot]


class SearchParams(NamedTuple):
    """The parameters of the search that compiled code needs."""

    rave: float  # the number of playouts at which RAVE and real wins have about equal weight (k of the docs)
    explore: float  # weight of the exploration term (c of UCB)
    follow: float  # weight of the network's policy
    expand_after: float  # the number of playouts after which a leaf is expanded
    agreed: bool  # whether two passes are scored by rollouts, with dead stones removed, or with all stones alive
    tactics: float  # factor of the prior knowledge of Go
    rave_near: float  # weight in RAVE of a move that follows the node at once, decreasing to 1 at the end
    rave_skip: int  # every n-th selection ignores RAVE; 0: none does
    skip_explore: float  # weight of the exploration term in these selections
    ladders: bool  # whether ladders are read for the prior knowledge of Go
    atari: float  # prior of moves that give atari
    evaluate_at: int  # playouts at which a node is queued for the network; 0: when it is expanded
    learnt: float  # won playouts of the learnt priors of Go: learnt·√p
    weighted: bool  # whether rollouts choose among patterns by their learnt strength
    bias: float  # weight of the learnt probabilities in the term of the policy, relative to `follow`
    score: float  # share of the score in the result of a rollout of Go
    value: float  # share of the network's value in the result of a playout
    rollouts: RolloutParams
    gammas: Gammas


class SearchPosition(NamedTuple):
    """A position; its arrays are packed, so that it is copied as one block."""

    boards: Any  # the game's state of one board
    codes: NDArray[np.uint16]  # [1, point] the pattern codes of Go; [1, 1] for other games
    previous: NDArray[np.uint16]  # [1] the move before the latest one


class SearchWorkspace(NamedTuple):
    """Scratch arrays of one thread."""

    streams: NDArray[np.uint64]  # [1] the thread's random stream
    counts: NDArray[np.int64]  # [8] DONE: playouts since the root was set; ROOT_MOVE; DEPTH; SELECTIONS
    path: NDArray[np.int32]  # [depth] the nodes of this playout
    movers: NDArray[np.uint8]  # [depth] the player who moved to each node
    moves: NDArray[np.uint16]  # [depth] the moves
    played: NDArray[np.uint16]  # [point] the first player there, from some depth on, and the ply (`first_play`)
    owned: NDArray[np.int32]  # [root move, point] rollouts at the end of which Black owned the point minus White
    results: NDArray[np.float64]  # [root move, 5] sums over playouts, columns PLAYOUTS to SQUARES
    avoided: NDArray[np.int16]  # [colour, move] the depth from which on a player may play a move; 0: everywhere
    values: NDArray[np.float32]  # [child]
    found: NDArray[np.uint16]  # [child] the moves of a node that is being expanded
    visits: NDArray[np.float32]  # [child] the priors of these moves
    wins: NDArray[np.float32]  # [child]
    outcomes: NDArray[np.int8]  # [child]
    distance: NDArray[np.uint8]  # [point] from the latest move
    queue: NDArray[np.uint16]  # [i] the queue of a breadth-first search over points
    candidates: NDArray[np.uint16]  # [i] moves that a rollout chooses from
    ladders: LadderWorkspace
    row: NDArray[np.uint8]  # [point]
    column: NDArray[np.uint8]  # [point]
    levels: NDArray[np.int64]  # [group] the features of a move (`nobi.search.features`)
    shapes: ShapeWorkspace


@inlined
def first_play(colour: int, ply: int) -> int:
    """Return the entry of `SearchWorkspace.played` for a move of this player."""
    return np.uint16(colour | (min(ply, _LAST_PLY) << PLY_SHIFT))  # type: ignore[return-value]


@inlined
def note_result(workspace: SearchWorkspace, black: float) -> None:
    """Count a playout with Black's result."""
    row = workspace.counts[ROOT_MOVE]
    workspace.results[row, PLAYOUTS] += 1.0
    workspace.results[row, WINS] += black


@inlined
def note_score(workspace: SearchWorkspace, score: float) -> None:
    """Count the score of a playout: Black's points minus White's, komi included."""
    row = workspace.counts[ROOT_MOVE]
    workspace.results[row, SCORED] += 1.0
    workspace.results[row, SCORE] += score
    workspace.results[row, SQUARES] += score * score


def new_position(boards: Boards, *, codes: int) -> tuple[SearchPosition, Words]:
    """Return a packed position with the state of one board and `codes` pattern codes, and its memory."""
    return pack(SearchPosition(boards, np.zeros((1, codes), np.uint16), np.zeros(1, np.uint16)), only_boards=True)


def new_workspace(size: int) -> SearchWorkspace:
    """Return the scratch arrays of a thread."""
    points, moves = points_of(size), size * size + 1
    workspace = SearchWorkspace(
        streams=np.zeros(1, np.uint64),
        counts=np.zeros(8, np.int64),
        path=np.zeros(MAX_DEPTH + 2, np.int32),
        movers=np.zeros(MAX_DEPTH + 2, np.uint8),
        moves=np.zeros(MAX_DEPTH + 2, np.uint16),
        played=np.zeros(points, np.uint16),
        owned=np.zeros((moves + 1, points), np.int32),
        results=np.zeros((moves + 1, 5), np.float64),
        avoided=np.zeros((3, points), np.int16),
        values=np.zeros(moves, np.float32),
        found=np.zeros(moves, np.uint16),
        visits=np.zeros(moves, np.float32),
        wins=np.zeros(moves, np.float32),
        outcomes=np.zeros(moves, np.int8),
        distance=np.zeros(points, np.uint8),
        queue=np.zeros(points, np.uint16),
        candidates=np.zeros(2 * points + SPARE, np.uint16),
        ladders=allocate_ladder_workspace(size),
        row=(np.arange(points) // stride_of(size)).astype(np.uint8),
        column=(np.arange(points) % stride_of(size)).astype(np.uint8),
        levels=np.zeros(8, np.int64),
        shapes=allocate_shape_workspace(size),
    )
    return pack(workspace)[0]
