"""Gomoku, and rows of five, which are shared with Pente, case by case."""

import pytest

from helpers.positions import (
    assert_forbidden,
    drawn,
    immediate_outcome,
    picture,
    play,
    position,
    rows_position,
    side_by_side,
    step,
)
from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.board.text import COLUMNS
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.base import UNDECIDED, WINS

BOTH = ["gomoku", "pente:centre=false"]
DIRECTIONS = {"east": (1, 0), "north": (0, 1), "north-east": (1, 1), "south-east": (1, -1)}


@pytest.mark.parametrize("spec", BOTH)
@pytest.mark.parametrize("colour", [BLACK, WHITE], ids=["black", "white"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("length", [4, 5, 6, 7, 9])
def test_five_or_more_in_a_row_win(spec, colour, direction, length):
    """In each direction and with each stone as the last one; four are not enough, six or more are."""
    right, up = DIRECTIONS[direction]
    start = "A9" if up < 0 else "A1"
    row = [step(start, right, up, i) for i in range(length)]
    for last in row:
        others = [name for name in row if name != last]
        black, white = (others, ()) if colour == BLACK else ((), others)
        game = rows_position(spec, 9, black, white, to_move=colour)
        assert immediate_outcome(game, last) == (UNDECIDED if length == 4 else WINS)
        game.play(last)
        assert game.result() == ("?" if length == 4 else "B+" if colour == BLACK else "W+")


@pytest.mark.parametrize("spec", BOTH)
def test_a_row_is_interrupted_by_a_gap_or_an_enemy(spec):
    for white in ["", "E5"]:
        game = rows_position(spec, 9, ["B5", "C5", "D5", "F5"], white.split())
        assert immediate_outcome(game, "G5") == UNDECIDED
        game.play("G5")
        assert game.result() == "?"


@pytest.mark.parametrize(
    "diagram",
    side_by_side(
        """
        . . . . . . | . . . . . . | . . . . . . | . . . X . .
        . . . X X X | . . . X X X | . . . . . . | . . . . X .
        . X . . . . | . . . . . . | . X . X X X | . . . . . X
        . . . . . . | . X . . . . | . . . . . . | . . . . . .
        . . . . . . | . . . . . . | . . . . . . | . X . . . .
        . . . . . . | . . . . . . | . . . . . . | . . . . . .
        """
    ),
    ids=[
        "row end to the start of the row below",
        "row end to the start of the row after next",
        "row end to its own start",
        "diagonal beyond the right edge",
    ],
)
@pytest.mark.parametrize("spec", BOTH)
def test_rows_do_not_wrap_around(spec, diagram):
    game = position(spec, diagram)
    for last in [f"A{y}" for y in range(1, 7)]:
        assert immediate_outcome(game, last) == UNDECIDED
        game.play(last)
        assert not game.is_over
        game.undo()


@pytest.mark.parametrize("spec", BOTH)
@pytest.mark.parametrize("size", [5, 6, 9])
def test_five_stones_win_only_on_a_true_line(spec, size):
    """Five points that would form a line if the board were a flat array (several widths) or a torus."""
    board = [(x, y) for y in range(size) for x in range(size)]
    true, rows = set(), set()
    for x, y in board:
        for right, up in DIRECTIONS.values():
            line = [(x + right * i, y + up * i) for i in range(5)]
            if set(line) <= set(board):
                true.add(frozenset(line))
            rows.add(frozenset(((a % size), (b % size)) for a, b in line))
    for width in (size - 1, size, size + 1):
        for start in range(size * size):
            for pace in (1, width - 1, width, width + 1):
                tape = [start + pace * i for i in range(5)]
                rows.add(frozenset(board[i] for i in tape if i < size * size))
    rows = sorted(sorted(row) for row in rows | true if len(row) == 5)
    assert len(true) == 2 * size * (size - 4) + 2 * (size - 4) ** 2
    assert len(rows) > 2 * len(true)
    for row in rows:
        *others, last = [f"{COLUMNS[x]}{y + 1}" for x, y in row]
        game = rows_position(spec, size, others)
        game.play(last)
        assert game.result() == ("B+" if frozenset(row) in true else "?"), row


FULL_WITHOUT_FIVE, FULL_WITH_FIVE = side_by_side(
    """
    X X O O X | X X X X X
    O O X X O | O X O X O
    X X O O X | X O X O X
    O O X X O | O X O X O
    X X O O X | O O X O O
    """
)


def moves_to(diagram, last):
    """Alternating moves, row by row from the bottom, that lead to a diagram; `last` is the last one."""
    stones = {"X": [], "O": []}
    for y, row in enumerate(reversed(drawn(diagram)), 1):
        for x, mark in zip(COLUMNS, row, strict=False):
            stones[mark].append(f"{x}{y}")
    stones["X"].remove(last)
    stones["X"].append(last)
    assert [len(stones["X"]), len(stones["O"])] == [13, 12]
    return [stones["XO"[i % 2]][i // 2] for i in range(25)]


@pytest.mark.parametrize(
    ("diagram", "outcome"),
    [pytest.param(FULL_WITHOUT_FIVE, DRAW, id="draw"), pytest.param(FULL_WITH_FIVE, BLACK, id="five at the last move")],
)
def test_gomoku_full_board(diagram, outcome):
    *moves, last = moves_to(diagram, "A5")
    game = variant("gomoku", 5).new()
    for move in moves:
        game.play(move)
        assert game.outcome == RUNNING
    game.play(last)
    assert picture(game) == drawn(diagram)
    assert game.outcome == outcome
    assert game.result() == {DRAW: "Draw", BLACK: "B+"}[outcome]
    assert game.legal_moves() == []
    assert len(game.moves) == variant("gomoku", 5).most_moves


@pytest.mark.parametrize("spec", ["gomoku", "pente"])
def test_rows_occupied_points_are_not_played(spec):
    game = play(variant(spec, 9).new(), "A1")
    assert_forbidden(game, "A1")
    with pytest.raises(NobiError, match="A1 cannot be played: it is taken"):
        game.play("A1")
