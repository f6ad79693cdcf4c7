"""Chains of connected stones and their liberties (Go, Atari-Go).

A chain is identified by one of its stones, its head. Its liberties are stored as *pseudo-liberties*: each pair of a
stone and an empty neighbour counts as one, so that placing a stone, removing a stone and merging chains are additions.
Three sums over these pairs, packed into one word, answer all questions of the rules:

    count of pairs    bits 50…62    ≤ 1,248         (25x25: at most 4 · 312 pairs)
    Σ point           bits 30…49    ≤ 842,400
    Σ point²          bits  0…29    ≤ 568,620,000

The word is zero if the chain has no liberty. The chain is in atari, that is, all pairs have the same empty point, if
and only if count · Σ point² = (Σ point)² (Cauchy–Schwarz); the last liberty is then Σ point / count.

For every point, the numbers of black, white and occupied neighbours are stored as well, four bits each; the border
counts as all three. Whether a point has an empty neighbour, or is an eye, is then one comparison.

A mispredicted branch costs more than ten additions, and the colours of stones are hard to predict. The updates of a
point's four neighbours therefore have no branches. An empty point or a border point is its own head, and the liberties
that are added to such a "chain" are never read.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import (
    BLACK,
    BORDER,
    EMPTY,
    PASS,
    SIDES,
    WHITE,
    Stones,
    as_point,
    board_points,
    enemy_of,
    lift,
    points_of,
    put,
)
from nobi.board.text import vertex_name
from nobi.compiling import compiled, inlined
from nobi.errors import NobiError
from nobi.memory import zeros

COUNT_SHIFT = _COUNT = 50
"""The bit of the packed liberties at which the number of pairs begins."""
_SUM = 30
_SUM_MASK, _SQUARE_MASK = (1 << 20) - 1, (1 << 30) - 1

_ONE = (0, 0x101, 0x110)
"""[colour] the contribution of one stone to the counts of its neighbours: 0x(occupied)(white)(black)."""
_ALL_OCCUPIED = 0x400


class Chains(NamedTuple):
    """The chains of boards g."""

    weight: NDArray[np.int64]  # [point] the contribution of a pair with this empty point to the packed sums
    head: NDArray[np.uint16]  # [g, point] the head of a stone's chain; every other point is its own
    next: NDArray[np.uint16]  # [g, point] the next stone of the chain, in a ring
    stones: NDArray[np.uint16]  # [g, head] the number of stones of the chain
    liberties: NDArray[np.int64]  # [g, head] the three packed sums
    around: NDArray[np.uint16]  # [g, point] the three packed counts of the point's neighbours
    edges: NDArray[np.uint16]  # [point] the value of `around` on an empty board


@cache
def _tables(size: int) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """Return the weights and edges of a size; all boards share them, and they are never written to."""
    point = np.arange(points_of(size), dtype=np.int64)
    weight = (1 << _COUNT) + (point << _SUM) + point**2
    edges = np.zeros(points_of(size), np.uint16)
    row, column = np.divmod(np.arange(size * size), size)
    sides = (row == 0).astype(np.uint16) + (row == size - 1) + (column == 0) + (column == size - 1)
    edges[board_points(size)] = sides * (_ONE[BLACK] | _ONE[WHITE])
    return weight, edges


def allocate_chains(boards: int, size: int) -> Chains:
    """Allocate the chains of a number of boards."""
    points = points_of(size)
    weight, edges = _tables(size)
    return Chains(
        weight=weight,
        head=zeros((boards, points), np.uint16),
        next=zeros((boards, points), np.uint16),
        stones=zeros((boards, points), np.uint16),
        liberties=zeros((boards, points), np.int64),
        around=zeros((boards, points), np.uint16),
        edges=edges,
    )


@inlined
def clear_chains(chains: Chains, g: int) -> None:
    """Initialise the empty board g."""
    for point in range(chains.head.shape[1]):
        chains.head[g, point] = point
        chains.around[g, point] = chains.edges[point]


@inlined
def is_open(chains: Chains, g: int, point: int) -> bool:
    """Return whether the point has an empty neighbour."""
    return chains.around[g, point] < _ALL_OCCUPIED


@inlined
def is_alone(chains: Chains, g: int, point: int) -> bool:
    """Return whether no neighbour of the point is a stone."""
    return chains.around[g, point] == chains.edges[point]


@inlined
def free_sides(chains: Chains, g: int, point: int) -> int:
    """Return the number of empty neighbours of the point."""
    return SIDES - (chains.around[g, point] >> 8)


@inlined
def is_enclosed(chains: Chains, g: int, point: int, colour: int) -> bool:
    """Return whether all neighbours of the point are stones of this colour or border."""
    around = chains.around[g, point]
    return ((around if colour == BLACK else around >> 4) & 15) == SIDES


@inlined
def in_atari(liberties: int) -> bool:
    """Return whether these packed liberties are those of a chain in atari."""
    total = (liberties >> _SUM) & _SUM_MASK
    return (liberties >> _COUNT) * (liberties & _SQUARE_MASK) == total * total


@inlined
def last_liberty(liberties: int) -> int:
    """Return the only liberty of a chain in atari."""
    return as_point(((liberties >> _SUM) & _SUM_MASK) // (liberties >> _COUNT))


@inlined
def without_liberty(stones: Stones, chains: Chains, g: int, head: int, point: int) -> int:
    """Return the packed liberties of a chain without one of its liberties.

    The result is `in_atari` if the chain has two liberties, and zero if it has one.
    """
    liberties = chains.liberties[g, head]
    for k in range(SIDES):
        liberties -= chains.weight[point] * (chains.head[g, stones.neighbours[point, k]] == head)
    return liberties


@inlined
def any_liberty(stones: Stones, chains: Chains, g: int, head: int, stone: int) -> int:
    """Return a liberty of the chain, preferably next to this stone if it belongs to the chain."""
    if chains.head[g, stone] != head:
        stone = head
    while True:
        for k in range(SIDES):
            neighbour = stones.neighbours[stone, k]
            if stones.colour[g, neighbour] == EMPTY:
                return neighbour
        stone = chains.next[g, stone]


@inlined
def touching(chains: Chains, g: int, point: int, colour: int) -> int:
    """Return the number of neighbours of the point with a stone of this colour."""
    around = chains.around[g, point] - chains.edges[point]
    return (around if colour == BLACK else around >> 4) & 15


@inlined
def place(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> bool:
    """Place a stone and join it to its neighbours, without captures.

    Return whether an enemy chain has lost its last liberty.
    """
    put(stones, g, point, colour)
    captures = meet_neighbours(stones, chains, g, point, colour)
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if stones.colour[g, neighbour] == colour:
            join(chains, g, chains.head[g, point], chains.head[g, neighbour])
    return captures


@inlined
def meet_neighbours(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> bool:
    """Make a stone that was just placed a separate chain, and remove a liberty from its neighbours.

    Return whether an enemy chain has lost its last liberty.
    """
    chains.next[g, point] = point
    chains.stones[g, point] = 1
    enemy = enemy_of(colour)
    one = np.uint16(_ONE[BLACK] if colour == BLACK else _ONE[WHITE])
    weight = chains.weight[point]
    own = np.int64(0)
    captures = False
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        there = stones.colour[g, neighbour]
        head = chains.head[g, neighbour]
        left = chains.liberties[g, head] - weight
        chains.liberties[g, head] = left
        chains.around[g, neighbour] += one
        own += chains.weight[neighbour] * (there == EMPTY)
        captures |= (left == 0) & (there == enemy)
    chains.liberties[g, point] = own
    return captures


@inlined
def leave_neighbours(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> None:
    """Add a liberty to the neighbours of a stone that is removed."""
    one = np.uint16(_ONE[BLACK] if colour == BLACK else _ONE[WHITE])
    weight = chains.weight[point]
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        chains.around[g, neighbour] -= one
        chains.liberties[g, chains.head[g, neighbour]] += weight


@inlined
def retake_liberties(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> None:
    """Remove a liberty from the neighbours of a stone that is restored."""
    one = np.uint16(_ONE[BLACK] if colour == BLACK else _ONE[WHITE])
    weight = chains.weight[point]
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        chains.around[g, neighbour] += one
        chains.liberties[g, chains.head[g, neighbour]] -= weight


@inlined
def join(chains: Chains, g: int, one: int, other: int) -> int:
    """Join two chains; the stones of the smaller one get the head of the larger. Returns the former head, or PASS."""
    if one == other:
        return as_point(PASS)
    large, small = one, other
    if chains.stones[g, one] < chains.stones[g, other]:
        large, small = other, one
    chains.liberties[g, large] += chains.liberties[g, small]
    chains.stones[g, large] += chains.stones[g, small]
    stone = small
    while True:
        chains.head[g, stone] = large
        stone = chains.next[g, stone]
        if stone == small:
            break
    exchange_successors(chains, g, large, small)
    return small


@inlined
def exchange_successors(chains: Chains, g: int, one: int, other: int) -> None:
    """Join the rings of two stones, or split the ring of both into two."""
    after = chains.next[g, one]
    chains.next[g, one] = chains.next[g, other]
    chains.next[g, other] = after


@inlined
def capture_around(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> int:
    """Remove the neighbouring chains of this colour without liberties; return the number of stones."""
    captured = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if stones.colour[g, neighbour] == colour and chains.liberties[g, chains.head[g, neighbour]] == 0:
            captured += remove_chain(stones, chains, g, neighbour)
    return captured


@compiled
def remove_chain(stones: Stones, chains: Chains, g: int, point: int) -> int:
    """Remove the chain of the stone at this point; return the number of its stones."""
    colour = stones.colour[g, point]
    removed = 0
    stone = point
    while True:
        lift(stones, g, stone)
        chains.head[g, stone] = stone
        leave_neighbours(stones, chains, g, stone, colour)
        removed += 1
        stone = chains.next[g, stone]
        if stone == point:
            return removed


@inlined
def has_liberty_after(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> bool:
    """Return whether a stone of this colour at an empty point would have a liberty without capturing."""
    if is_open(chains, g, point):
        return True
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        if stones.colour[g, neighbour] == colour and not in_atari(chains.liberties[g, chains.head[g, neighbour]]):
            return True
    return False


@inlined
def is_not_suicide(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> bool:
    """Return whether a stone of this colour at an empty point would have a liberty after captures."""
    if is_open(chains, g, point):
        return True
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        there = stones.colour[g, neighbour]
        # an own chain with a second liberty, or an enemy chain without one
        if there != BORDER and (there == colour) != in_atari(chains.liberties[g, chains.head[g, neighbour]]):
            return True
    return False


@inlined
def is_captured_by(stones: Stones, chains: Chains, g: int, point: int, side: int, colour: int) -> bool:
    """Return whether the neighbour on this side belongs to a chain of this colour whose last liberty is the point.

    True for only one side per chain, so that a loop over the sides counts every chain once.
    """
    neighbour = stones.neighbours[point, side]
    if stones.colour[g, neighbour] != colour:
        return False
    head = chains.head[g, neighbour]
    if not in_atari(chains.liberties[g, head]):
        return False
    for k in range(side):
        if chains.head[g, stones.neighbours[point, k]] == head:
            return False
    return True


@inlined
def would_capture(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> int:
    """Return the number of enemy stones that a stone of this colour at an empty point would capture."""
    captured = 0
    for k in range(SIDES):
        if is_captured_by(stones, chains, g, point, k, enemy_of(colour)):
            captured += chains.stones[g, chains.head[g, stones.neighbours[point, k]]]
    return captured


def require_liberties(stones: Stones, chains: Chains) -> None:
    """Raise a NobiError if stones of a set-up position on board 0 have no liberty."""
    points = board_points(stones.size)
    placed = points[stones.colour[0, points] != EMPTY]
    without = placed[chains.liberties[0, chains.head[0, placed]] == 0]
    if len(without):
        raise NobiError(f"The stones at {vertex_name(int(without[0]), stones.size)} are set up without a liberty.")
