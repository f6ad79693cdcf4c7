"""Rollouts of Go: tactics and 3x3 patterns near the latest moves, uniformly random moves elsewhere.

The rules, by priority: capture, or save a chain from atari, next to the latest moves; play the vital point of an eye
space next to the latest move; attack or defend chains with two liberties there; play a move next to it that matches a
3x3 pattern; play any move that fills no own eye. A move that would put its own chain into atari is replaced by the
chain's other liberty or rejected, depending on the size of the chain. Each rule is skipped at random, since rollouts
with identical mistakes give biased estimates.
"""

import numpy as np

from nobi.board.chains import capture_around, is_enclosed, place
from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, as_point, end_turn, enemy_of, swap_empties
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye
from nobi.search.patterns import PATTERN, add_to_codes, remove_from_codes, seen_by
from nobi.search.state import ROOT_MOVE, SearchParams, SearchPosition, SearchWorkspace, first_play
from nobi.search.tactics import (
    SAFE,
    SELF_ATARI,
    SUICIDE,
    add_rescues,
    add_two_liberty_moves,
    as_count,
    liberty_class,
    settle_self_atari,
    vital_point,
)
from nobi.streams import below, draw, fraction

_RESCUE, _PATTERN, _REFUSE, _REFUSE_LOCAL = 230, 243, 128, 230
"""Rates out of 256: application of the rules for rescues and patterns, and rejection of self-atari."""


@inlined
def _applies(bits: np.uint64, shift: int, rate: int) -> bool:
    """Return whether a rule with this rate out of 256 applies, determined by eight of the random bits."""
    return np.uint8(bits >> np.uint64(shift)) < rate  # type: ignore[return-value]


@inlined
def _place(position: SearchPosition, move: int) -> None:
    """Play a move of a rollout by the rules of Go, without updating history and outcome."""
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
def _draw_index(workspace: SearchWorkspace, count: int) -> int:
    """Draw an index below `count` with probabilities proportional to `workspace.values`."""
    total = np.float32(0.0)
    for i in range(count):
        total += workspace.values[i]
    left = np.float32(fraction(workspace.streams, 0)) * total
    for i in range(count - 1):
        left -= workspace.values[i]
        if left < 0.0:
            return as_count(i)
    return as_count(count - 1)


@inlined
def _matching_move(position: SearchPosition, workspace: SearchWorkspace, settings: SearchParams, centre: int) -> int:
    """Return a move next to this point that matches a pattern, or PASS if there is none."""
    boards = position.boards
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    candidates = workspace.candidates
    count = 0
    for k in range(8):
        point = stones.neighbours[centre, k]
        if stones.colour[0, point] == EMPTY and PATTERN[position.codes[0, point]] != 0:
            candidates[count] = point
            if settings.weighted:
                workspace.values[count] = settings.gammas.pattern[seen_by(position.codes[0, point], me)]
            count += 1
    while count > 0:
        i = _draw_index(workspace, count) if settings.weighted else as_count(below(workspace.streams, 0, count))
        point = candidates[i]
        if point != boards.ko[0]:
            liberties = liberty_class(stones, chains, point, me)
            if liberties == SAFE:
                return point
            if liberties == SELF_ATARI:
                accepted = not _applies(draw(workspace.streams, 0), 32, _REFUSE_LOCAL)
                instead = settle_self_atari(boards, point, settings.rollouts, accepted, accepted)
                if instead != PASS:
                    return instead
        count -= 1
        candidates[i] = candidates[count]
        workspace.values[i] = workspace.values[count]
    return as_point(PASS)


@inlined
def _choose_locally(
    position: SearchPosition, workspace: SearchWorkspace, settings: SearchParams, bits: np.uint64
) -> int:
    """Return a move that answers the latest ones, or PASS if there is none."""
    params = settings.rollouts
    boards = position.boards
    last = boards.stones.last[0]
    candidates = workspace.candidates
    if _applies(bits, 0, _RESCUE):
        count = 0
        for latest in range(2):
            move = last if latest == 0 else position.previous[0]
            if move != PASS and not (params.ordered and count > 0):
                count = add_rescues(boards, move, candidates, count, params.ordered)
        if count > 0:
            return candidates[below(workspace.streams, 0, count)]
    if last != PASS and _applies(bits, 16, params.nakade):
        point = vital_point(boards, last, candidates)
        if point != PASS and point != boards.ko[0]:
            return point
    if last != PASS and _applies(bits, 24, params.two_liberties):
        count = add_two_liberty_moves(boards, last, candidates, params.escape)
        if count > 0:
            return candidates[below(workspace.streams, 0, count) if count > 1 else 0]
    if _applies(bits, 8, _PATTERN):
        move = _matching_move(position, workspace, settings, last) if last != PASS else as_point(PASS)
        if params.previous_patterns and move == PASS and position.previous[0] != PASS:
            move = _matching_move(position, workspace, settings, position.previous[0])
        return move
    return as_point(PASS)


@inlined
def _choose_anywhere(position: SearchPosition, workspace: SearchWorkspace, settings: SearchParams) -> int:
    """Return any move that fills no own eye; PASS if there is none."""
    params = settings.rollouts
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
            if liberties != SUICIDE and not is_own_eye(boards, 0, point):
                if liberties == SAFE:
                    return point
                accepted = not _applies(bits, 0, _REFUSE)
                instead = settle_self_atari(boards, point, params, accepted, _applies(bits, 8, params.throw_in))
                if instead != PASS:
                    return instead
        left -= 1
        swap_empties(stones, 0, i, left)  # type: ignore[arg-type]
    return as_point(PASS)


@compiled
def roll_out(position: SearchPosition, workspace: SearchWorkspace, params: SearchParams) -> None:
    """Play until both pass, at most three moves per point of the board.

    `workspace.played` receives the first player on each point, and the ply.
    """
    boards = position.boards
    stones = boards.stones
    passes = 0
    left = 3 * stones.size * stones.size
    while passes < 2 and left > 0:
        left -= 1
        move = _choose_locally(position, workspace, params, draw(workspace.streams, 0))
        if move == PASS:
            move = _choose_anywhere(position, workspace, params)
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
            workspace.played[move] = first_play(me, stones.ply[0])


@compiled
def count_area(boards: GoBoards, workspace: SearchWorkspace) -> int:
    """Return Black's area minus White's at the end of a rollout, where empty points are eyes; also count the owners."""
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
