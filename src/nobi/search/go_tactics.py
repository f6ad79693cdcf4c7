"""Small tactics of Go for rollouts and priors: how a stone would breathe, who is in atari, what saves it."""

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import Chains, in_atari, last_liberty
from nobi.board.stones import EMPTY, PASS, SIDES, Stones, as_point, enemy_of
from nobi.compiling import inlined
from nobi.games.go import GoBoards
from nobi.search.room import SPARE

SUICIDE, SELF_ATARI, SAFE = 0, 1, 2
"""What `breath_after` says."""

_OCCUPIED = 8
"""The bits of `Chains.around` above these count the occupied sides."""


@inlined
def as_count(number: int) -> int:
    """A number as the type that compiled code counts in."""
    return np.int64(number)  # type: ignore[return-value]


@inlined
def breath_after(stones: Stones, chains: Chains, point: int, me: int) -> int:
    """Whether a stone here would have no liberty (SUICIDE), one (SELF_ATARI), or more (SAFE; also if it captures).

    The pairs (stone, liberty) of the chain that it would make are those of the chains it joins, less the pairs that
    lead to the point itself, and its own: sums of the packed words, so the test is exact.
    """
    if chains.around[0, point] >> _OCCUPIED <= SIDES - 2:
        return SAFE
    total = as_count(0)
    head0 = head1 = head2 = as_point(PASS)
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        there = stones.colour[0, beside]
        if there == EMPTY:
            total += chains.weight[beside]
        elif there == me:
            head = chains.head[0, beside]
            total -= chains.weight[point]
            if head != head0 and head != head1 and head != head2:
                total += chains.liberties[0, head]
            head2 = head1
            head1 = head0
            head0 = head
        elif there == enemy_of(me) and in_atari(chains.liberties[0, chains.head[0, beside]]):
            return SAFE
    if total == 0:
        return SUICIDE
    return SELF_ATARI if in_atari(total) else SAFE


@inlined
def add_captures_for(boards: GoBoards, chain: int, candidates: NDArray[np.uint16], count: int) -> int:
    """Adds the moves that capture an enemy chain in atari beside the chain of this stone; returns the new count."""
    stones, chains = boards.stones, boards.chains
    enemy = enemy_of(stones.colour[0, chain])
    stone = chain
    while True:
        for k in range(SIDES):
            beside = stones.neighbours[stone, k]
            if stones.colour[0, beside] == enemy:
                liberties = chains.liberties[0, chains.head[0, beside]]
                if in_atari(liberties):
                    point = last_liberty(liberties)
                    if point != boards.ko[0] and count < len(candidates) - SPARE:
                        candidates[count] = point
                        count += 1
        stone = chains.next[0, stone]
        if stone == chain:
            return count


@inlined
def add_rescues(boards: GoBoards, move: int, candidates: NDArray[np.uint16], count: int) -> int:
    """Adds what the latest moves ask for: captures of the chain just played, rescues of chains beside it in atari.

    `move` is a point where a stone of either player was placed lately. Returns the new count.
    """
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    seen0 = seen1 = seen2 = as_point(PASS)
    for k in range(SIDES + 1):
        point = move if k == SIDES else stones.neighbours[move, k]
        there = stones.colour[0, point]
        if there != me and there != enemy_of(me):
            continue
        head = chains.head[0, point]
        liberties = chains.liberties[0, head]
        if not in_atari(liberties) or head == seen0 or head == seen1 or head == seen2:
            continue
        seen2 = seen1
        seen1 = seen0
        seen0 = head
        escape = last_liberty(liberties)
        if there == me:
            count = add_captures_for(boards, point, candidates, count)
            if escape != boards.ko[0] and breath_after(stones, chains, escape, me) == SAFE:
                candidates[count] = escape
                count += 1
        elif escape != boards.ko[0]:
            candidates[count] = escape
            count += 1
    return count
