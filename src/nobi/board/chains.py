"""Chains of connected stones and their liberties (Go, Atari-Go).

A chain is named by one of its stones, its head. Its liberties are kept as *pseudo-liberties*: every pair of a stone
and an empty neighbour counts, so that placing or lifting a stone is a plain addition, and merging two chains is
one as well. Three sums over those pairs, packed into one word, tell all that the rules ask:

    count of pairs    bits 50…62    ≤ 1,248         (25x25: at most 4 · 312 pairs)
    Σ point           bits 30…49    ≤ 842,400
    Σ point²          bits  0…29    ≤ 568,620,000

A word of zero is a captured chain. All pairs lead to the same point, an atari, if and only if
count · Σ point² = (Σ point)² (Cauchy–Schwarz), and the last liberty is then Σ point / count.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import inlined
from nobi.board.stones import BORDER, EMPTY, SIDES, Stones, enemy_of, lift, points_of, put

_COUNT, _SUM = 50, 30
_SUM_MASK, _SQUARE_MASK = (1 << 20) - 1, (1 << 30) - 1


class Chains(NamedTuple):
    """The chains of boards g."""

    weight: NDArray[np.int64]
    """[point] what one pair that leads to this point adds to a chain's liberties."""
    head: NDArray[np.uint16]
    """[g, point] the head of a stone's chain."""
    next: NDArray[np.uint16]
    """[g, point] the next stone of the chain, in a ring."""
    stones: NDArray[np.uint16]
    """[g, head] how many stones the chain has."""
    liberties: NDArray[np.int64]
    """[g, head] the three packed sums."""


def allocate_chains(boards: int, size: int) -> Chains:
    """Makes room for the chains of so many boards; an empty board needs no clearing of it."""
    points = points_of(size)
    point = np.arange(points, dtype=np.int64)
    return Chains(
        weight=(1 << _COUNT) + (point << _SUM) + point**2,
        head=np.zeros((boards, points), np.uint16),
        next=np.zeros((boards, points), np.uint16),
        stones=np.zeros((boards, points), np.uint16),
        liberties=np.zeros((boards, points), np.int64),
    )


@inlined
def in_atari(liberties: int) -> bool:
    """Whether these packed liberties are all one point."""
    total = (liberties >> _SUM) & _SUM_MASK
    return (liberties >> _COUNT) * (liberties & _SQUARE_MASK) == total * total


@inlined
def last_liberty(liberties: int) -> int:
    """The one liberty of a chain in atari."""
    point = ((liberties >> _SUM) & _SUM_MASK) // (liberties >> _COUNT)
    return np.uint16(point)  # type: ignore[return-value]


@inlined
def place(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> None:
    """Places a stone and joins it to its neighbours; captures nothing, even where no liberty is left."""
    put(stones, g, point, colour)
    chains.head[g, point] = point
    chains.next[g, point] = point
    chains.stones[g, point] = 1
    own = np.int64(0)
    weight = chains.weight[point]
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        there = stones.colour[g, beside]
        if there == EMPTY:
            own += chains.weight[beside]
        elif there != BORDER:
            chains.liberties[g, chains.head[g, beside]] -= weight
    chains.liberties[g, point] = own
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[g, beside] == colour:
            _join(chains, g, chains.head[g, point], chains.head[g, beside])


@inlined
def _join(chains: Chains, g: int, one: int, other: int) -> None:
    """Makes two chains one; the stones of the smaller get the larger's head."""
    if one == other:
        return
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
    after = chains.next[g, large]  # two rings with exchanged successors are one ring
    chains.next[g, large] = chains.next[g, small]
    chains.next[g, small] = after


@inlined
def capture_around(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> int:
    """Takes off the chains of this colour beside the point that have no liberty; returns the number of stones."""
    captured = 0
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        # one `&` instead of `and`: the whole is rarely true, its first half often
        if (stones.colour[g, beside] == colour) & (chains.liberties[g, chains.head[g, beside]] == 0):
            captured += remove_chain(stones, chains, g, beside)
    return captured


@inlined
def remove_chain(stones: Stones, chains: Chains, g: int, point: int) -> int:
    """Takes off the chain of the stone at this point; returns the number of its stones."""
    enemy = enemy_of(stones.colour[g, point])
    removed = 0
    stone = point
    while True:
        lift(stones, g, stone)
        weight = chains.weight[stone]
        for k in range(SIDES):
            beside = stones.neighbours[stone, k]
            if stones.colour[g, beside] == enemy:
                chains.liberties[g, chains.head[g, beside]] += weight
        removed += 1
        stone = chains.next[g, stone]
        if stone == point:
            return removed


@inlined
def breathes(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> bool:
    """Whether a stone of this colour at an empty point, capturing nothing, would have a liberty."""
    for k in range(SIDES):
        if stones.colour[g, stones.neighbours[point, k]] == EMPTY:
            return True
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[g, beside] == colour and not in_atari(chains.liberties[g, chains.head[g, beside]]):
            return True
    return False


@inlined
def would_capture(stones: Stones, chains: Chains, g: int, point: int, colour: int) -> int:
    """How many enemy stones a stone of this colour at an empty point would capture."""
    captured = 0
    enemy = enemy_of(colour)
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[g, beside] == enemy:
            head = chains.head[g, beside]
            if in_atari(chains.liberties[g, head]) and not _seen_before(stones, chains, g, point, k, head):
                captured += chains.stones[g, head]
    return captured


@inlined
def _seen_before(stones: Stones, chains: Chains, g: int, point: int, side: int, head: int) -> bool:
    """Whether one of the first `side` neighbours is a stone of this chain."""
    colour = stones.colour[g, head]
    for k in range(side):
        beside = stones.neighbours[point, k]
        if stones.colour[g, beside] == colour and chains.head[g, beside] == head:
            return True
    return False
