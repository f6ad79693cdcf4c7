"""The heuristic player's rules, in the order of their priority."""

from typing import Any

from nobi.board.chains import in_atari, is_enclosed, last_liberty, touching
from nobi.board.stones import EMPTY, LARGEST, PASS, SIDES, Stones, as_point, enemy_of
from nobi.compiling import compiled, inlined
from nobi.players.heuristic.forced_captures import (
    CaptureWorkspace,
    begins_ladder,
    find_liberties,
    forced_wins,
    liberties_after,
)
from nobi.streams import Streams, below, fraction

ENOUGH = 20
"""Larger numbers of liberties are not distinguished."""

ESCAPES = 4
"""Maximum number of extensions of the target chain that are tried."""

LIBERTIES = 1 << 8
LINKS = 1 << 14
PRESSES = 1 << 18
NO_EYE = 1 << 24
HOLDS = 1 << 25
SAFE = 1 << 26
LIVES = 1 << 27
"""The digits of a quiet move's value; each outweighs all lower ones."""

_TAKEN = -1
"""The value of a move that has been considered, below any other value."""


@compiled
def choose_by_rules(boards: Any, g: int, streams: Streams, workspace: CaptureWorkspace) -> int:
    """Return the move of the first rule that applies; with probability e, any legal move."""
    stones = boards.stones
    if fraction(streams, g) < workspace.e:
        return stones.empty[g, below(streams, g, stones.empties[g])]
    me = stones.to_move[g]
    move = capture(boards, g, streams, enemy_of(me))
    if move == PASS:
        move = save(boards, g, workspace, streams, me)
    if move == PASS:
        count = forced_wins(stones, g, workspace, me, PASS, len(workspace.candidates))
        if count > 0:
            return workspace.candidates[below(streams, g, count)]
        move = quiet(boards, g, workspace, streams, me)
    return move


@compiled
def capture(boards: Any, g: int, streams: Streams, enemy: int) -> int:
    """Return a capture: the last liberty of an enemy chain, at random if there are several."""
    stones, chains = boards.stones, boards.chains
    chosen = as_point(PASS)
    ways = 0
    for point in range(stones.size + 2, stones.colour.shape[1]):
        if stones.colour[g, point] == enemy and chains.head[g, point] == point:
            liberties = chains.liberties[g, point]
            if in_atari(liberties):
                ways += 1
                if below(streams, g, ways) == 0:
                    chosen = last_liberty(liberties)
    return chosen


@compiled
def save(boards: Any, g: int, workspace: CaptureWorkspace, streams: Streams, me: int) -> int:
    """Extend the chain in atari that gains the most liberties, at least two; the largest chain in a tie."""
    stones, chains = boards.stones, boards.chains
    chosen = as_point(PASS)
    best, ways = 0, 0
    for point in range(stones.size + 2, stones.colour.shape[1]):
        if stones.colour[g, point] == me and chains.head[g, point] == point:
            liberties = chains.liberties[g, point]
            if in_atari(liberties):
                move = last_liberty(liberties)
                left = liberties_after(stones, g, workspace, move, me, ENOUGH)
                value = left * 1000 + chains.stones[g, point]
                if left >= 2 and value >= best:
                    ways = ways + 1 if value == best else 1
                    best = value
                    if below(streams, g, ways) == 0:
                        chosen = move
    return chosen


@compiled
def quiet(boards: Any, g: int, workspace: CaptureWorkspace, streams: Streams, me: int) -> int:
    """Return the point of the highest `worth`, if possible one that leaves the enemy no forced win."""
    stones = boards.stones
    enemy = enemy_of(me)
    target = weakest(boards, g, workspace, enemy)
    escapes = 0 if target == PASS else list_escapes(stones, g, workspace, target, enemy)
    count = stones.empties[g]
    for i in range(count):
        workspace.worth[i] = worth(boards, g, workspace, stones.empty[g, i], me, target, escapes)
    chosen = as_point(PASS)
    best = ways = 0
    workspace.candidates[0] = PASS
    # reading is expensive: points are read best first, and those that cannot become the best are not read
    while True:
        top = _TAKEN
        for i in range(count):
            top = max(top, workspace.worth[i])
        if top == _TAKEN or top + HOLDS * (top >= SAFE) < best:
            return chosen
        for i in range(count):
            if workspace.worth[i] == top:
                workspace.worth[i] = _TAKEN
                move = stones.empty[g, i]
                value = top + HOLDS * (top >= SAFE and _prevents_wins(stones, g, workspace, move, me))
                if value >= best:
                    ways = ways + 1 if value == best else 1
                    best = value
                    if below(streams, g, ways) == 0:
                        chosen = move


@inlined
def _prevents_wins(stones: Stones, g: int, workspace: CaptureWorkspace, move: int, me: int) -> bool:
    """Return whether the enemy has no forced win after this move.

    A reply that refutes one move often refutes the next one: the latest refutation (or PASS) is stored in
    `workspace.candidates[0]` and tried first.
    """
    enemy = enemy_of(me)
    stones.colour[g, move] = me
    killer = workspace.candidates[0]
    wins = killer != PASS and killer != move and begins_ladder(stones, g, workspace, killer, enemy, move)
    wins = wins or forced_wins(stones, g, workspace, enemy, move, 1) > 0
    stones.colour[g, move] = EMPTY
    return not wins


@inlined
def weakest(boards: Any, g: int, workspace: CaptureWorkspace, enemy: int) -> int:
    """Return the head of the enemy chain with the fewest liberties; PASS if there is none."""
    stones, chains = boards.stones, boards.chains
    target = as_point(PASS)
    fewest = ENOUGH
    for point in range(stones.size + 2, stones.colour.shape[1]):
        if stones.colour[g, point] == enemy and chains.head[g, point] == point:
            count = find_liberties(stones, g, workspace, as_point(point), fewest)
            if count < fewest:
                fewest = count
                target = as_point(point)
    return target


@inlined
def worth(boards: Any, g: int, workspace: CaptureWorkspace, move: int, me: int, target: int, escapes: int) -> int:
    """Return the value of a point as a quiet move: a number whose digits are the rules, the most important first.

    The rules: it is safe (at least two liberties), fills no own eye, attacks the weakest enemy chain, cuts or connects,
    gains liberties, and is near the centre and the enemy's latest stone.
    """
    stones, chains = boards.stones, boards.chains
    enemy = enemy_of(me)
    own = liberties_after(stones, g, workspace, move, me, 3)
    if own == 0:
        return 0  # suicide
    value = LIVES
    if own >= 2:
        value += SAFE
    if not is_enclosed(chains, g, move, me):
        value += NO_EYE
    own_chains = enemy_chains = presses = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[move, k]
        there = stones.colour[g, neighbour]
        if there == me or there == enemy:
            head = chains.head[g, neighbour]
            presses |= head == target
            again = False
            for j in range(k):
                again |= chains.head[g, stones.neighbours[move, j]] == head
            if not again and there == me:
                own_chains += 1
            elif not again:
                enemy_chains += 1
    if presses and own >= 3:
        value += PRESSES * (ENOUGH - most_after(workspace, move, escapes))
    value += LINKS * (max(own_chains - 1, 0) + max(enemy_chains - 1, 0))
    value += LIBERTIES * (10 + liberties_gained(boards, g, move, me))
    return value + 2 * LARGEST - distance(stones.size, move, stones.last[g])


@compiled
def list_escapes(stones: Stones, g: int, workspace: CaptureWorkspace, target: int, enemy: int) -> int:
    """List the extensions of the enemy chain and their liberties in `workspace.escape`; return their number."""
    count = find_liberties(stones, g, workspace, target, ESCAPES + 1)
    for i in range(count):
        workspace.escape[i, 0] = workspace.liberty[i]  # each fill overwrites the list
    for i in range(count):
        workspace.escape[i, 1] = liberties_after(stones, g, workspace, workspace.escape[i, 0], enemy, ENOUGH + 1)
    return count


@inlined
def most_after(workspace: CaptureWorkspace, move: int, escapes: int) -> int:
    """Return the most liberties that the enemy chain can have after an own move at one of them and its answer."""
    most = tried = 0
    for i in range(escapes):
        if workspace.escape[i, 0] != move and tried < ESCAPES:
            tried += 1
            most = max(most, int(workspace.escape[i, 1]) - 1)  # the own stone is on one of them
    return most


@inlined
def liberties_gained(boards: Any, g: int, move: int, me: int) -> int:
    """Return the number of points that become own liberties plus those that are no longer the enemy's."""
    stones, chains = boards.stones, boards.chains
    gained = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[move, k]
        there = stones.colour[g, neighbour]
        if there == EMPTY:
            gained += touching(chains, g, neighbour, me) == 0
    gained -= touching(chains, g, move, me) > 0
    gained += touching(chains, g, move, enemy_of(me)) > 0
    return gained


@inlined
def distance(size: int, move: int, last: int) -> int:
    """Return the distance from the centre plus that from the latest move, in steps along the lines, halved."""
    stride = size + 1
    row, column = move // stride, move % stride
    centre = (size + 1) // 2
    far = abs(row - centre) + abs(column - centre)
    if last != PASS:
        far += abs(row - last // stride) + abs(column - last % stride)
    return far // 2
