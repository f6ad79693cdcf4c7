"""Ladders in Go: is a chain with two liberties captured, whatever its owner does, by one atari after another?

The attacker plays on a liberty of the chain and so gives atari. Its owner may extend at the last liberty, or capture a
chain beside it that is in atari itself. Then the chain has

    three liberties or more    it has escaped;
    two                        the attacker tries both;
    one                        the attacker captures it, unless a ko forbids that.

Moves are really played, captures and all, and taken back (`nobi.board.undo`); suicide and the retaking of a ko are
forbidden as in the game. Nothing else is tried: nets, atari on two chains at once, or threats elsewhere are no
ladders. The search is a loop over a pile of open nodes: the attacker's at even depths, the owner's at odd ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import Chains, in_atari, last_liberty, lives, without_liberty
from nobi.board.stones import EMPTY, PASS, SIDES, Stones, enemy_of, points_of
from nobi.board.undo import MOVES, UndoStack, allocate_trail, play_reversible, undo_move
from nobi.compiling import compiled, inlined

MOST_STEPS = 25_000
"""Moves that the reading of one ladder may try. A ladder across a 19x19 board takes about 100; the longest in 1.7
million positions of 19x19 records takes about 11,000."""

_limit_hits = np.zeros(1, np.int64)
"""One counter for all readers: threads increment it without a lock, but an increment is very rare."""


def most_depth(size: int) -> int:
    """Moves in a row that are read. A longer ladder captures and recaptures in a cycle."""
    return max(500, 2 * size * size)


def ladder_limit_hits() -> int:
    """How many readings of this process have reached a limit (`MOST_STEPS`, `most_depth`).

    Beyond a limit, every answer of the chain's owner counts as an escape.
    """
    return int(_limit_hits[0])


class LadderWorkspace(NamedTuple):
    """Where a reader notes things; every thread has its own."""

    trail: UndoStack
    todo: NDArray[np.uint16]
    """[i] the moves that the open nodes have still to try, those of the deepest last."""
    base: NDArray[np.int64]
    """[depth] where a node's moves begin in `todo`."""
    ko: NDArray[np.uint16]
    """[depth] the point that is forbidden to the player of this node, or PASS."""
    chasers: NDArray[np.uint16]
    """[i] stones of the attacker's chains that were in atari beside the target, those of the deepest node last."""
    noted: NDArray[np.int64]
    """[depth, 2] where the chasers that a node of the owner has to look at begin and end."""
    steps: NDArray[np.int64]
    """[1] moves tried by the latest reading."""
    limit_hits: NDArray[np.int64]
    """[1] readings that have reached a limit, a counter shared by all readers."""


def allocate_ladder_room(size: int) -> LadderWorkspace:
    """Makes the room for boards of this size."""
    depths = most_depth(size) + 3
    return LadderWorkspace(
        trail=allocate_trail(size, depths + 1),  # one more for the move of `escapes_ladder`
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
    """Whether a move captures the enemy chain of the stone `target` in a ladder.

    Args:
        stones: the boards; board g is changed while reading and is the same again afterwards.
        chains: their chains.
        g: which board.
        workspace: room to read in.
        move: a legal move on one of the chain's two liberties.
        target: a stone of the chain.
    """
    trail, todo, base = workspace.trail, workspace.todo, workspace.base
    enemy = stones.colour[g, target]
    me = enemy_of(enemy)
    escape = last_liberty(without_liberty(stones, chains, g, chains.head[g, target], move))
    if _frees(stones, g, escape, move):
        return False
    todo[0] = move
    height = 1  # of the pile `todo`
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
            if point == workspace.ko[depth] or not lives(stones, chains, g, point, me if attacks else enemy):
                continue
            ko = play_reversible(stones, chains, g, trail, point, me if attacks else enemy)
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
        else:  # who has no move left to try has not reached what he wants
            captured = depth % 2 == 1
            if depth == 0:
                break
            depth -= 1
        undo_move(stones, chains, g, trail)
        decided = False
        while captured == (depth % 2 == 0):  # the player of this node has reached it
            height = base[depth]
            if depth == 0:
                decided = True
                break
            depth -= 1
            undo_move(stones, chains, g, trail)
        if decided:
            break
    workspace.steps[0] = steps
    workspace.limit_hits[0] += limited
    return captured


@compiled
def escapes_ladder(stones: Stones, chains: Chains, g: int, workspace: LadderWorkspace, move: int, target: int) -> bool:
    """Whether a move saves the own chain of the stone `target`, which is in atari, from being captured in a ladder.

    Args:
        stones: the boards; board g is changed while reading and is the same again afterwards.
        chains: their chains.
        g: which board.
        workspace: the reader's workspace.
        move: a legal move: on the chain's last liberty, or one that captures a chain beside it.
        target: a stone of the chain.
    """
    me = stones.colour[g, target]
    enemy = enemy_of(me)
    ko = play_reversible(stones, chains, g, workspace.trail, move, me)
    head = chains.head[g, target]
    escapes = False
    if in_atari(chains.liberties[g, head]):
        escapes = last_liberty(chains.liberties[g, head]) == ko
    else:
        one = _any_liberty(stones, chains, g, head, move)
        rest = without_liberty(stones, chains, g, head, one)
        escapes = True
        if in_atari(rest):
            other = last_liberty(rest)
            for i in range(2):
                attack = one if i == 0 else other
                if escapes and attack != ko and lives(stones, chains, g, attack, enemy):
                    escapes = not captures_in_ladder(stones, chains, g, workspace, attack, target)
    undo_move(stones, chains, g, workspace.trail)
    return escapes


@inlined
def _list_answers(
    stones: Stones, chains: Chains, g: int, workspace: LadderWorkspace, target: int, depth: int, height: int
) -> int:
    """Piles up what the owner of a chain in atari may do: capture chains beside it; extend, which is tried first."""
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
    """Notes the attacker's chains in atari beside the target, for the node of its owner at this depth.

    After an extension and an atari that capture nothing, a chain can be in atari for the first time only beside these
    two moves; the others were noted before. Else all stones of the target are looked at: in a long ladder, doing so
    after every move would take most of the time.
    """
    trail, chasers = workspace.trail, workspace.chasers
    head = chains.head[g, target]
    attacker = enemy_of(stones.colour[g, target])
    begin = end = 0
    latest = trail.height[MOVES] - 1
    atari = trail.moves[latest, 0]
    extends = False
    if depth > 1:
        begin = end = workspace.noted[depth - 2, 1]
        # row: point, chains joined, chains captured; an extension joins the target alone
        captures = trail.moves[latest, 2] > 0 or trail.moves[latest - 1, 2] > 0
        joins = trail.moves[latest - 1, 1]
        extends = not captures and joins == 1 and chains.head[g, trail.moves[latest - 1, 0]] == head
    if extends:
        begin = workspace.noted[depth - 2, 0]
        if in_atari(chains.liberties[g, chains.head[g, atari]]):
            chasers[end] = atari
            end += 1
        end = _note_beside(stones, chains, g, chasers, trail.moves[latest - 1, 0], attacker, end, end)
    else:
        stone = head
        while True:
            end = _note_beside(stones, chains, g, chasers, stone, attacker, begin, end)
            stone = chains.next[g, stone]
            if stone == head:
                break
    workspace.noted[depth, 0] = begin
    workspace.noted[depth, 1] = end


@inlined
def _note_beside(
    stones: Stones,
    chains: Chains,
    g: int,
    chasers: NDArray[np.uint16],
    stone: int,
    attacker: int,
    begin: int,
    end: int,
) -> int:
    """Notes the attacker's chains in atari beside a stone, unless they are noted from `begin` on; returns the end."""
    for k in range(SIDES):
        beside = stones.neighbours[stone, k]
        if stones.colour[g, beside] == attacker:
            chain = chains.head[g, beside]
            if in_atari(chains.liberties[g, chain]):
                known = False
                for i in range(begin, end):
                    known |= chains.head[g, chasers[i]] == chain
                if not known:
                    chasers[end] = beside
                    end += 1
    return end


@inlined
def _list_ataris(
    stones: Stones, chains: Chains, g: int, target: int, answer: int, todo: NDArray[np.uint16], height: int
) -> int:
    """Piles up the attacker's moves after an answer: the chain's liberties, if they are one or two.

    Of two, that with the more empty neighbours is tried first, since there the chain would get away; and the other
    not at all, if the chain would get away there at once.
    """
    head = chains.head[g, target]
    liberties = chains.liberties[g, head]
    if in_atari(liberties):
        todo[height] = last_liberty(liberties)
        return height + 1
    one = _any_liberty(stones, chains, g, head, answer)
    rest = without_liberty(stones, chains, g, head, one)
    if not in_atari(rest):
        return height
    other = last_liberty(rest)
    if _empty_beside(stones, g, one) > _empty_beside(stones, g, other):
        one, other = other, one
    if not _frees(stones, g, other, one):
        todo[height] = one
        height += 1
    if not _frees(stones, g, one, other):
        todo[height] = other
        height += 1
    return height


@inlined
def _any_liberty(stones: Stones, chains: Chains, g: int, head: int, stone: int) -> int:
    """A liberty of the chain, looked for beside this stone first, if it belongs to the chain."""
    if chains.head[g, stone] != head:
        stone = head
    while True:
        for k in range(SIDES):
            beside = stones.neighbours[stone, k]
            if stones.colour[g, beside] == EMPTY:
                return beside
        stone = chains.next[g, stone]


@inlined
def _frees(stones: Stones, g: int, extension: int, atari: int) -> bool:
    """Whether a chain put into atari by a move gets three liberties by extending, even if nothing else is near."""
    count = 0
    for k in range(SIDES):
        beside = stones.neighbours[extension, k]
        count += (stones.colour[g, beside] == EMPTY) & (beside != atari)
    return count > 2


@inlined
def _empty_beside(stones: Stones, g: int, point: int) -> int:
    count = 0
    for k in range(SIDES):
        count += stones.colour[g, stones.neighbours[point, k]] == EMPTY
    return count
