"""Rollouts of Go: tactics and 3x3 patterns near the latest moves, uniformly random moves elsewhere.

In this order (Gelly et al. 2006, section 3): capture, or save a chain from atari, beside the latest moves; a move that
matches a 3x3 pattern beside the latest move; any move that neither fills an eye nor, often, is self-atari. Each rule is
skipped now and then: rollouts that all make the same mistakes estimate badly.

The patterns are shapes around an empty point at which a stone is likely to be good: hane, two kinds of cut, and moves
at the side (Gelly, Wang, Munos & Teytaud, "Modification of UCT with patterns in Monte-Carlo Go", 2006). A diagram is
drawn around the point at its centre:

    X O   stones of the two players, in either assignment
    x o   anything but that player's stone
    .     empty        ?  anything, also the border        #  border

The colours of the eight neighbours of a point, two bits each, are its *code*. It is updated as stones are placed and
removed; `PATTERN` is a table over all 65,536 codes.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import Chains, capture_around, in_atari, is_enclosed, last_liberty, place
from nobi.board.stones import (
    BLACK,
    BORDER,
    EMPTY,
    PASS,
    SIDES,
    WHITE,
    Stones,
    as_point,
    end_turn,
    enemy_of,
    swap_empties,
)
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye
from nobi.search.state import ROOT_MOVE, SPARE, SearchPosition, Workspace
from nobi.streams import below, draw

PATTERNS = {
    "hane around a stone": "XOX ... ???",
    "hane at the head of a stone": "XO. ... ?.?",
    "hane over a wall": "XO? X.. x.?",
    "shoulder move": ".O. X.. ...",
    "cut between unprotected stones": "XO? O.o ?o?",
    "cut that is peeped at": "XO? O.X ???",
    "push through": "?X? O.O ooo",
    "cut of a knight's move": "OX? o.O ???",
    "at the side: chase": "X.? O.? ##?",
    "at the side: block a cut": "OX? X.O ###",
    "at the side: block a connection": "?X? x.O ###",
    "at the side: descend": "?XO x.x ###",
    "at the side: cut": "?OX X.O ###",
}

_MEANING = {
    "X": (BLACK,),
    "O": (WHITE,),
    "x": (EMPTY, WHITE, BORDER),
    "o": (EMPTY, BLACK, BORDER),
    ".": (EMPTY,),
    "?": (EMPTY, BLACK, WHITE, BORDER),
    "#": (BORDER,),
}
_STEPS = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)]
"""(down, right) of the neighbours, in the order of `Stones.neighbours`."""


def _symmetries(square: NDArray[Any]) -> list[NDArray[Any]]:
    turned = [np.rot90(square, k) for k in range(4)]
    return turned + [np.fliplr(one) for one in turned]


def _pattern_table() -> NDArray[np.uint8]:
    """[code] 1 where any pattern matches, with the colours as drawn or exchanged."""
    table = np.zeros(1 << 16, np.uint8)
    for drawn in PATTERNS.values():
        exchanged = drawn.translate(str.maketrans("XOxo", "OXox"))
        for text in (drawn, exchanged):
            for square in _symmetries(np.array([list(row) for row in text.split()])):
                around = [_MEANING[square[1 + down, 1 + right]] for down, right in _STEPS]
                for colours in product(*around):
                    table[sum(colour << 2 * k for k, colour in enumerate(colours))] = 1
    return table


PATTERN = _pattern_table()


def codes_of(stones: Stones, g: int) -> NDArray[np.uint16]:
    """[point] the codes of board g, computed from scratch."""
    around = stones.colour[g][stones.neighbours].astype(np.uint16)
    codes: NDArray[np.uint16] = (around << (2 * np.arange(8, dtype=np.uint16))).sum(axis=1, dtype=np.uint16)
    return codes


@inlined
def add_to_codes(stones: Stones, codes: NDArray[np.uint16], point: int, colour: int) -> None:
    """Update the codes of the neighbours of a point where a stone was placed."""
    for k in range(8):
        # seen from the neighbour, the point lies in the opposite direction k ^ 1
        codes[0, stones.neighbours[point, k]] += np.uint16(colour << (2 * (k ^ 1)))


@inlined
def remove_from_codes(stones: Stones, codes: NDArray[np.uint16], point: int, colour: int) -> None:
    """Update the codes of the neighbours of a point whose stone was removed."""
    for k in range(8):
        codes[0, stones.neighbours[point, k]] -= np.uint16(colour << (2 * (k ^ 1)))


SUICIDE, SELF_ATARI, SAFE = 0, 1, 2
"""The classes of `liberty_class`."""

_OCCUPIED = 8
"""The bits of `Chains.around` above these hold the number of occupied sides."""


@inlined
def as_count(number: int) -> int:
    """A number as a 64-bit integer, the type in which compiled code counts."""
    return np.int64(number)  # type: ignore[return-value]


@inlined
def liberty_class(stones: Stones, chains: Chains, point: int, me: int) -> int:
    """Whether a stone here would have no liberty (SUICIDE), one (SELF_ATARI), or more (SAFE; also if it captures).

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
def add_rescues(boards: GoBoards, move: int, candidates: NDArray[np.uint16], count: int) -> int:
    """Add captures of the chain just played, if it is in atari, and rescues of own chains in atari beside it.

    `move` is one of the latest moves of either player. Return the new count.
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
            if escape != boards.ko[0] and liberty_class(stones, chains, escape, me) == SAFE:
                candidates[count] = escape
                count += 1
        elif escape != boards.ko[0]:
            candidates[count] = escape
            count += 1
    return count


_RESCUE, _PATTERN, _REFUSE, _REFUSE_LOCAL = 230, 243, 128, 230
"""Out of 256: how often the rules for rescues and patterns apply, and how often self-atari is refused."""


@inlined
def _place(position: SearchPosition, move: int) -> None:
    """Play a move of a rollout: as the rules of Go do, but without history and outcome."""
    boards, codes = position.boards, position.codes
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    enemy = enemy_of(me)
    end_turn(stones, 0, move)
    boards.ko[0] = PASS
    lone = is_enclosed(chains, 0, move, enemy)
    captures = place(stones, chains, 0, move, me)
    add_to_codes(stones, codes, move, me)
    if captures:
        before = stones.empties[0]
        captured = capture_around(stones, chains, 0, move, enemy)
        for i in range(before, before + captured):
            remove_from_codes(stones, codes, stones.empty[0, i], enemy)
        if lone and captured == 1:
            boards.ko[0] = stones.empty[0, before]


@inlined
def _choose_locally(position: SearchPosition, workspace: Workspace, bits: np.uint64) -> int:
    """A move that answers the latest ones, or PASS if there is none."""
    boards = position.boards
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    last = stones.last[0]
    candidates = workspace.candidates
    if np.uint8(bits) < _RESCUE:
        count = 0
        for latest in range(2):
            move = last if latest == 0 else position.previous[0]
            if move != PASS:
                count = add_rescues(boards, move, candidates, count)
        if count > 0:
            return candidates[below(workspace.streams, 0, count)]
    if last != PASS and np.uint8(bits >> np.uint64(8)) < _PATTERN:
        count = 0
        for k in range(8):
            point = stones.neighbours[last, k]
            if stones.colour[0, point] == EMPTY and PATTERN[position.codes[0, point]] != 0:
                candidates[count] = point
                count += 1
        while count > 0:
            i = below(workspace.streams, 0, count)
            point = candidates[i]
            if point != boards.ko[0]:
                liberties = liberty_class(stones, chains, point, me)
                if liberties == SAFE or (
                    liberties == SELF_ATARI and np.uint8(draw(workspace.streams, 0) >> np.uint64(32)) >= _REFUSE_LOCAL
                ):
                    return point
            count -= 1
            candidates[i] = candidates[count]
    return as_point(PASS)


@inlined
def _choose_anywhere(position: SearchPosition, workspace: Workspace) -> int:
    """Any move that fills no eye; PASS if there is none."""
    boards = position.boards
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    left = stones.empties[0]
    while left > 0:
        bits = draw(workspace.streams, 0)
        i = np.uint32(((bits >> np.uint64(32)) * np.uint64(left)) >> np.uint64(32))
        point = stones.empty[0, i]
        if point != boards.ko[0]:
            liberties = liberty_class(stones, chains, point, me)
            accepted = liberties == SAFE or (liberties == SELF_ATARI and np.uint8(bits) >= _REFUSE)
            if accepted and not is_own_eye(boards, 0, point):
                return point
        left -= 1
        swap_empties(stones, 0, i, left)  # type: ignore[arg-type]
    return as_point(PASS)


@compiled
def roll_out(position: SearchPosition, workspace: Workspace) -> None:
    """Play until both pass, at most three moves per point of the board.

    `workspace.played` receives who played on each point first.
    """
    boards = position.boards
    stones = boards.stones
    passes = 0
    left = 3 * stones.size * stones.size
    while passes < 2 and left > 0:
        left -= 1
        move = _choose_locally(position, workspace, draw(workspace.streams, 0))
        if move == PASS:
            move = _choose_anywhere(position, workspace)
        me = stones.to_move[0]
        position.previous[0] = stones.last[0]
        if move == PASS:
            passes += 1
            boards.ko[0] = PASS
            end_turn(stones, 0, move)
            continue
        passes = 0
        _place(position, move)
        if workspace.played[move] == EMPTY:
            workspace.played[move] = me


@compiled
def count_area(boards: GoBoards, workspace: Workspace) -> int:
    """Black's area minus White's at the end of a rollout, where empty points are eyes; also counts the owners."""
    stones, chains = boards.stones, boards.chains
    margin = 0
    owned = workspace.owned[workspace.counts[ROOT_MOVE]]
    for point in range(len(owned)):
        there = stones.colour[0, point]
        owned[point] += np.int32(there == BLACK) - np.int32(there == WHITE)
        margin += (there == BLACK) - (there == WHITE)
    for i in range(stones.empties[0]):
        point = stones.empty[0, i]
        black, white = is_enclosed(chains, 0, point, BLACK), is_enclosed(chains, 0, point, WHITE)
        owned[point] += np.int32(black) - np.int32(white)
        margin += black - white
    return margin
