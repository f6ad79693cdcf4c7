"""The heuristic player follows its rules, and reads ladders and nets like a plain search."""

import random

import numpy as np
import pytest

from helpers.players import assert_uniform, choices_of
from helpers.twins import MARKS, as_dict
from nobi.board.stones import BLACK, EMPTY
from nobi.board.text import row_column, vertex_name
from nobi.games.atari_go import AtariGo
from nobi.players.heuristic.forced_captures import (
    allocate_workspace,
    find_liberties,
    forced_wins,
    wins_by_atari,
    wins_by_net,
)
from reference import surround

TACTICS = {
    "captures rather than saves": (
        """
        . . . . . . .
        . X O . . . .
        . O X O . . .
        . . . . . . .
        . . . . X . .
        . . . X O X .
        . . . . . . .
        """,
        {"E1"},
    ),
    "saves a stone in atari": (
        """
        . . . . . . .
        . . . . . . .
        . O X O . . .
        . . O . . . .
        . . . . . . .
        . X . . . X .
        . . . . . . .
        """,
        {"C6"},
    ),
    "of two stones in atari saves that with the more liberties": (
        """
        . . . . . . .
        . . . . . . .
        . O X O . . .
        . . O . . . .
        . . . . . . .
        . . . . . . .
        X O . . . X .
        """,
        {"C6"},
    ),
    "takes a ladder": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . X O . . . .
        . . X X . . .
        . . . . . . .
        """,
        {"C4"},
    ),
    "gives a double atari": (
        """
        . . . . . . .
        . . X X . . .
        . X O . . . .
        . . . O X . .
        . . . X . . .
        . . . . . . .
        . . . . . . .
        """,
        {"C4", "D5"},
    ),
    "drives a stone to the edge": (
        """
        . . . . . . .
        . . . . . . .
        . . . . . X .
        . . . . X O .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
        {"F3"},
    ),
}


@pytest.mark.parametrize("name", TACTICS)
def test_tactics(name):
    text, expected = TACTICS[name]
    game = AtariGo.from_text(text, BLACK)
    found = {vertex_name(move, game.size) for move in choices_of("heuristic", game, 30)}
    assert found <= expected


def test_a_ladder_breaker_changes_the_move():
    ladder = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . X O . . . . . .
        . . X X . . . . .
        . . . . . . . . .
    """
    working = AtariGo.from_text(ladder, BLACK)
    atari = working._as_point("C4")
    assert set(choices_of("heuristic", working, 20)) == {atari}
    rows = [line.split() for line in ladder.strip().splitlines()]
    rows[2][6] = "O"  # a white stone at G7, on the ladder's way
    broken = AtariGo.from_text("\n".join(" ".join(row) for row in rows), BLACK)
    workspace = allocate_workspace(9, 0.0)
    workspace.steps[0] = 300
    assert not wins_by_atari(broken.boards.stones, 0, workspace, np.uint16(atari), BLACK, np.uint16(0))
    workspace.steps[0] = 300
    assert wins_by_atari(working.boards.stones, 0, workspace, np.uint16(atari), BLACK, np.uint16(0))


NET = """
    . . . . . . . . .
    . . . . . . . . .
    . . . X X . . . .
    . . X O . . . . .
    . . X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


@pytest.mark.parametrize(("move", "holds"), [("E5", True), ("F5", False), ("E4", False), ("F6", False)])
def test_a_net_holds_against_every_answer(move, holds):
    """The knight's move around the cutting stone nets it; from one step further away the stone escapes."""
    game = AtariGo.from_text(NET, BLACK)
    workspace = allocate_workspace(9, 0.0)
    workspace.steps[0] = 10_000
    point, target = np.uint16(game._as_point(move)), np.uint16(game._as_point("D6"))
    assert wins_by_net(game.boards.stones, 0, workspace, point, BLACK, target, np.uint16(0)) == holds
    assert net_by_search(as_dict(game), 9, surround.BLACK, row_column(int(point), 9), 40) == holds


def capture_by_search(board, size, me, move, depth):
    """Plain recursive reading of sequences of ataris: whether `move` by `me` forces a capture."""
    other = surround.OTHER[me]
    board = {**board, move: me}
    chains = {p: surround.chain_and_liberties(board, p, size) for p in board}
    if any(not liberties for p, (_, liberties) in chains.items() if board[p] == other):
        return True
    if any(len(liberties) < 2 for p, (_, liberties) in chains.items() if board[p] == me):
        return False
    last = {next(iter(liberties)) for p, (_, liberties) in chains.items() if board[p] == other and len(liberties) == 1}
    if len(last) > 1:
        return True
    if not last or depth == 0:
        return False
    [answer] = last
    board = {**board, answer: other}
    _, liberties = surround.chain_and_liberties(board, answer, size)
    if len(liberties) < 2:
        return True
    if len(liberties) > 2:
        return False
    return any(capture_by_search(board, size, me, p, depth - 1) for p in liberties)


def net_by_search(board, size, me, move, depth):
    """Whether after `move`, for every answer of the enemy and for a pass, `me` has a capture by ataris."""
    other = surround.OTHER[me]
    after = {**board, move: me}
    if len(surround.chain_and_liberties(after, move, size)[1]) < 2:
        return False
    points = {(r, c) for r in range(size) for c in range(size)}
    for target in [p for p in after if after[p] == other]:
        _, liberties = surround.chain_and_liberties(after, target, size)
        if len(liberties) == 2 and all(
            falls(reply, size, me, target, depth)
            for reply in [after, *({**after, answer: other} for answer in points - after.keys())]
        ):
            return True
    return False


def falls(board, size, me, target, depth):
    if any(not surround.chain_and_liberties(board, p, size)[1] for p in board if board[p] != me):
        return True
    _, liberties = surround.chain_and_liberties(board, target, size)
    if len(liberties) != 2:
        return len(liberties) < 2
    return any(capture_by_search(board, size, me, p, depth) for p in liberties)


def quiet_positions(size, count):
    """Random positions where no chain is in atari."""
    rng = random.Random(size)
    while count:
        game = AtariGo(size)
        for _ in range(rng.randrange(4, size * size // 2)):
            board = as_dict(game)
            safe = []
            for move in game.legal_moves():
                after = {**board, row_column(move, size): MARKS[game.to_move]}
                if all(len(surround.chain_and_liberties(after, p, size)[1]) >= 2 for p in after):
                    safe.append(move)
            if not safe:
                break
            game.play(rng.choice(safe))
        count -= 1
        yield game


def test_forced_wins_are_those_of_a_plain_search():
    """All working sequences of ataris are found, and no others; every net that is found holds against every answer."""
    nets = ladders = 0
    for game in [*quiet_positions(5, 80), *quiet_positions(6, 60), *quiet_positions(7, 60)]:
        size = game.size
        workspace = allocate_workspace(size, 0.0)
        before = game.boards.stones.colour.copy()
        count = forced_wins(game.boards.stones, 0, workspace, game.to_move, np.uint16(0), size * size)
        assert (game.boards.stones.colour == before).all()
        found = {int(move) for move in workspace.candidates[:count]}
        board = as_dict(game)
        me = MARKS[game.to_move]
        by_atari = {p for p in game.legal_moves() if capture_by_search(board, size, me, row_column(p, size), 40)}
        if by_atari:
            assert found == by_atari
            ladders += 1
        else:
            for move in found:
                assert net_by_search(board, size, me, row_column(move, size), 40)
            nets += len(found)
    assert ladders > 20
    assert nets > 0


def test_liberties_by_traversal_are_those_of_the_reference():
    for game in quiet_positions(7, 20):
        workspace = allocate_workspace(7, 0.0)
        board = as_dict(game)
        for p in game.points():
            if game.colour(p) != EMPTY:
                count = find_liberties(game.boards.stones, 0, workspace, np.uint16(p), 49)
                _, expected = surround.chain_and_liberties(board, row_column(p, 7), 7)
                assert {row_column(int(q), 7) for q in workspace.liberty[:count]} == expected


def test_with_e_one_it_is_the_random_player():
    game = AtariGo.from_text(TACTICS["takes a ladder"][0], BLACK)
    legal = game.legal_moves()
    assert_uniform(choices_of("heuristic:e=1", game, 100 * len(legal)), legal)
