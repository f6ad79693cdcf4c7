"""A small network that evaluates positions: the mean of its outputs over the board is the value for the player to move.

S08 section VI proposes this in addition to the choice of moves. The mean does not depend on the number of points, so
the same network evaluates positions on every board size. The player looks one or two moves ahead: it plays the move
after which the value for the opponent is lowest; with two moves, the opponent's answer is chosen in the same way. Moves
that win or lose at once are not evaluated by the network.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import RUNNING, Boards, cell_tables, points_of
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game, Variant
from nobi.memory import Words, load_board, pack
from nobi.memory import copy_words as copy_board
from nobi.nn.bound import run_pass
from nobi.nn.inputs import show_board
from nobi.nn.lanes import LANES
from nobi.nn.network import Network, Weights
from nobi.players.base import Player
from nobi.streams import Streams, below

legal: Any = UNBOUND  # this and the next three are bound by `_compiled_search`
play: Any = UNBOUND
immediate_outcome: Any = UNBOUND
rate_moves: Any = UNBOUND

CERTAIN = 1e9
"""The value of a won position."""


@dataclass(frozen=True)
class ValueSettings:
    """The depth and the width of the search."""

    depth: int = 1
    """Number of moves to look ahead, 1 or 2."""
    width: int = 8
    """With depth 2, the number of moves whose answers are examined: those that are best one move ahead."""

    def __post_init__(self) -> None:
        if self.depth not in (1, 2):
            raise ValueError(f"depth must be 1 or 2, not {self.depth}")
        if not 1 <= self.width <= 625:
            raise ValueError(f"width must be 1 to 625, not {self.width}")


class ValueWorkspace(NamedTuple):
    """The arrays of the compiled search."""

    network: Any  # the network's workspace, with `x` and `out`
    point_of: NDArray[np.uint16]  # [cell]
    moves: NDArray[np.uint16]  # [ply, i] the moves that are examined
    values: NDArray[np.float64]  # [ply, i] their values for the player who makes them
    shown: NDArray[np.int64]  # [lane] the move i whose position is in this lane


class Level(NamedTuple):
    """A position and a board on which the moves from it are tried."""

    root: Words  # the memory of the position
    words: Words  # the memory of `boards`
    boards: Any


def _rate_moves(level: Level, workspace: ValueWorkspace, ply: int) -> int:
    """Write the moves of a position and their values to `workspace.moves[ply]` and `.values[ply]`; return the count."""
    moves, values = workspace.moves[ply], workspace.values[ply]
    boards = level.boards
    stones = boards.stones
    copy_board(level.root, level.words)
    count = 0
    for i in range(stones.empties[0]):
        move = stones.empty[0, i]
        if legal(boards, 0, move):
            moves[count] = move
            values[count] = CERTAIN * immediate_outcome(boards, 0, move)
            count += 1
    lanes = 0
    for i in range(count):
        if values[i] == 0.0:
            copy_board(level.root, level.words)
            play(boards, 0, moves[i])
            if stones.outcome[0] == RUNNING:  # a draw has the value 0
                show_board(stones, 0, workspace.network.x, lanes, workspace.point_of)
                workspace.shown[lanes] = i
                lanes += 1
        if lanes == LANES or (i == count - 1 and lanes > 0):
            run_pass(workspace.network, lanes)
            for lane in range(lanes):
                total = 0.0
                for cell in range(len(workspace.point_of)):
                    total += workspace.network.out[cell, lane]
                values[workspace.shown[lane]] = -total / len(workspace.point_of)
            lanes = 0
    return count


def _look_ahead(
    first: Level, second: Level, workspace: ValueWorkspace, streams: Streams, g: int, depth: int, width: int
) -> int:
    """Return the best move of the position `first.root`, ties broken at random; `second` is used for the answers."""
    count = rate_moves(first, workspace, 0)
    moves, values = workspace.moves[0], workspace.values[0]
    if depth > 1:
        total = count
        count = min(count, width)
        for rank in range(count):
            best = rank
            for i in range(rank + 1, total):
                if values[i] > values[best]:
                    best = i
            moves[rank], moves[best] = moves[best], moves[rank]
            values[rank], values[best] = values[best], values[rank]
            if values[rank] == CERTAIN:
                return moves[rank]
            if values[rank] > -CERTAIN:
                copy_board(first.root, first.words)
                play(first.boards, 0, moves[rank])
                if first.boards.stones.outcome[0] == RUNNING:
                    copy_board(first.words, second.root)
                    answers = rate_moves(second, workspace, 1)
                    strongest = -CERTAIN
                    for i in range(answers):
                        strongest = max(strongest, workspace.values[1, i])
                    values[rank] = -strongest
    chosen = moves[0]
    highest = values[0]
    ways = 1
    for i in range(1, count):
        if values[i] > highest:
            highest, chosen, ways = values[i], moves[i], 1
        elif values[i] == highest:
            ways += 1
            if below(streams, g, ways) == 0:
                chosen = moves[i]
    return chosen


@cache
def _compiled_search(game: type[Game]) -> Callable[..., int]:
    rules = game.rules
    rate_moves = specialise(
        _rate_moves,
        game.name,
        legal=rules.legal,
        play=rules.play,
        immediate_outcome=rules.immediate_outcome,
    )
    return specialise(_look_ahead, game.name, rate_moves=rate_moves, play=rules.play)


class ValuePlayer(Player):
    """Plays the moves to the positions with the lowest value for the opponent by a small network."""

    name = "value"
    settings_type = ValueSettings
    games = ("atari-go", "gomoku", "pente")

    def __init__(
        self, variant: Variant, network: Network, weights: Weights, settings: ValueSettings | None = None
    ) -> None:
        super().__init__(variant, settings)
        self.network, self.weights = network, weights
        self._search = _compiled_search(variant.game)
        self._local = threading.local()  # the arena's threads share a player, but not its boards

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        if not hasattr(self._local, "state"):
            self._local.state = self._new_state()
        position, first, second, workspace = self._local.state
        for i, g in enumerate(indices):
            load_board(position, boards, int(g))
            depth, width = self.settings.depth, self.settings.width
            moves[i] = self._search(first, second, workspace, streams, int(g), depth, width)

    def _new_state(self) -> tuple[Any, Level, Level, ValueWorkspace]:
        """Return a position, two levels of the search below it, and the arrays of the search."""
        size = self.variant.size
        position, root = pack(self.variant.allocate(1), only_boards=True)
        boards, words = pack(self.variant.allocate(1), only_boards=True)
        others, other_words = pack(self.variant.allocate(1), only_boards=True)
        workspace = ValueWorkspace(
            self.network.bind(self.weights, size),
            cell_tables(size).point_of,
            np.zeros((2, points_of(size)), np.uint16),
            np.zeros((2, points_of(size)), np.float64),
            np.zeros(LANES, np.int64),
        )
        return position, Level(root, words, boards), Level(np.zeros_like(root), other_words, others), workspace
