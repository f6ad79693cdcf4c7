"""Ladders in Go: whether a chain with two liberties is captured by one atari after another against every defence.

The attacker gives atari by a move on a liberty of the chain. The owner of the chain may extend at the last liberty, or
capture an adjacent chain that is in atari. Then the chain has

    three liberties or more    it has escaped;
    two                        the attacker tries both;
    one                        the attacker captures it, unless a ko forbids that.

Moves are played with all captures, and undone (`nobi.board.undo`); suicide and the recapture of a ko are illegal as in
the game. No other moves are tried: nets, double atari and threats elsewhere are not ladders. The search is a loop with
a stack of open nodes: the attacker's nodes at even depths, the owner's at odd depths.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import Chains, any_liberty, in_atari, is_not_suicide, last_liberty, without_liberty
from nobi.board.stones import EMPTY, PASS, SIDES, Stones, enemy_of, points_of
from nobi.board.undo import MOVES, UndoStack, allocate_undo_stack, play_reversible, undo_move
from nobi.compiling import compiled, inlined

MOST_STEPS = 25_000
"""Maximum number of moves tried per ladder. A ladder across a 19x19 board takes about 100; the longest one in 1.7
million positions of 19x19 records takes about 11,000."""

_limit_hits = np.zeros(1, np.int64)
"""One counter for all threads; they increment it without a lock, but increments are very rare."""


def most_depth(size: int) -> int:
    """Return the maximum length of a sequence of moves. A longer ladder captures and recaptures in a cycle."""
    return max(500, 2 * size * size)


def ladder_limit_hits() -> int:
    """Return the number of ladders of this process that reached a limit (`MOST_STEPS`, `most_depth`).

    Beyond a limit, every answer of the chain's owner counts as an escape.
    """
    return int(_limit_hits[0])


class LadderWorkspace(NamedTuple):
    """The arrays for reading ladders; each thread needs its own."""

    undo: UndoStack
    todo: NDArray[np.uint16]  # [i] the untried moves of the open nodes, those of the deepest last
    base: NDArray[np.int64]  # [depth] the index of a node's first move in `todo`
    ko: NDArray[np.uint16]  # [depth] the point that ko forbids to the player of this node, or PASS
    chasers: NDArray[np.uint16]  # [i] stones of attacking chains that were in atari, those of the deepest node last
    noted: NDArray[np.int64]  # [depth, 2] begin and end, in `chasers`, of those relevant for a node of the owner
    steps: NDArray[np.int64]  # [1] moves tried in the latest ladder
    limit_hits: NDArray[np.int64]  # [1] ladders that reached a limit, a counter shared by all threads


def allocate_ladder_workspace(size: int) -> LadderWorkspace:
    """Allocate the workspace for boards of this size."""
    depths = most_depth(size) + 3
    return LadderWorkspace(
        undo=allocate_undo_stack(size, depths + 1),  # one extra for the move of `escapes_ladder`
        todo=np.zeros(4 * depths + points_of(size), np.uint16),
        base=np.zeros(depths, np.int64),
        ko=np.zeros(depths, np.uint16),
        chasers=np.zeros(4 * depths + points_of(size), np.uint16),
        noted=np.zeros((depths, 2), np.int64),
        steps=np.zeros(1, np.int64),
        limit_hits=_limit_hits,
    )


@compiled
def captures_in_ladder(
    stones: Stones, chains: Chains, g: int, workspace: LadderWorkspace, move: int, target: int
) -> bool:
    """Return whether a move captures the enemy chain of the stone `target` in a ladder.

    Args:
        stones: the boards; board g is changed while reading and restored afterwards.
        chains: their chains.
        g: the board.
        workspace: of the calling thread.
        move: a legal move on one of the chain's two liberties.
        target: a stone of the chain.
    """
    undo, todo, base = workspace.undo, workspace.todo, workspace.base
    enemy = stones.colour[g, target]
    me = enemy_of(enemy)
    escape = last_liberty(without_liberty(stones, chains, g, chains.head[g, target], move))
    if _frees(stones, g, escape, move):
        return False
    todo[0] = move
    height = 1  # of the stack `todo`
    base[0] = 0
    workspace.ko[0] = PASS  # the first move is legal
    depth = 0
    steps = 0
    deepest = len(base) - 3
    fullest = len(todo) - len(stones.neighbours)  # a list of answers has at most as many moves as the board has points
    limited = False
    while True:
        if height > base[depth]:  # try the next move of this node
            height -= 1
            point = todo[height]
            attacks = depth % 2 == 0
            if point == workspace.ko[depth] or not is_not_suicide(stones, chains, g, point, me if attacks else enemy):
                continue
            ko = play_reversible(stones, chains, g, undo, point, me if attacks else enemy)
            steps += 1
            base[depth + 1] = height
            workspace.ko[depth + 1] = ko
            goes_on = True
            captured = False
            if attacks:
                if stones.colour[g, target] == EMPTY:
                    goes_on = False
                    captured = True
                else:
                    height = _list_answers(stones, chains, g, workspace, target, depth + 1, height)
            else:
                height = _list_ataris(stones, chains, g, target, point, todo, height)
                goes_on = height > base[depth + 1]
                if goes_on and (
                    steps >= MOST_STEPS or depth >= deepest or max(height, workspace.noted[depth, 1]) >= fullest
                ):
                    goes_on = False
                    limited = True
            if goes_on:
                depth += 1
                continue
            height = base[depth + 1]
        else:  # no move is left: the player of this node has failed
            captured = depth % 2 == 1
            if depth == 0:
                break
            depth -= 1
        undo_move(stones, chains, g, undo)
        decided = False
        while captured == (depth % 2 == 0):  # the player of this node has succeeded
            height = base[depth]
            if depth == 0:
                decided = True
                break
            depth -= 1
            undo_move(stones, chains, g, undo)
        if decided:
            break
    workspace.steps[0] = steps
    workspace.limit_hits[0] += limited
    return captured


@compiled
def escapes_ladder(stones: Stones, chains: Chains, g: int, workspace: LadderWorkspace, move: int, target: int) -> bool:
    """Return whether a move saves the own chain of the stone `target`, which is in atari, from capture in a ladder.

    Args:
        stones: the boards; board g is changed while reading and restored afterwards.
        chains: their chains.
        g: the board.
        workspace: of the calling thread.
        move: a legal move: on the chain's last liberty, or one that captures an adjacent chain.
        target: a stone of the chain.
    """
    me = stones.colour[g, target]
    enemy = enemy_of(me)
    ko = play_reversible(stones, chains, g, workspace.undo, move, me)
    head = chains.head[g, target]
    escapes = False
    if in_atari(chains.liberties[g, head]):
        escapes = last_liberty(chains.liberties[g, head]) == ko
    else:
        one = any_liberty(stones, chains, g, head, move)
        rest = without_liberty(stones, chains, g, head, one)
        escapes = True
        if in_atari(rest):
            other = last_liberty(rest)
            for i in range(2):
                attack = one if i == 0 else other
                if escapes and attack != ko and is_not_suicide(stones, chains, g, attack, enemy):
                    escapes = not captures_in_ladder(stones, chains, g, workspace, attack, target)
    undo_move(stones, chains, g, workspace.undo)
    return escapes


@inlined
def _list_answers(
    stones: Stones, chains: Chains, g: int, workspace: LadderWorkspace, target: int, depth: int, height: int
) -> int:
    """Push the moves of the owner of a chain in atari: captures of adjacent chains, and the extension, tried first."""
    todo = workspace.todo
    attacker = enemy_of(stones.colour[g, target])
    extension = last_liberty(chains.liberties[g, chains.head[g, target]])
    _note_chasers(stones, chains, g, workspace, target, depth)
    begin = height
    for i in range(workspace.noted[depth, 0], workspace.noted[depth, 1]):
        chaser = workspace.chasers[i]
        if stones.colour[g, chaser] == attacker:
            liberties = chains.liberties[g, chains.head[g, chaser]]
            if in_atari(liberties):
                point = last_liberty(liberties)
                known = point == extension
                for j in range(begin, height):
                    known |= todo[j] == point
                if not known:
                    todo[height] = point
                    height += 1
    todo[height] = extension
    return height + 1


@inlined
def _note_chasers(stones: Stones, chains: Chains, g: int, workspace: LadderWorkspace, target: int, depth: int) -> None:
    """List the attacker's chains in atari next to the target, for the node of its owner at this depth.

    After an extension and an atari without captures, a chain can be newly in atari only next to these two moves; the
    others are listed already. Otherwise all stones of the target are examined; doing so after every move of a long
    ladder would take most of the time.
    """
    undo, chasers = workspace.undo, workspace.chasers
    head = chains.head[g, target]
    attacker = enemy_of(stones.colour[g, target])
    begin = end = 0
    latest = undo.height[MOVES] - 1
    atari = undo.moves[latest, 0]
    extends = False
    if depth > 1:
        begin = end = workspace.noted[depth - 2, 1]
        # row: point, chains joined, chains captured; an extension joins the target alone
        captures = undo.moves[latest, 2] > 0 or undo.moves[latest - 1, 2] > 0
        joins = undo.moves[latest - 1, 1]
        extends = not captures and joins == 1 and chains.head[g, undo.moves[latest - 1, 0]] == head
    if extends:
        begin = workspace.noted[depth - 2, 0]
        if in_atari(chains.liberties[g, chains.head[g, atari]]):
            chasers[end] = atari
            end += 1
        end = _note_adjacent(stones, chains, g, chasers, undo.moves[latest - 1, 0], attacker, end, end)
    else:
        stone = head
        while True:
            end = _note_adjacent(stones, chains, g, chasers, stone, attacker, begin, end)
            stone = chains.next[g, stone]
            if stone == head:
                break
    workspace.noted[depth, 0] = begin
    workspace.noted[depth, 1] = end


@inlined
def _note_adjacent(
    stones: Stones,
    chains: Chains,
    g: int,
    chasers: NDArray[np.uint16],
    stone: int,
    attacker: int,
    begin: int,
    end: int,
) -> int:
    """List the attacker's chains in atari next to a stone that are not listed from `begin` on; return the end."""
    for k in range(SIDES):
        neighbour = stones.neighbours[stone, k]
        if stones.colour[g, neighbour] == attacker:
            chain = chains.head[g, neighbour]
            if in_atari(chains.liberties[g, chain]):
                known = False
                for i in range(begin, end):
                    known |= chains.head[g, chasers[i]] == chain
                if not known:
                    chasers[end] = neighbour
                    end += 1
    return end


@inlined
def _list_ataris(
    stones: Stones, chains: Chains, g: int, target: int, answer: int, todo: NDArray[np.uint16], height: int
) -> int:
    """Push the attacker's moves after an answer: the chain's liberties, if there are one or two.

    Of two, the one with more empty neighbours is tried first, because extending there gives the chain more liberties. A
    liberty is not tried if the chain would then escape at once at the other one.
    """
    head = chains.head[g, target]
    liberties = chains.liberties[g, head]
    if in_atari(liberties):
        todo[height] = last_liberty(liberties)
        return height + 1
    one = any_liberty(stones, chains, g, head, answer)
    rest = without_liberty(stones, chains, g, head, one)
    if not in_atari(rest):
        return height
    other = last_liberty(rest)
    if _empty_neighbours(stones, g, one) > _empty_neighbours(stones, g, other):
        one, other = other, one
    if not _frees(stones, g, other, one):
        todo[height] = one
        height += 1
    if not _frees(stones, g, one, other):
        todo[height] = other
        height += 1
    return height


@inlined
def _frees(stones: Stones, g: int, extension: int, atari: int) -> bool:
    """Return whether a chain that the move `atari` puts into atari has three liberties at `extension` alone."""
    count = 0
    for k in range(SIDES):
        neighbour = stones.neighbours[extension, k]
        count += (stones.colour[g, neighbour] == EMPTY) & (neighbour != atari)
    return count > 2


@inlined
def _empty_neighbours(stones: Stones, g: int, point: int) -> int:
    count = 0
    for k in range(SIDES):
        count += stones.colour[g, stones.neighbours[point, k]] == EMPTY
    return count
