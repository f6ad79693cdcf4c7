"""Nodes as the network sees them: lines of moves replayed from the root, many in one compiled call."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import WHITE, board_points, enemy_of
from nobi.compiling import UNBOUND, specialise
from nobi.features.base import Table, rank_code
from nobi.features.codes import RECENT, allocate_codes, write_codes, write_planes
from nobi.features.codes import Room as CodeRoom
from nobi.features.position import latest_of
from nobi.games.base import Game, Variant
from nobi.search.packing import Words, copy_words
from nobi.search.policy import PLAYS_AS, Policy, Positions
from nobi.search.room import Scene

play: Any = UNBOUND  # this one and the next are bound by `_compiled_views`
replay: Any = UNBOUND

Lines = NDArray[np.uint16]
"""[i, move] the moves from the root to node i; `depths`, int32[i], tells how many."""


def _replay(root: Words, words: Words, scene: Scene, line: NDArray[np.uint16], depth: int) -> None:
    """Plays a line from the root."""
    copy_words(root, words)
    for i in range(depth):
        play(scene.boards, 0, line[i])


def _view_stones(
    root: Words,
    words: Words,
    scene: Scene,
    lines: Lines,
    depths: NDArray[np.int32],
    planes: NDArray[np.uint8],
    to_move: NDArray[np.uint8],
    point_of: NDArray[np.uint16],
) -> None:
    """Writes planes[i, 0, cell], the own stones of the player to move, and planes[i, 1, cell], the enemy's."""
    stones = scene.boards.stones
    for i in range(len(depths)):
        replay(root, words, scene, lines[i], depths[i])
        me = stones.to_move[0]
        to_move[i] = me
        for cell in range(len(point_of)):
            there = stones.colour[0, point_of[cell]]
            planes[i, 0, cell] = there == me
            planes[i, 1, cell] = there == enemy_of(me)


def _view_planes(
    root: Words,
    words: Words,
    scene: Scene,
    lines: Lines,
    depths: NDArray[np.int32],
    planes: NDArray[np.float32],
    to_move: NDArray[np.uint8],
    codes: CodeRoom,
    table: Table,
    before: NDArray[np.uint16],
    recent: NDArray[np.uint16],
    rank: int,
) -> None:
    """Writes planes[i, plane, cell].

    `before` are the latest moves at the root, the latest first; `recent` is room for those of a node.
    """
    for i in range(len(depths)):
        replay(root, words, scene, lines[i], depths[i])
        to_move[i] = scene.boards.stones.to_move[0]
        for turn in range(len(recent)):
            recent[turn] = lines[i, depths[i] - 1 - turn] if turn < depths[i] else before[turn - depths[i]]
        write_codes(scene.boards, 0, codes, table.wanted, 0, recent, rank, scene.boards.komi)
        write_planes(codes.codes, table, planes, i)


@cache
def _compiled_views(game: type[Game], planes: bool) -> Callable[..., None]:
    line = specialise(_replay, game.name, play=game.rules.play)
    return specialise(_view_planes if planes else _view_stones, game.name, replay=line)


class Views:
    """Makes positions for a policy of what waits below one root."""

    def __init__(self, variant: Variant, policy: Policy) -> None:
        self._size = variant.size
        self._planes = policy.planes
        self._look = _compiled_views(variant.game, self._planes is not None)
        self._point_of = board_points(variant.size).astype(np.uint16)
        self._codes = allocate_codes(variant.size)
        self._recent = np.empty(RECENT, np.uint16)

    def set_root(self, moves: Sequence[int], scene: Scene, root: Words, words: Words) -> None:
        """Tells the root position: the moves that led to it, and its memory `root`.

        `scene`, whose memory is `words`, is a board to replay lines on.
        """
        self._before = latest_of(moves)
        self._memory = root, words, scene

    def positions(self, lines: Lines, depths: NDArray[np.int32]) -> Positions:
        """The positions to which lines of moves lead."""
        count, cells = len(depths), self._size**2
        to_move = np.empty(count, np.uint8)
        if self._planes is None:
            planes = np.empty((count, 2, cells), np.uint8)
            self._look(*self._memory, lines, depths, planes, to_move, self._point_of)
        else:
            planes = np.empty((count, self._planes.count, cells), np.float32)
            table, rank = self._planes.table, rank_code(PLAYS_AS)
            how = self._codes, table, self._before, self._recent, rank
            self._look(*self._memory, lines, depths, planes, to_move, *how)
        return Positions(planes.reshape(count, -1, self._size, self._size), to_move == WHITE)
