"""Rollouts of Go: plays to the end by small tactics and patterns near the latest move, and by chance elsewhere.

In this order (Gelly & others 2006, section 3): capture, or save a chain from atari, beside the latest moves; a move
that matches a 3x3 pattern beside the latest move; any move that neither fills an eye nor, often, puts itself in atari.
Each rule is left out now and then: rollouts that all err in the same way are bad judges.
"""

import numpy as np

from nobi.board.chains import capture_around, is_enclosed, place
from nobi.board.stones import BLACK, EMPTY, PASS, WHITE, as_point, end_turn, enemy_of, swap_empties
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye
from nobi.search.go_tactics import SAFE, SELF_ATARI, add_rescues, breath_after
from nobi.search.patterns import note_lifted, note_stone, pattern_table
from nobi.search.room import Room, Scene
from nobi.streams import below, draw

PATTERN = pattern_table()

_RESCUE, _PATTERN, _REFUSE, _REFUSE_LOCAL = 230, 243, 128, 230
"""Of 256: how often the rules for rescues and patterns apply, and how often self-atari is refused."""


@inlined
def place_lightly(scene: Scene, move: int) -> None:
    """Plays a move of a rollout: as the rules of Go do, but without history and outcome."""
    boards, codes = scene.boards, scene.codes
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    enemy = enemy_of(me)
    end_turn(stones, 0, move)
    boards.ko[0] = PASS
    lone = is_enclosed(chains, 0, move, enemy)
    captures = place(stones, chains, 0, move, me)
    note_stone(stones, codes, move, me)
    if captures:
        before = stones.empties[0]
        captured = capture_around(stones, chains, 0, move, enemy)
        for i in range(before, before + captured):
            note_lifted(stones, codes, stones.empty[0, i], enemy)
        if lone and captured == 1:
            boards.ko[0] = stones.empty[0, before]


@inlined
def _choose_locally(scene: Scene, room: Room, chance: np.uint64) -> int:
    """A move that answers the latest ones, or PASS if there is none."""
    boards = scene.boards
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    last = stones.last[0]
    candidates = room.candidates
    if np.uint8(chance) < _RESCUE:
        count = 0
        for latest in range(2):
            move = last if latest == 0 else scene.previous[0]
            if move != PASS:
                count = add_rescues(boards, move, candidates, count)
        if count > 0:
            return candidates[below(room.streams, 0, count)]
    if last != PASS and np.uint8(chance >> np.uint64(8)) < _PATTERN:
        count = 0
        for k in range(8):
            point = stones.neighbours[last, k]
            if stones.colour[0, point] == EMPTY and PATTERN[scene.codes[0, point]] != 0:
                candidates[count] = point
                count += 1
        while count > 0:
            i = below(room.streams, 0, count)
            point = candidates[i]
            if point != boards.ko[0]:
                breath = breath_after(stones, chains, point, me)
                if breath == SAFE or (
                    breath == SELF_ATARI and np.uint8(draw(room.streams, 0) >> np.uint64(32)) >= _REFUSE_LOCAL
                ):
                    return point
            count -= 1
            candidates[i] = candidates[count]
    return as_point(PASS)


@inlined
def _choose_anywhere(scene: Scene, room: Room) -> int:
    """Any move that fills no eye; PASS if there is none."""
    boards = scene.boards
    stones, chains = boards.stones, boards.chains
    me = stones.to_move[0]
    left = stones.empties[0]
    while left > 0:
        word = draw(room.streams, 0)
        i = np.uint32(((word >> np.uint64(32)) * np.uint64(left)) >> np.uint64(32))
        point = stones.empty[0, i]
        if point != boards.ko[0]:
            breath = breath_after(stones, chains, point, me)
            accepted = breath == SAFE or (breath == SELF_ATARI and np.uint8(word) >= _REFUSE)
            if accepted and not is_own_eye(boards, 0, point):
                return point
        left -= 1
        swap_empties(stones, 0, i, left)  # type: ignore[arg-type]
    return as_point(PASS)


@compiled
def roll_out(scene: Scene, room: Room) -> None:
    """Plays to the end: until both pass or the game is three times as long as the board has points.

    Notes in `room.played` who played on each point first.
    """
    boards = scene.boards
    stones = boards.stones
    passes = 0
    left = 3 * stones.size * stones.size
    while passes < 2 and left > 0:
        left -= 1
        move = _choose_locally(scene, room, draw(room.streams, 0))
        if move == PASS:
            move = _choose_anywhere(scene, room)
        me = stones.to_move[0]
        scene.previous[0] = stones.last[0]
        if move == PASS:
            passes += 1
            boards.ko[0] = PASS
            end_turn(stones, 0, move)
            continue
        passes = 0
        place_lightly(scene, move)
        if room.played[move] == EMPTY:
            room.played[move] = me


@compiled
def count_owners(boards: GoBoards, room: Room) -> int:
    """Black's area less white's at the end of a rollout, where empty points are eyes; notes the owners."""
    stones, chains = boards.stones, boards.chains
    margin = 0
    owned = room.owned
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
