"""Ladders on diagrams and made-up positions, read as by the plain twin."""

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.diagrams import ENDLESS_LADDER, LADDER
from helpers.positions import position
from helpers.twins import as_dict, crowded_positions, game_of
from nobi.board.ladders import allocate_ladder_workspace, captures_in_ladder, ladder_limit_hits
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import COLUMNS, point_at, point_named, row_column
from nobi.encoding import position_planes
from nobi.features import make_planes
from nobi.memory import copy_state
from reference import planes as plain
from reference import surround

M15 = make_planes("m15")


def ladder_moves(game):
    """The names of the moves that capture a chain in a ladder."""
    values = position_planes(game, M15, 0)[M15.channels.index("ladder")]
    return {f"{COLUMNS[c]}{game.size - r}" for r, c in zip(*np.nonzero(values), strict=True)}


def with_stones(diagram, **stones):
    """A diagram with further stones: X="D4 E5"."""
    rows = [line.split() for line in diagram.strip().splitlines()]
    for mark, names in stones.items():
        for name in names.split():
            rows[len(rows) - int(name[1:])][COLUMNS.index(name[0])] = mark
    return "\n".join(" ".join(row) for row in rows)


FROM_ATARI = with_stones(LADDER, O="A3 B2")
"""The same, but black's stone at B3 is in atari, and beside the chain."""

TWO_WAYS = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . X . . . . .
. . . X O . . . .
. . . . X X . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
"""
"""The stone at E5 can be driven upwards and to the right."""

TWO_CHAINS = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . X X . X X . .
. . X O . O X . .
. . X . . . X . .
. . . . . . . . .
. . . . . . . . .
"""
"""Black at E4 begins two ladders at once, one to either side."""

EDGE = """
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . X . . .
. . X O . . .
. . . . . . .
"""

LADDERS = {
    "works": (LADDER, {"C4"}),
    "broken by a stone on its way": (with_stones(LADDER, O="G7"), set()),
    "broken by a stone beside its way": (with_stones(LADDER, O="F7"), set()),
    "a stone far from its way does not matter": (with_stones(LADDER, O="H3"), {"C4"}),
    "the attacker's own stone on the way helps": (with_stones(LADDER, O="H8", X="F7"), {"C4"}),
    "the chain captures a chaser in atari": (FROM_ATARI, set()),
    "the chaser is covered": (with_stones(FROM_ATARI, X="B4"), {"A2", "A4", "B1", "C4", "D3"}),
    "double, two ways": (TWO_WAYS, {"E6", "F5"}),
    "double, two ways, the one upwards broken": (with_stones(TWO_WAYS, O="H5"), {"F5"}),
    "double, two ways, the one to the right broken": (with_stones(TWO_WAYS, O="E8"), {"E6"}),
    "double, two ways, both broken by one stone": (with_stones(TWO_WAYS, O="G7"), set()),
    "double, two chains": (TWO_CHAINS, {"E4"}),
    "double, two chains, one broken": (with_stones(TWO_CHAINS, O="D2"), {"E4"}),
    "double, two chains, the other broken": (with_stones(TWO_CHAINS, O="F2"), {"E4"}),
    "double, two chains, both broken": (with_stones(TWO_CHAINS, O="D2 F2"), set()),
    "driven along the edge": (EDGE, {"E2"}),
}


@pytest.mark.parametrize("name", LADDERS)
def test_ladders(name):
    diagram, expected = LADDERS[name]
    game = position("go", diagram, BLACK)
    assert ladder_moves(game) == expected
    twin = plain.planes_of("m15", plain.replay(game.size, as_dict(game), []), surround.BLACK, [], 0)
    assert int(twin["ladder"].sum()) == len(expected)


def test_a_ladder_is_the_attackers_not_the_defenders():
    assert ladder_moves(position("go", LADDER, WHITE)) == set()


@pytest.mark.parametrize(("breaker", "expected"), [("", {"C4"}), ("W23", set())])
def test_a_ladder_runs_across_the_largest_board(breaker, expected):
    empty = "\n".join([" ".join("." * 25)] * 25)
    diagram = with_stones(empty, X="B3 C2 D2", O=f"C3 {breaker}")
    assert ladder_moves(position("go", diagram)) == expected


@pytest.mark.parametrize(("stones", "steps"), [("Z21", 1300), ("M1 Z21", 2800)])
def test_a_ladder_that_branches_is_read_to_its_end(stones, steps):
    """White stones on and beside the edge lead the attacker astray, and only at the far end of the board."""
    empty = "\n".join([" ".join("." * 25)] * 25)
    game = position("go", with_stones(empty, X="B3 C2 D2", O=f"C3 {stones}"))
    before = ladder_limit_hits()
    assert ladder_moves(game) == {"C4"}
    assert ladder_limit_hits() == before
    workspace = allocate_ladder_workspace(25)
    move, target = (np.uint16(point_named(name, 25)) for name in ("C4", "C3"))
    assert captures_in_ladder(game.boards.stones, game.boards.chains, 0, workspace, move, target)
    assert workspace.steps[0] > steps
    twin = plain.replay(25, as_dict(game), [])
    assert plain.is_ladder(twin.board, 25, row_column(int(move), 25), surround.BLACK)


def test_an_endless_ladder_is_counted():
    before = ladder_limit_hits()
    ladder_moves(position("go:ko=simple", ENDLESS_LADDER))
    assert ladder_limit_hits() == before + 1


@settings(max_examples=40, deadline=None)
@given(crowded_positions())
def test_reading_a_ladder_leaves_the_board_as_it_was(drawn):
    size, board, me = drawn
    game = game_of(size, board, me)
    boards = game.boards
    before = copy_state(boards)
    workspace, limit_hits = allocate_ladder_workspace(size), ladder_limit_hits()
    for target, mark in board.items():
        liberties = plain.chain_and_liberties(board, target, size)[1]
        if mark == surround.OTHER[me] and len(liberties) == 2:
            for move in liberties:
                point, stone = (np.uint16(point_at(*p, size)) for p in (move, target))
                if game.is_legal(int(point)):
                    works = captures_in_ladder(boards.stones, boards.chains, 0, workspace, point, stone)
                    assert works == plain.attack_succeeds(board, size, move, target, me, None)
                    assert ladder_limit_hits() == limit_hits
                    assert not workspace.undo.height.any()
    np.testing.assert_array_equal(boards.stones.colour, before.stones.colour)
    np.testing.assert_array_equal(boards.chains.head, before.chains.head)
    np.testing.assert_array_equal(boards.chains.around[0], before.chains.around[0])
    stones = [point_at(*p, size) for p in board]
    np.testing.assert_array_equal(boards.chains.next[0, stones], before.chains.next[0, stones])
    heads = sorted({int(boards.chains.head[0, p]) for p in stones})
    for kept in ("stones", "liberties"):
        np.testing.assert_array_equal(
            getattr(boards.chains, kept)[0, heads], getattr(before.chains, kept)[0, heads], kept
        )
