"""Pente: pairs, the stone at the centre and the full board, case by case. Its rows are tested with Gomoku's."""

import pytest

from helpers.diagrams import EMPTY_BOARD, HALVES, ONE_STONE
from helpers.positions import (
    assert_forbidden,
    drawn,
    immediate_outcome,
    picture,
    play,
    points,
    position,
    rows_position,
    side_by_side,
    step,
)
from nobi.board.stones import BLACK, DRAW, EMPTY, RUNNING, WHITE
from nobi.board.text import point_named
from nobi.games import variant
from nobi.games.base import UNDECIDED, WINS

EIGHT = {
    **{"east": (1, 0), "north-east": (1, 1), "north": (0, 1), "north-west": (-1, 1)},
    **{"west": (-1, 0), "south-west": (-1, -1), "south": (0, -1), "south-east": (1, -1)},
}


@pytest.mark.parametrize("colour", [BLACK, WHITE], ids=["black", "white"])
@pytest.mark.parametrize("direction", EIGHT)
@pytest.mark.parametrize("flanked", [1, 2, 3])
def test_pente_exactly_two_stones_are_captured(colour, direction, flanked):
    right, up = EIGHT[direction]
    enemies = [step("F6", right, up, i) for i in range(1, flanked + 1)]
    friend = [step("F6", right, up, flanked + 1)]
    black, white = (friend, enemies) if colour == BLACK else (enemies, friend)
    game = rows_position("pente:centre=false", 11, black, white, to_move=colour)
    game.play("F6")
    assert game.pairs == {BLACK: 0, WHITE: 0} | {colour: int(flanked == 2)}
    left = EMPTY if flanked == 2 else BLACK + WHITE - colour
    assert [game.colour(name) for name in enemies] == [left] * flanked
    assert game.colour(friend[0]) == colour
    assert game.colour("F6") == colour
    assert not game.is_over


@pytest.mark.parametrize("direction", EIGHT)
def test_pente_a_pair_needs_a_stone_behind_it(direction):
    """Neither an empty point, nor an enemy, nor the edge behind two stones makes a capture."""
    right, up = EIGHT[direction]
    game = rows_position("pente:centre=false", 7, [], [step("D4", right, up, i) for i in (1, 2)])
    game.play("D4")
    assert game.pairs == {BLACK: 0, WHITE: 0}
    start = step("D4", right, up, 1)
    game = rows_position("pente:centre=false", 7, [], [step(start, right, up, i) for i in (1, 2)])
    game.play(start)
    assert game.pairs == {BLACK: 0, WHITE: 0}
    assert sum(row.count("O") for row in picture(game)) == 2


def test_pente_pairs_do_not_wrap_around_the_edge():
    game = position(
        "pente:centre=false",
        """
        . . . . .
        . . . O O
        X . . . .
        . X . . .
        . . . . .
        """,
    )
    for move in ["C4", "C5", "C3"]:
        game.play(move)
        assert game.pairs == {BLACK: 0, WHITE: 0}
        game.undo()


def test_pente_several_pairs_at_once():
    before, after = side_by_side(
        """
        X . . X . . X | X . . X . . X
        . O . O . O . | . . . . . . .
        . . O O O . . | . . . . . . .
        . . . . . . . | . . . X . . .
        . . O O O . . | . . O O O . .
        . O . O . O . | . O . O . O .
        O . . . . . O | O . . . . . O
        """
    )
    game = position("pente:centre=false", before)
    game.play("D4")
    assert picture(game) == drawn(after)
    assert game.pairs == {BLACK: 3, WHITE: 0}
    assert not game.is_over


def test_pente_moving_between_two_enemies_is_safe():
    game = position(
        "pente:centre=false",
        """
        . . . . .
        . . . . .
        O X . O .
        . . . . .
        . . . . .
        """,
    )
    game.play("C3")
    assert picture(game)[2] == "OXXO."
    play(game, "E1")
    assert picture(game)[2] == "OXXO."
    assert game.pairs == {BLACK: 0, WHITE: 0}


def test_pente_freed_points_are_played_again():
    game = position(
        "pente:centre=false",
        """
        . . . . .
        . . . . .
        . O O X .
        . . . . .
        . . . . .
        """,
    )
    game.play("A3")
    assert picture(game)[2] == "X..X."
    for name in ["B3", "C3"]:
        assert game.is_legal(name)
        assert point_named(name, 5) in game.legal_moves()
    play(game, "B3 A1 C3")
    assert picture(game)[2] == "XOOX."
    assert game.pairs == {BLACK: 1, WHITE: 0}


def test_pente_fifth_pair_wins():
    """Black takes four pairs with E6; white's pair is not added to them; A1 takes the fifth."""
    game = position(
        "pente:centre=false",
        """
        . . . . X . . . .
        . . . . O . . . .
        . . . . O . . . .
        . X O O . O O X .
        . . . . O . . . .
        . . . . O . . . .
        . . . . X . . . .
        . . . . . . . . .
        . O O X . O X X .
        """,
    )
    assert immediate_outcome(game, "E6") == UNDECIDED
    play(game, "E6 J1")
    assert game.pairs == {BLACK: 4, WHITE: 1}
    assert not game.is_over
    assert immediate_outcome(game, "A9") == UNDECIDED
    assert immediate_outcome(game, "A1") == WINS
    game.play("A1")
    assert game.pairs == {BLACK: 5, WHITE: 1}
    assert game.result() == "B+"
    assert game.legal_moves() == []


def test_pente_eight_pairs_in_one_move_win():
    ring = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    black = [step("D4", x, y, 3) for x, y in ring]
    white = [step("D4", x, y, i) for x, y in ring for i in (1, 2)]
    game = rows_position("pente:centre=false", 7, black, white)
    assert immediate_outcome(game, "D4") == WINS
    game.play("D4")
    assert game.result() == "B+"
    assert game.pairs == {BLACK: 8, WHITE: 0}
    assert sum(row.count("O") for row in picture(game)) == 0


def test_pente_five_in_a_row_is_checked_before_a_capture():
    game = position(
        "pente:centre=false",
        """
        . . . . X . .
        . . . . O . .
        . . . . O . .
        X X X X . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
    )
    assert immediate_outcome(game, "E4") == WINS
    game.play("E4")
    assert game.result() == "B+"
    assert game.pairs == {BLACK: 0, WHITE: 0}
    assert game.colour("E5") == game.colour("E6") == WHITE


def test_pente_a_capture_breaks_a_row():
    """White's four loses two stones; its fifth point no longer wins."""
    game = position(
        "pente:centre=false",
        """
        . . . . . . .
        . X . . . . .
        . O . . . . .
        . O O O O . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """,
    )
    assert immediate_outcome(game, "B3") == UNDECIDED
    game.play("B3")
    assert game.pairs == {BLACK: 1, WHITE: 0}
    game.play("F4")
    assert not game.is_over
    play(game, "A1")
    assert immediate_outcome(game, "B4") == WINS


@pytest.mark.parametrize(("size", "centre"), [(5, "C3"), (6, "D3"), (9, "E5"), (19, "K10"), (25, "N13")])
def test_pente_centre_stone(size, centre):
    game = variant("pente", size).new()
    assert game.to_move == BLACK
    assert [p for p in game.points() if game.colour(p) != EMPTY] == points(centre, size)
    assert game.colour(centre) == WHITE
    assert game.start == [(point_named(centre, size), WHITE)]
    assert_forbidden(game, centre)
    bare = variant("pente:centre=false", size).new()
    assert bare.to_move == BLACK
    assert len(bare.legal_moves()) == size * size
    assert bare.start == []


def test_pente_centre_stone_can_be_captured_and_comes_back_with_undo():
    game = play(variant("pente", 9).new(), "D5 F5")
    game.play("G5")
    assert game.pairs == {BLACK: 1, WHITE: 0}
    assert game.colour("E5") == game.colour("F5") == EMPTY
    game.undo()
    assert game.colour("E5") == game.colour("F5") == WHITE
    assert game.pairs == {BLACK: 0, WHITE: 0}


@pytest.mark.parametrize("spec", ["pente", "pente:centre=false"])
def test_pente_set_up_is_the_whole_start_position(spec):
    """A diagram determines the centre, regardless of the setting."""
    for diagram in [EMPTY_BOARD, ONE_STONE, HALVES]:
        assert picture(position(spec, diagram)) == drawn(diagram)


@pytest.mark.parametrize(
    ("spec", "moves", "pairs"),
    [
        pytest.param(
            "pente:centre=false",
            "E1 E4 C5 A5 B1 C3 C2 B2 D1 A2 E5 E2 B4 D4 E3 B5 A3 C1 D5 A4 C4 A1 D3 B3 D2",
            [0, 0],
            id="without captures",
        ),
        pytest.param(
            "pente",
            "D3 A2 B5 E4 B1 A1 C2 B3 E1 B4 B2 D1 E5 B3 D5 C4 A4 C5 E3 D2 D4 A3 A5 B4 E2 C2 B2 C2 C1 B3 B4 D2",
            [3, 1],
            id="with four captures",
        ),
    ],
)
def test_pente_full_board_is_a_draw(spec, moves, pairs):
    *before, last = moves.split()
    game = variant(spec, 5).new()
    for move in before:
        game.play(move)
        assert game.outcome == RUNNING
    game.play(last)
    assert game.outcome == DRAW
    assert game.result() == "Draw"
    assert "." not in "".join(picture(game))
    assert game.pairs == {BLACK: pairs[0], WHITE: pairs[1]}
    assert game.legal_moves() == []


def test_pente_full_board_that_captures_goes_on():
    """The move that fills the last point takes a pair, and so frees two points."""
    diagram = """
        . O O X O
        O X O X O
        X O X O X
        O X O X X
        O O X O O
        """
    game = position("pente:centre=false", diagram)
    game.play("A5")
    assert game.pairs == {BLACK: 1, WHITE: 0}
    assert game.outcome == RUNNING
    assert game.legal_moves() == points("B5 C5", 5)
