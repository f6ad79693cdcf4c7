"""Moves that can be undone, for reading ahead on a board with chains.

The undo stack stores what a move changes: the chains that it joined and those that it captured. Undoing the latest move
restores colours, chains and counts exactly. The list of empty points, the hash and the player to move are not updated,
because ladder reading does not need them.
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
    """The moves that can be undone, the latest last: one stack per kind of change."""

    height: NDArray[np.int64]  # [stack] the numbers of moves, joins, captured chains and captured stones
    moves: NDArray[np.uint16]  # [i, 3] the point, the number of chains joined to it, the number of captured chains
    joins: NDArray[np.uint16]  # [i, 3] the head of the joined chain, the former head, the stones of the latter's chain
    liberties: NDArray[np.int64]  # [i] the packed liberties of the former head's chain
    chains: NDArray[np.uint16]  # [i, 2] the head and the number of stones of a captured chain
    stones: NDArray[np.uint16]  # [i] the captured stones, chain by chain, each in the order of its ring


def allocate_undo_stack(size: int, most_moves: int) -> UndoStack:
    """Allocate a stack for `most_moves` moves on boards of this size."""
    most_captured = size * size + most_moves  # the stones on the board, and those of the moves
    return UndoStack(
        height=np.zeros(4, np.int64),
        moves=np.zeros((most_moves, 3), np.uint16),
        joins=np.zeros((SIDES * most_moves, 3), np.uint16),
        liberties=np.zeros(SIDES * most_moves, np.int64),
        chains=np.zeros((most_captured, 2), np.uint16),
        stones=np.zeros(most_captured, np.uint16),
    )


@inlined
def play_reversible(stones: Stones, chains: Chains, g: int, undo: UndoStack, point: int, colour: int) -> int:
    """Play a move that is not suicide, with its captures; return the point that simple ko forbids, or PASS."""
    enemy = enemy_of(colour)
    lone = is_enclosed(chains, g, point, enemy)
    stones.colour[g, point] = colour
    captures = meet_neighbours(stones, chains, g, point, colour)
    joined = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if stones.colour[g, neighbour] == colour:
            gone = join(chains, g, chains.head[g, point], chains.head[g, neighbour])
            if gone != PASS:
                i = undo.height[_JOINS]
                undo.joins[i, 0] = chains.head[g, gone]
                undo.joins[i, 1] = gone
                undo.joins[i, 2] = chains.stones[g, gone]
                undo.liberties[i] = chains.liberties[g, gone]
                undo.height[_JOINS] = i + 1
                joined += 1
    captured = 0
    ko = as_point(PASS)
    if captures:
        taken = undo.height[_STONES]
        for k in range(SIDES):
            neighbour = stones.neighbours[point, k]
            if stones.colour[g, neighbour] == enemy and chains.liberties[g, chains.head[g, neighbour]] == 0:
                _lift_chain(stones, chains, g, undo, neighbour)
                captured += 1
        if lone and undo.height[_STONES] == taken + 1:
            ko = undo.stones[taken]
    i = undo.height[MOVES]
    undo.moves[i, 0] = point
    undo.moves[i, 1] = joined
    undo.moves[i, 2] = captured
    undo.height[MOVES] = i + 1
    return ko


@inlined
def _lift_chain(stones: Stones, chains: Chains, g: int, undo: UndoStack, point: int) -> None:
    colour = stones.colour[g, point]
    first = undo.height[_STONES]
    i = undo.height[_CHAINS]
    undo.chains[i, 0] = chains.head[g, point]
    count = first
    stone = point
    while True:
        undo.stones[count] = stone
        count += 1
        stones.colour[g, stone] = EMPTY
        chains.head[g, stone] = stone
        leave_neighbours(stones, chains, g, stone, colour)
        stone = chains.next[g, stone]
        if stone == point:
            break
    undo.chains[i, 1] = count - first
    undo.height[_CHAINS] = i + 1
    undo.height[_STONES] = count


@inlined
def undo_move(stones: Stones, chains: Chains, g: int, undo: UndoStack) -> None:
    """Undo the latest move."""
    i = undo.height[MOVES] - 1
    undo.height[MOVES] = i
    point = undo.moves[i, 0]
    colour = stones.colour[g, point]
    for _ in range(undo.moves[i, 2]):
        _restore_chain(stones, chains, g, undo, enemy_of(colour))
    for _ in range(undo.moves[i, 1]):
        j = undo.height[_JOINS] - 1
        undo.height[_JOINS] = j
        large, small = undo.joins[j, 0], undo.joins[j, 1]
        exchange_successors(chains, g, large, small)
        stone = small
        while True:
            chains.head[g, stone] = small
            stone = chains.next[g, stone]
            if stone == small:
                break
        chains.stones[g, small] = undo.joins[j, 2]
        chains.stones[g, large] -= undo.joins[j, 2]
        chains.liberties[g, small] = undo.liberties[j]
        chains.liberties[g, large] -= undo.liberties[j]
    stones.colour[g, point] = EMPTY
    leave_neighbours(stones, chains, g, point, colour)


@inlined
def _restore_chain(stones: Stones, chains: Chains, g: int, undo: UndoStack, colour: int) -> None:
    """Restore the chain that was captured last; it had no liberty."""
    i = undo.height[_CHAINS] - 1
    undo.height[_CHAINS] = i
    head = undo.chains[i, 0]
    end = undo.height[_STONES]
    first = end - undo.chains[i, 1]
    undo.height[_STONES] = first
    after = undo.stones[first]
    for j in range(end - 1, first - 1, -1):
        stone = undo.stones[j]
        stones.colour[g, stone] = colour
        chains.head[g, stone] = head
        chains.next[g, stone] = after
        after = stone
        retake_liberties(stones, chains, g, stone, colour)
    chains.stones[g, head] = undo.chains[i, 1]
    chains.liberties[g, head] = 0
