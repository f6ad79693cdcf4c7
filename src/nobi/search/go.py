"""What the search assumes of a move of Go before it has tried it: so many playouts, so many of them won.

Prior knowledge as equivalent experience (Gelly & Silver 2011, section 5): a capture starts as if some playouts had been
won with it, a self-atari as if some had been lost. Real playouts outweigh it in time.

MERGED search/go_kit.py: What the search knows of Go.
"""

from typing import NamedTuple

from nobi.board.chains import in_atari, would_capture
from nobi.board.stones import BLACK, BORDER, EMPTY, PASS, RUNNING, SIDES, WHITE, enemy_of
from nobi.compiling import compiled, inlined
from nobi.games.go import GoBoards, is_own_eye, play
from nobi.search.playout import GameHooks, value_of
from nobi.search.rollouts import (
    PATTERN,
    SAFE,
    as_count,
    count_owners,
    liberties_after_class,
    note_lifted,
    note_stone,
    roll_out,
)
from nobi.search.state import SearchParams, SearchPosition, Workspace

FAR = 4
"""Distances from here on are all the same."""


class Worth(NamedTuple):
    """Playouts that knowledge is worth."""

    even: float = 10.0
    """For every move, half of them won."""
    capture: float = 15.0
    """For capturing one stone; twice as many for more."""
    rescue: float = 15.0
    """For saving a chain from atari; twice as many for more than one stone."""
    self_atari: float = 10.0
    """Lost."""
    pattern: float = 10.0
    near: tuple[float, float, float] = (24.0, 22.0, 8.0)
    """For moves at the distance 1, 2 and 3 of the latest one."""
    lonely: float = 10.0
    """In the open, won on the third line and lost below."""
    passing: float = 10.0
    """Lost."""


WORTH = Worth()


@compiled
def measure_distances(position: SearchPosition, workspace: Workspace) -> None:
    """Fills `workspace.near` with distances from the latest move, where a chain is as one point (up to FAR).

    That is the common fate graph of Graepel, Goutrié, Krüger & Herbrich (2001).
    """
    boards = position.boards
    stones, chains = boards.stones, boards.chains
    near, queue = workspace.near, workspace.queue
    for point in range(len(near)):
        near[point] = FAR
    last = stones.last[0]
    if last == PASS or stones.colour[0, last] == EMPTY:
        return
    found = done = 0
    stone = last
    while True:
        near[stone] = 0
        queue[found] = stone
        found += 1
        stone = chains.next[0, stone]
        if stone == last:
            break
    while done < found:
        point = queue[done]
        done += 1
        further = near[point] + 1
        if further >= FAR:
            break
        for k in range(SIDES):
            beside = stones.neighbours[point, k]
            there = stones.colour[0, beside]
            if there == BORDER or near[beside] != FAR:
                continue
            near[beside] = further
            queue[found] = beside
            found += 1
            if there != EMPTY:
                stone = chains.next[0, beside]
                while stone != beside:
                    near[stone] = further
                    queue[found] = stone
                    found += 1
                    stone = chains.next[0, stone]


@inlined
def _saves(position: SearchPosition, point: int, me: int) -> int:
    """How many stones of own chains in atari a stone here joins."""
    stones, chains = position.boards.stones, position.boards.chains
    saved = 0
    for k in range(SIDES):
        beside = stones.neighbours[point, k]
        if stones.colour[0, beside] == me:
            head = chains.head[0, beside]
            if in_atari(chains.liberties[0, head]):
                saved += chains.stones[0, head]
    return saved


@inlined
def _threatened_by(position: SearchPosition, point: int, me: int) -> int:
    """How many stones of own chains in atari are freed by what a stone here captures."""
    stones, chains = position.boards.stones, position.boards.chains
    enemy = enemy_of(me)
    freed = 0
    for k in range(SIDES):
        first = stones.neighbours[point, k]
        if stones.colour[0, first] != enemy or not in_atari(chains.liberties[0, chains.head[0, first]]):
            continue
        stone = first
        while True:
            for j in range(SIDES):
                beside = stones.neighbours[stone, j]
                if stones.colour[0, beside] == me:
                    head = chains.head[0, beside]
                    if in_atari(chains.liberties[0, head]):
                        freed += chains.stones[0, head]
            stone = chains.next[0, stone]
            if stone == first:
                break
    return freed


@inlined
def _line(point: int, size: int) -> int:
    """Which line the point is on, 0 at the edge."""
    row = as_count(point) // (size + 1) - 1
    column = as_count(point) % (size + 1) - 1
    return min(min(row, size - 1 - row), min(column, size - 1 - column))


@inlined
def _is_lonely(position: SearchPosition, point: int, size: int) -> bool:
    """Whether there is no stone within two steps in rows and columns."""
    row = as_count(point) // (size + 1)
    column = as_count(point) % (size + 1)
    for y in range(max(1, row - 2), min(size, row + 2) + 1):
        for x in range(max(1, column - 2), min(size, column + 2) + 1):
            if position.boards.stones.colour[0, y * (size + 1) + x] != EMPTY:
                return False
    return True


@compiled
def assume(position: SearchPosition, workspace: Workspace, move: int, at: int, weight: float) -> None:
    """Writes what is assumed of a legal move into `workspace.visits[at]` and `workspace.wins[at]`."""
    stones, chains = position.boards.stones, position.boards.chains
    me = stones.to_move[0]
    visits = WORTH.even
    wins = 0.5 * WORTH.even
    if move == PASS:
        visits += WORTH.passing
    else:
        captured = would_capture(stones, chains, 0, move, me)
        breath = liberties_after_class(stones, chains, move, me)
        good = 0.0
        bad = 0.0
        if captured > 0:
            good += WORTH.capture if captured == 1 else 2.0 * WORTH.capture
            if _threatened_by(position, move, me) > 0:
                good += WORTH.rescue
        elif breath == SAFE:
            saved = _saves(position, move, me)
            if saved > 0:
                good += WORTH.rescue if saved == 1 else 2.0 * WORTH.rescue
        else:
            bad += WORTH.self_atari
        if PATTERN[position.codes[0, move]] != 0 and breath == SAFE:
            good += WORTH.pattern
        distance = workspace.near[move]
        if 1 <= distance < FAR:
            good += WORTH.near[0] if distance == 1 else WORTH.near[1] if distance == 2 else WORTH.near[2]
        line = _line(move, stones.size)
        if line <= 2 and _is_lonely(position, move, stones.size):
            if line == 2:
                good += WORTH.lonely
            else:
                bad += WORTH.lonely
        visits += (good + bad) * weight
        wins += good * weight
    workspace.visits[at] = visits
    workspace.wins[at] = wins


@compiled
def advance(position: SearchPosition, move: int) -> None:
    """Plays a move and keeps the pattern codes up to date."""
    boards = position.boards
    stones = boards.stones
    me = stones.to_move[0]
    before = stones.empties[0]
    position.previous[0] = stones.last[0]
    play(boards, 0, move)
    if move != PASS:
        note_stone(stones, position.codes, move, me)
        taken = me if stones.colour[0, move] == EMPTY else enemy_of(me)  # a suicide takes its own stones
        for i in range(before - 1, stones.empties[0]):
            note_lifted(stones, position.codes, stones.empty[0, i], taken)


@inlined
def worthwhile(position: SearchPosition, move: int) -> bool:
    """Whether the move fills no eye of its own player."""
    return not is_own_eye(position.boards, 0, move)


@compiled
def _stones_placed(boards: GoBoards) -> int:
    """How many stones black has placed so far less how many white has."""
    placed = boards.prisoners[0, BLACK] - boards.prisoners[0, WHITE]
    for point in range(boards.stones.colour.shape[1]):
        placed += boards.stones.colour[0, point] == BLACK
        placed -= boards.stones.colour[0, point] == WHITE
    return placed


@compiled
def finish(position: SearchPosition, workspace: Workspace, params: SearchParams) -> float:
    """Plays to the end and counts the area.

    For territory scoring: territory and prisoners are the area less the stones that each player has placed (and
    not captured); those placed in the rollout itself are left out, since both players place about as many.
    """
    boards = position.boards
    if boards.stones.outcome[0] != RUNNING and not params.agreed:
        return value_of(boards.stones.outcome[0])
    allowance = boards.komi
    if not boards.by_area:
        allowance += _stones_placed(boards)
    roll_out(position, workspace)
    margin = count_owners(boards, workspace) - allowance
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5


GO_KIT = GameHooks(advance, measure_distances, worthwhile, assume, finish)
