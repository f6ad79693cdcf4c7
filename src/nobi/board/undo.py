"""Moves that can be taken back: trying things out on a board with chains, for readers of Go.

A trail notes what a move changes: the chains that it joined and those that it captured. Taking the latest move back
restores colours, chains and counts exactly. The list of empty points, the hash and whose turn it is are not
touched: nothing that reads ahead asks for them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import (
    Chains,
    exchange_successors,
    is_enclosed,
    join,
    leave_neighbours,
    meet_neighbours,
    retake_liberties,
)
from nobi.board.stones import EMPTY, PASS, SIDES, Stones, as_point, enemy_of
from nobi.compiling import inlined

MOVES, _JOINS, _CHAINS, _STONES = range(4)


class UndoStack(NamedTuple):
    """The moves tried, the latest last; each kind of note is a pile."""

    height: NDArray[np.int64]
    """[pile] how many moves, joins, captured chains and captured stones are noted."""
    moves: NDArray[np.uint16]
    """[i, 3] the point, how many chains it was joined to, how many it captured."""
    joins: NDArray[np.uint16]
    """[i, 3] the head that stayed, the head that was none any more, and how many stones it had."""
    liberties: NDArray[np.int64]
    """[i] the packed liberties of the chain that was joined to another."""
    chains: NDArray[np.uint16]
    """[i, 2] a captured chain's head and number of stones."""
    stones: NDArray[np.uint16]
    """[i] the captured stones, chain after chain, each in the order of its ring."""


def allocate_trail(size: int, most_moves: int) -> UndoStack:
    """Makes room for so many moves on boards of this size."""
    most_captured = size * size + most_moves  # what stood there, and what was tried
    return UndoStack(
        height=np.zeros(4, np.int64),
        moves=np.zeros((most_moves, 3), np.uint16),
        joins=np.zeros((SIDES * most_moves, 3), np.uint16),
        liberties=np.zeros(SIDES * most_moves, np.int64),
        chains=np.zeros((most_captured, 2), np.uint16),
        stones=np.zeros(most_captured, np.uint16),
    )


@inlined
def play_reversible(stones: Stones, chains: Chains, g: int, trail: UndoStack, point: int, colour: int) -> int:
    """Places a stone that `lives`, captures what it captures, and returns the point that simple ko forbids, or PASS."""
    enemy = enemy_of(colour)
    lone = is_enclosed(chains, g, point, enemy)
    stones.colour[g, point] = colour
    captures = meet_neighbours(stones, chains, g, point, colour)
    joined = 0
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[g, beside] == colour:
            gone = join(chains, g, chains.head[g, point], chains.head[g, beside])
            if gone != PASS:
                i = trail.height[_JOINS]
                trail.joins[i, 0] = chains.head[g, gone]
                trail.joins[i, 1] = gone
                trail.joins[i, 2] = chains.stones[g, gone]
                trail.liberties[i] = chains.liberties[g, gone]
                trail.height[_JOINS] = i + 1
                joined += 1
    captured = 0
    ko = as_point(PASS)
    if captures:
        taken = trail.height[_STONES]
        for k in range(SIDES):
            beside = stones.neighbours[point, k]
            if stones.colour[g, beside] == enemy and chains.liberties[g, chains.head[g, beside]] == 0:
                _lift_chain(stones, chains, g, trail, beside)
                captured += 1
        if lone and trail.height[_STONES] == taken + 1:
            ko = trail.stones[taken]
    i = trail.height[MOVES]
    trail.moves[i, 0] = point
    trail.moves[i, 1] = joined
    trail.moves[i, 2] = captured
    trail.height[MOVES] = i + 1
    return ko


@inlined
def _lift_chain(stones: Stones, chains: Chains, g: int, trail: UndoStack, point: int) -> None:
    colour = stones.colour[g, point]
    first = trail.height[_STONES]
    i = trail.height[_CHAINS]
    trail.chains[i, 0] = chains.head[g, point]
    count = first
    stone = point
    while True:
        trail.stones[count] = stone
        count += 1
        stones.colour[g, stone] = EMPTY
        chains.head[g, stone] = stone
        leave_neighbours(stones, chains, g, stone, colour)
        stone = chains.next[g, stone]
        if stone == point:
            break
    trail.chains[i, 1] = count - first
    trail.height[_CHAINS] = i + 1
    trail.height[_STONES] = count


@inlined
def undo_move(stones: Stones, chains: Chains, g: int, trail: UndoStack) -> None:
    """Undoes the latest move that was tried."""
    i = trail.height[MOVES] - 1
    trail.height[MOVES] = i
    point = trail.moves[i, 0]
    colour = stones.colour[g, point]
    for _ in range(trail.moves[i, 2]):
        _restore_chain(stones, chains, g, trail, enemy_of(colour))
    for _ in range(trail.moves[i, 1]):
        j = trail.height[_JOINS] - 1
        trail.height[_JOINS] = j
        large, small = trail.joins[j, 0], trail.joins[j, 1]
        exchange_successors(chains, g, large, small)
        stone = small
        while True:
            chains.head[g, stone] = small
            stone = chains.next[g, stone]
            if stone == small:
                break
        chains.stones[g, small] = trail.joins[j, 2]
        chains.stones[g, large] -= trail.joins[j, 2]
        chains.liberties[g, small] = trail.liberties[j]
        chains.liberties[g, large] -= trail.liberties[j]
    stones.colour[g, point] = EMPTY
    leave_neighbours(stones, chains, g, point, colour)


@inlined
def _restore_chain(stones: Stones, chains: Chains, g: int, trail: UndoStack, colour: int) -> None:
    """Puts the chain that was captured last back; it had no liberty."""
    i = trail.height[_CHAINS] - 1
    trail.height[_CHAINS] = i
    head = trail.chains[i, 0]
    end = trail.height[_STONES]
    first = end - trail.chains[i, 1]
    trail.height[_STONES] = first
    after = trail.stones[first]
    for j in range(end - 1, first - 1, -1):
        stone = trail.stones[j]
        stones.colour[g, stone] = colour
        chains.head[g, stone] = head
        chains.next[g, stone] = after
        after = stone
        retake_liberties(stones, chains, g, stone, colour)
    chains.stones[g, head] = trail.chains[i, 1]
    chains.liberties[g, head] = 0
