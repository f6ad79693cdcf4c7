"""Tactics of single moves in Go, for rollouts and priors: self-atari, rescues, chains with two liberties, nakade.

All functions work on board 0 and read only the packed liberties and counts of `nobi.board.chains`.
"""

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import (
    COUNT_SHIFT,
    Chains,
    any_liberty,
    free_sides,
    in_atari,
    last_liberty,
    touching,
    without_liberty,
)
from nobi.board.stones import EMPTY, PASS, SIDES, Stones, as_point, enemy_of
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye
from nobi.search.state import SPARE, RolloutParams

SUICIDE, SELF_ATARI, SAFE = 0, 1, 2
"""The classes of `liberty_class`."""

_OCCUPIED = 8
"""The bits of `Chains.around` above these hold the number of occupied sides."""


@inlined
def as_count(number: int) -> int:
    """Return a number as a 64-bit integer, the type in which compiled code counts."""
    return np.int64(number)  # type: ignore[return-value]


@inlined
def liberty_class(stones: Stones, chains: Chains, point: int, me: int) -> int:
    """Return whether a stone here would have no liberty (SUICIDE), one (SELF_ATARI), or more (SAFE; also if it
    captures).

    The pairs (stone, liberty) of the new chain are those of the chains that it joins, minus the pairs that lead to the
    point itself, plus its own: sums of the packed words, so the test is exact.
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
    """Add the moves that capture an enemy chain in atari beside the chain of this stone; return the new count."""
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
def add_rescues(boards: GoBoards, move: int, candidates: NDArray[np.uint16], count: int, ordered: bool) -> int:
    """Add captures of the chain just played, if it is in atari, and rescues of own chains in atari beside it.

    `move` is one of the latest moves of either player. With `ordered`, a chain that is saved by capturing is not
    extended. Return the new count.
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
            before = count
            count = add_captures_for(boards, point, candidates, count)
            if ordered and count > before:
                continue
            if escape != boards.ko[0] and liberty_class(stones, chains, escape, me) == SAFE:
                candidates[count] = escape
                count += 1
        elif escape != boards.ko[0]:
            candidates[count] = escape
            count += 1
    return count


@inlined
def joined_chain(stones: Stones, chains: Chains, point: int, me: int) -> tuple[int, int]:
    """Packed liberties and number of stones of the chain that a stone here would belong to; captures are ignored."""
    total = as_count(0)
    size = as_count(1)
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
                size += chains.stones[0, head]
            head2 = head1
            head1 = head0
            head0 = head
    return total, size


LARGEST_NAKADE = 6
"""The largest eye space in which one move can prevent two eyes."""


@inlined
def is_nakade_shape(size: int, edges: int, most: int) -> bool:
    """Return whether a connected shape is one that leaves the opponent a single eye when it is captured.

    Args:
        size: number of points.
        edges: pairs of adjacent points.
        most: the largest number of neighbours of a point within the shape.
    """
    if size == 3:
        return True
    if size == 4:
        return most == 3 or edges == 4  # T and square
    if size == 5:
        return most == 4 or edges == 5  # cross and bulky five
    return size == 6 and most == 4 and edges == 6  # rabbity six


@inlined
def _fills_nakade(stones: Stones, chains: Chains, point: int, me: int, size: int, last: int) -> bool:
    """Return whether a self-atari makes a nakade shape inside an eye space whose only other empty point is `last`."""
    if size > LARGEST_NAKADE or touching(chains, 0, last, enemy_of(me)) == 0:
        return False
    empties = free_sides(chains, 0, last)
    for k in range(SIDES):
        empties -= stones.neighbours[last, k] == point
    if empties > 0:
        return False
    most = touching(chains, 0, point, me)
    degrees = as_count(most)
    head0 = head1 = head2 = as_point(PASS)
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[0, beside] != me:
            continue
        head = chains.head[0, beside]
        if head != head0 and head != head1 and head != head2:
            stone = beside
            while True:
                degree = touching(chains, 0, stone, me)
                for j in range(SIDES):
                    degree += stones.neighbours[stone, j] == point
                degrees += degree
                most = max(most, degree)
                stone = chains.next[0, stone]
                if stone == beside:
                    break
        head2 = head1
        head1 = head0
        head0 = head
    return is_nakade_shape(size, degrees // 2, most)


SEKI_STONES = 3
"""The least number of stones of both chains of a seki that rollouts recognise."""


@compiled
def settle_self_atari(boards: GoBoards, point: int, params: RolloutParams, accepted: bool, throws_in: bool) -> int:
    """Return the move to play instead of a self-atari at this point: itself, the chain's other liberty, or PASS.

    Chains of `params.self_atari` stones or more put themselves into atari only as nakade. With `params.seki`, so do
    chains of `SEKI_STONES` where the point is self-atari for the opponent as well: whoever plays first there loses a
    chain.

    Args:
        boards: the position.
        point: a legal move that leaves its chain one liberty and captures nothing.
        params: of the rollouts.
        accepted: whether any other self-atari is played.
        throws_in: the same for a single stone.
    """
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    liberties, size = joined_chain(stones, chains, point, me)
    other = last_liberty(liberties)
    refused = params.self_atari > 0 and size >= params.self_atari
    if params.seki and size >= SEKI_STONES and liberty_class(stones, chains, point, enemy_of(me)) == SELF_ATARI:
        refused |= joined_chain(stones, chains, point, enemy_of(me))[1] >= SEKI_STONES
    if refused:
        if _fills_nakade(stones, chains, point, me, size, other):
            return point
    elif throws_in if size == 1 else accepted:
        return point
    if (
        params.other_liberty
        and size > 1
        and other != boards.ko[0]
        and liberty_class(stones, chains, other, me) == SAFE
        and not is_own_eye(boards, 0, other)
    ):
        return other
    return as_point(PASS)


_MOST_PAIRS = 8
"""The largest number of pseudo-liberties of a chain with two liberties: four stones at each."""
_GAIN = 2
"""New liberties for which a chain with two liberties is extended before it is attacked."""


@inlined
def _liberties_gained(stones: Stones, chains: Chains, head: int, point: int, other: int) -> int:
    """Return the liberties that a chain with the liberties `point` and `other` gains by a stone at `point`, about."""
    owner = stones.colour[0, head]
    gained = as_count(0)
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        there = stones.colour[0, beside]
        if there == EMPTY:
            gained += beside != other
        elif there == owner:
            friend = chains.head[0, beside]
            if friend != head:
                rest = without_liberty(stones, chains, 0, friend, point)
                gained += (rest != 0) + (not in_atari(rest))
        elif there == enemy_of(owner) and in_atari(chains.liberties[0, chains.head[0, beside]]):
            gained += _GAIN
    return gained


@inlined
def add_two_liberty_moves(boards: GoBoards, move: int, candidates: NDArray[np.uint16], escape: int) -> int:
    """List moves that attack the chain of the latest move, or defend own chains beside it, with two liberties each.

    A chain escapes from an atari at one liberty by extending at the other if it gains `escape` liberties there: with 3
    it is out of reach, with 2 it may be in a ladder. If it escapes at both, it is safe for now. Otherwise the liberty
    where it gains more is the vital point for both players; its owner plays there only for `_GAIN` liberties. Return
    the number of moves.

    Cost: one test of the packed count for most chains; for the others a walk to the first liberty, usually beside the
    move, and two loops over the sides of the liberties.
    """
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    count = 0
    seen0 = seen1 = as_point(PASS)
    for k in range(SIDES + 1):
        point = move if k == SIDES else stones.neighbours[move, k]
        there = stones.colour[0, point]
        if there != me and (k < SIDES or there == EMPTY):
            continue
        head = chains.head[0, point]
        liberties = chains.liberties[0, head]
        if liberties >> COUNT_SHIFT > _MOST_PAIRS or in_atari(liberties) or head == seen0 or head == seen1:
            continue
        seen1 = seen0
        seen0 = head
        one = any_liberty(stones, chains, 0, head, point)
        rest = without_liberty(stones, chains, 0, head, one)
        if not in_atari(rest):
            continue
        other = last_liberty(rest)
        first = _liberties_gained(stones, chains, head, one, other)
        second = _liberties_gained(stones, chains, head, other, one)
        if first >= escape and second >= escape:
            continue
        best = one if first >= second else other
        if there == me and max(first, second) < _GAIN:
            continue
        if best != boards.ko[0] and liberty_class(stones, chains, best, me) == SAFE:
            candidates[count] = best
            count += 1
    return count


@inlined
def vital_point(boards: GoBoards, move: int, region: NDArray[np.uint16]) -> int:
    """Return the vital point of an eye space of 3 to 6 points beside the opponent's latest move, or PASS.

    Cost: a comparison for each side of the move, then up to six points of an eye space with four sides each; the search
    ends at the first own stone or at the seventh point. `region` is scratch memory.
    """
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    for k in range(SIDES):
        start = stones.neighbours[move, k]
        if stones.colour[0, start] != EMPTY or free_sides(chains, 0, start) > 2 or touching(chains, 0, start, me) > 0:
            continue  # open areas, which are most, end here
        region[0] = start
        size = 1
        done = 0
        degrees = most = as_count(0)
        vital = start
        while done < size:
            point = region[done]
            done += 1
            degree = as_count(0)
            for j in range(SIDES):
                beside = stones.neighbours[point, j]
                if stones.colour[0, beside] != EMPTY:
                    continue
                degree += 1
                known = False
                for i in range(size):
                    known |= region[i] == beside
                if not known:
                    if size == LARGEST_NAKADE or touching(chains, 0, beside, me) > 0:
                        size = 0
                        break
                    region[size] = beside
                    size += 1
            degrees += degree
            if degree > most:
                most = degree
                vital = point
        if size >= 3 and is_nakade_shape(size, degrees // 2, most) and not (size == 4 and most == 2):
            return vital
    return as_point(PASS)
