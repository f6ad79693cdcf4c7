"""Forced captures in Atari-Go: liberties, ladders and nets, read on the board itself.

Reading places stones in `stones.colour` and removes them again; the chains are not updated, and liberties are found by
flood fill. Captures are not executed, since the first capture ends the game.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS, SIDES, Stones, as_point, enemy_of, points_of
from nobi.compiling import compiled, inlined
from nobi.memory import zeros

MOST_STEPS = 300
"""Maximum number of positions visited for one move; a ladder across a 19x19 board takes about 70."""

_FAILS, _GOES_ON, _WINS = 0, 1, 2


class CaptureWorkspace(NamedTuple):
    """The player's setting e and its scratch arrays; every thread has its own."""

    e: float
    mark: NDArray[np.int64]  # [point] the number of the fill that visited the point
    fills: NDArray[np.int64]  # [0] the number of the latest fill
    steps: NDArray[np.int64]  # [0] positions that may still be visited
    queue: NDArray[np.uint16]  # [i] the stones of the chain that is filled
    liberty: NDArray[np.uint16]  # [i] the liberties that the latest fill found
    weak: NDArray[np.uint16]  # [i, 3] chains with two liberties: a stone and the liberties
    path: NDArray[np.uint16]  # [depth, 4] ataris: the move, its answer, the two liberties to try next, PASS once tried
    candidates: NDArray[np.uint16]  # [i] the moves to choose from
    escape: NDArray[np.uint16]  # [i, 2] extensions of the target chain: the point, and the liberties it would have
    worth: NDArray[np.int64]  # [i] the value of the i-th empty point as a quiet move


def allocate_workspace(size: int, e: float) -> CaptureWorkspace:
    """Return the workspace for boards of this size."""
    points = points_of(size)
    area = size * size
    return CaptureWorkspace(
        e=e,
        mark=zeros(points, np.int64),
        fills=zeros(1, np.int64),
        steps=zeros(1, np.int64),
        queue=zeros(area, np.uint16),
        liberty=zeros(area, np.uint16),
        weak=zeros((area, 3), np.uint16),
        path=zeros((area, 4), np.uint16),
        candidates=zeros(area, np.uint16),
        escape=zeros((area, 2), np.uint16),
        worth=zeros(area, np.int64),
    )


@inlined
def _fill(stones: Stones, g: int, workspace: CaptureWorkspace, point: int, most: int, number: int) -> int:
    """Flood-fill the chain of the stone at this point until `most` liberties are found; return their number."""
    colour = stones.colour[g, point]
    workspace.mark[point] = number
    workspace.queue[0] = point
    met, done, count = 1, 0, 0
    while done < met:
        stone = workspace.queue[done]
        done += 1
        for k in range(SIDES):
            neighbour = stones.neighbours[stone, k]
            if workspace.mark[neighbour] == number:
                continue
            there = stones.colour[g, neighbour]
            if there == EMPTY:
                workspace.mark[neighbour] = number
                workspace.liberty[count] = neighbour
                count += 1
                if count == most:
                    return count
            elif there == colour:
                workspace.mark[neighbour] = number
                workspace.queue[met] = neighbour
                met += 1
    return count


@inlined
def find_liberties(stones: Stones, g: int, workspace: CaptureWorkspace, point: int, most: int) -> int:
    """List up to `most` liberties of the chain of the stone at this point in `workspace.liberty`."""
    workspace.fills[0] += 1
    return _fill(stones, g, workspace, point, most, workspace.fills[0])


@inlined
def was_filled(workspace: CaptureWorkspace, point: int) -> bool:
    """Return whether the latest fill visited this point: if a stone is there, it belongs to the filled chain."""
    return bool(workspace.mark[point] == workspace.fills[0])


@inlined
def liberties_after(stones: Stones, g: int, workspace: CaptureWorkspace, point: int, colour: int, most: int) -> int:
    """List up to `most` liberties of the chain that a stone of this colour at an empty point would belong to."""
    stones.colour[g, point] = colour
    count = find_liberties(stones, g, workspace, point, most)
    stones.colour[g, point] = EMPTY
    return count


@inlined
def is_in_danger(stones: Stones, g: int, workspace: CaptureWorkspace, point: int, colour: int) -> bool:
    """Return whether a chain of this colour next to the point is in atari; the latest fill was of one that is not."""
    for k in range(SIDES):
        neighbour = stones.neighbours[point, k]
        unmet = stones.colour[g, neighbour] == colour and not was_filled(workspace, neighbour)
        if unmet and find_liberties(stones, g, workspace, neighbour, 2) < 2:
            return True
    return False


@compiled
def wins_by_atari(stones: Stones, g: int, workspace: CaptureWorkspace, move: int, me: int, answered: int) -> bool:
    """Return whether the move starts a sequence of ataris that captures by force.

    This finds ladders, double ataris, and ataris without escape. After an atari the enemy's only answer is to extend at
    the last liberty, since there is nothing to capture: no own chain may be left in atari. Only the attacker has a
    choice, of two liberties at each step, and the search is a single path with backtracking. `answered` is the enemy's
    latest move: only next to it can own chains have come into atari.
    """
    path = workspace.path
    depth = 0
    attempt = move
    while True:
        workspace.steps[0] -= 1
        state = _FAILS
        if workspace.steps[0] >= 0:
            state = _give_atari(stones, g, workspace, attempt, me, answered, depth)
        if state == _GOES_ON:
            answered = path[depth, 1]
            attempt = path[depth, 2]
            depth += 1
            continue
        while depth > 0 and (state == _WINS or path[depth - 1, 3] == PASS):
            depth -= 1
            stones.colour[g, path[depth, 0]] = EMPTY
            stones.colour[g, path[depth, 1]] = EMPTY
        if depth == 0:
            return state == _WINS
        answered = path[depth - 1, 1]
        attempt = path[depth - 1, 3]
        path[depth - 1, 3] = PASS


@compiled
def begins_ladder(stones: Stones, g: int, workspace: CaptureWorkspace, move: int, me: int, answered: int) -> bool:
    """Return `wins_by_atari` with a full budget of steps."""
    workspace.steps[0] = MOST_STEPS
    return wins_by_atari(stones, g, workspace, move, me, answered)


@inlined
def _give_atari(
    stones: Stones, g: int, workspace: CaptureWorkspace, move: int, me: int, answered: int, depth: int
) -> int:
    """Give an atari; return whether it wins, fails, or continues, in which case move and answer stay on the board."""
    enemy = enemy_of(me)
    stones.colour[g, move] = me
    state = _FAILS
    if find_liberties(stones, g, workspace, move, 2) == 2 and not is_in_danger(stones, g, workspace, answered, me):
        answer = as_point(PASS)
        for k in range(SIDES):
            neighbour = stones.neighbours[move, k]
            unmet = stones.colour[g, neighbour] == enemy and not was_filled(workspace, neighbour)
            if unmet and find_liberties(stones, g, workspace, neighbour, 2) == 1:
                if answer != PASS and answer != workspace.liberty[0]:
                    state = _WINS  # double atari
                answer = workspace.liberty[0]
        if answer != PASS and state != _WINS:
            stones.colour[g, answer] = enemy
            left = find_liberties(stones, g, workspace, answer, 3)
            if left == 2:
                workspace.path[depth, 0] = move
                workspace.path[depth, 1] = answer
                workspace.path[depth, 2] = workspace.liberty[0]
                workspace.path[depth, 3] = workspace.liberty[1]
                return _GOES_ON
            stones.colour[g, answer] = EMPTY
            if left < 2:
                state = _WINS
    stones.colour[g, move] = EMPTY
    return state


@compiled
def _is_captured(stones: Stones, g: int, workspace: CaptureWorkspace, target: int, me: int, answered: int) -> bool:
    """Return whether `me`, to move, can capture the enemy chain at `target` by force."""
    left = find_liberties(stones, g, workspace, target, 3)
    if left <= 1:
        return True
    if left > 2:
        return False
    one, other = workspace.liberty[0], workspace.liberty[1]
    return wins_by_atari(stones, g, workspace, one, me, answered) or wins_by_atari(
        stones, g, workspace, other, me, answered
    )


@compiled
def wins_by_net(
    stones: Stones, g: int, workspace: CaptureWorkspace, move: int, me: int, target: int, answered: int
) -> bool:
    """Return whether the move nets the enemy chain at `target`: it is no atari, but every answer leads to a capture.

    `answered` is the enemy's latest move. All answers are tried, those at the chain's liberties first.
    """
    enemy = enemy_of(me)
    stones.colour[g, move] = me
    holds = find_liberties(stones, g, workspace, move, 2) == 2 and not is_in_danger(stones, g, workspace, answered, me)
    holds = holds and find_liberties(stones, g, workspace, target, 3) == 2
    if holds:
        one, other = workspace.liberty[0], workspace.liberty[1]
        holds = (
            _is_captured(stones, g, workspace, target, me, PASS)
            and _answer_fails(stones, g, workspace, one, enemy, target)
            and _answer_fails(stones, g, workspace, other, enemy, target)
        )
        for i in range(stones.empties[g]):
            answer = stones.empty[g, i]
            if not holds:
                break
            if stones.colour[g, answer] == EMPTY and answer != one and answer != other:
                holds = _answer_fails(stones, g, workspace, answer, enemy, target)
    stones.colour[g, move] = EMPTY
    return holds


@compiled
def _answer_fails(stones: Stones, g: int, workspace: CaptureWorkspace, answer: int, enemy: int, target: int) -> bool:
    """Return whether the chain at `target` can still be captured by force after this answer."""
    stones.colour[g, answer] = enemy
    fails = find_liberties(stones, g, workspace, answer, 1) == 0  # suicide
    fails = fails or _is_captured(stones, g, workspace, target, enemy_of(enemy), answer)
    stones.colour[g, answer] = EMPTY
    return fails


@compiled
def list_weak(stones: Stones, g: int, workspace: CaptureWorkspace, colour: int) -> int:
    """List the chains of this colour with two liberties in `workspace.weak`; return their number."""
    workspace.fills[0] += 1
    first = workspace.fills[0]
    count = 0
    for point in range(stones.size + 2, stones.colour.shape[1]):
        # a chain visited by one of the fills below is not filled again
        if stones.colour[g, point] == colour and workspace.mark[point] < first:
            workspace.fills[0] += 1
            if _fill(stones, g, workspace, as_point(point), 3, workspace.fills[0]) == 2:
                workspace.weak[count, 0] = point
                workspace.weak[count, 1] = workspace.liberty[0]
                workspace.weak[count, 2] = workspace.liberty[1]
                count += 1
    return count


@compiled
def forced_wins(stones: Stones, g: int, workspace: CaptureWorkspace, me: int, answered: int, most: int) -> int:
    """List up to `most` moves that capture by force, by atari or by a net, in `workspace.candidates`.

    No chain is in atari, except by the enemy's move at `answered`.
    """
    weak = list_weak(stones, g, workspace, enemy_of(me))
    count = 0
    for i in range(weak):
        for j in range(1, 3):
            move = workspace.weak[i, j]
            if not _is_listed(workspace, move, count) and begins_ladder(stones, g, workspace, move, me, answered):
                workspace.candidates[count] = move
                count += 1
                if count == most:
                    return count
    if count > 0:
        return count
    for i in range(weak):
        for j in range(1, 3):
            # candidates for a net are the eight neighbours of a liberty
            liberty = workspace.weak[i, j]
            for k in range(2 * SIDES):
                move = stones.neighbours[liberty, k]
                if stones.colour[g, move] != EMPTY or _is_listed(workspace, move, count):
                    continue
                workspace.steps[0] = MOST_STEPS
                if wins_by_net(stones, g, workspace, move, me, workspace.weak[i, 0], answered):
                    workspace.candidates[count] = move
                    count += 1
                    if count == most:
                        return count
    return count


@inlined
def _is_listed(workspace: CaptureWorkspace, move: int, count: int) -> bool:
    for i in range(count):
        if workspace.candidates[i] == move:
            return True
    return False
