"""Go: the end of a game and its score, case by case."""

import pytest

from helpers.diagrams import EMPTY_BOARD, HALVES, ONE_STONE
from helpers.positions import drawn, immediate_outcome, picture, play, points, position, prisoners, side_by_side
from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.base import LOSES, UNDECIDED, WINS


def test_go_ends_with_two_passes_in_a_row():
    game = variant("go", 9).new()
    game.play("pass")
    assert not game.is_over
    assert game.result() == "?"
    assert immediate_outcome(game, "pass") == WINS
    game.play("pass")
    assert game.is_over
    assert game.outcome == WHITE
    assert game.result() == "W+7.5"
    assert game.legal_moves() == []
    for move in ["E5", "pass"]:
        with pytest.raises(NobiError, match="the game is over"):
            game.play(move)


def test_go_knows_when_a_pass_would_end_the_game():
    game = variant("go", 5).new()
    assert not game.next_pass_ends
    game.play("pass")
    assert game.next_pass_ends
    game.play("C3")
    assert not game.next_pass_ends
    game.undo()
    assert game.next_pass_ends


def test_go_a_move_between_passes_resets_the_count():
    game = variant("go:komi=0", 5).new()
    play(game, "pass C3 pass")
    assert not game.is_over
    play(game, "B3 pass")
    assert not game.is_over
    play(game, "pass")
    assert game.is_over


@pytest.mark.parametrize(
    ("komi", "foreseen", "outcome", "result"),
    [("24", WINS, BLACK, "B+1"), ("25", UNDECIDED, DRAW, "Draw"), ("25.5", LOSES, WHITE, "W+0.5")],
)
def test_go_second_pass_decides(komi, foreseen, outcome, result):
    """One black stone owns all 25 points; black passes after white."""
    game = play(variant(f"go:komi={komi}", 5).new(), "C3 pass")
    assert immediate_outcome(game, "A1") == UNDECIDED
    assert immediate_outcome(game, "pass") == foreseen
    game.play("pass")
    assert game.outcome == outcome
    assert game.result() == result
    game.undo()
    assert game.outcome == RUNNING
    assert game.result() == "?"


UNEVEN, GAP, INTRUDER, INTRUDERS = side_by_side(
    """
    . X O . . | . X O . . | . X . O . | O X . O .
    . X O . . | . X O . . | . X . O . | O X . O X
    . X O . . | . . O . . | O X . O . | . X . O .
    . X O . . | . X O . . | . X . O . | O X . O .
    . X O . . | . X O . . | . X . O . | . X . O .
    """
)
SEKI = """
    X X O . X O O
    X X O O X O O
    X X O O X O O
    . X O O X O .
    X X O O X O O
    . X O O X O .
    X X O . X O O
    """


@pytest.mark.parametrize(
    ("diagram", "komi", "by_area", "by_territory"),
    [
        pytest.param(EMPTY_BOARD, "0", "Draw", "Draw", id="the empty board is neutral"),
        pytest.param(EMPTY_BOARD, "7.5", "W+7.5", "W+7.5", id="the empty board and komi"),
        pytest.param(EMPTY_BOARD, "-3", "B+3", "B+3", id="komi below zero"),
        pytest.param(ONE_STONE, "0", "B+25", "B+24", id="one stone owns the board"),
        pytest.param(ONE_STONE, "24", "B+1", "Draw", id="one stone against a komi of its territory"),
        pytest.param(HALVES, "0", "Draw", "Draw", id="halves, nothing between counts"),
        pytest.param(HALVES, "0.5", "W+0.5", "W+0.5", id="halves and komi"),
        pytest.param(UNEVEN, "0", "W+5", "W+5", id="white has a line more"),
        pytest.param(UNEVEN, "-5", "Draw", "Draw", id="a komi that makes up for it"),
        pytest.param(UNEVEN, "-5.5", "B+0.5", "B+0.5", id="a komi that more than makes up for it"),
        pytest.param(GAP, "0", "W+11", "W+10", id="a gap in the wall makes the region neutral"),
        pytest.param(INTRUDER, "0", "W+6", "W+5", id="a stone inside makes the region neutral"),
        pytest.param(SEKI, "0", "W+5", "Draw", id="seki: the shared liberties are neutral"),
    ],
)
def test_go_score(diagram, komi, by_area, by_territory):
    for scoring, expected in [("area", by_area), ("territory", by_territory)]:
        game = position(f"go:komi={komi},scoring={scoring}", diagram)
        assert game.score() == expected
        assert game.result() == "?"
        play(game, "pass pass")
        assert game.result() == expected
        assert game.outcome == {"B": BLACK, "W": WHITE, "D": DRAW}[expected[0]]


@pytest.mark.parametrize(("to_move", "lost"), [(BLACK, [8, 0]), (WHITE, [0, 13])], ids=["black", "white"])
def test_go_the_player_who_moves_first_in_a_seki_loses_stones(to_move, lost):
    game = play(position("go", SEKI, to_move), "D1 D7")
    assert prisoners(game) == lost


@pytest.mark.parametrize(
    ("diagram", "blacks", "whites"),
    [
        pytest.param(EMPTY_BOARD, "", "", id="empty board"),
        pytest.param(HALVES, "A1 A2 A3 A4 A5 B1 B2 B3 B4 B5", "D1 D2 D3 D4 D5 E1 E2 E3 E4 E5", id="halves"),
        pytest.param(
            INTRUDER, "B1 B2 B3 B4 B5", "A3 D1 D2 D3 D4 D5 E1 E2 E3 E4 E5", id="a region that touches both colours"
        ),
    ],
)
def test_go_owners(diagram, blacks, whites):
    owners = position("go", diagram).owners()
    assert len(owners) == 25
    assert {p for p, owner in owners.items() if owner == BLACK} == set(points(blacks, 5))
    assert {p for p, owner in owners.items() if owner == WHITE} == set(points(whites, 5))


@pytest.mark.parametrize(
    ("diagram", "dead", "by_area", "by_territory"),
    [
        pytest.param(INTRUDER, "", "W+6", "W+5", id="none"),
        pytest.param(INTRUDER, "A3", "Draw", "B+1", id="one"),
        pytest.param(INTRUDERS, "", "W+2", "Draw", id="none of three chains"),
        pytest.param(INTRUDERS, "A5 A2", "B+6", "B+8", id="a chain named by one of its stones"),
        pytest.param(INTRUDERS, "A5 A4 A2", "B+6", "B+8", id="a chain named by all of its stones"),
        pytest.param(INTRUDERS, "A5 A2 E4", "Draw", "B+2", id="stones of both colours"),
        pytest.param(INTRUDERS, "E4 C3", "W+8", "W+6", id="an empty point among them changes nothing"),
    ],
)
def test_go_dead_stones(diagram, dead, by_area, by_territory):
    for scoring, expected in [("area", by_area), ("territory", by_territory)]:
        game = position(f"go:komi=0,scoring={scoring}", diagram)
        assert game.score(dead=points(dead, 5)) == expected
        assert game.score(dead=iter(points(dead, 5))) == expected
        assert picture(game) == drawn(diagram)
        assert prisoners(game) == [0, 0]


BLACK_TAKES, WHITE_TAKES, ONE_STONE_DIES, TWO_STONES_DIE = side_by_side(
    """
    . X . O . | X O . X . | . X . O . | . X . O .
    . X . O . | X O . X . | X X . O . | . X . O .
    . X . O . | . O . X . | . X . O . | X X . O .
    . X . O . | X O . X . | . X . O . | . X . O .
    O X . O . | . O . X . | . X . O . | O X . O .
    """
)
"""Black at A2; white at A3, at A5 and at A2."""


@pytest.mark.parametrize(
    ("spec", "diagram", "to_move", "move", "before", "after"),
    [
        pytest.param("go:komi=0", BLACK_TAKES, BLACK, "A2", "W+6", "Draw", id="area counts no prisoners"),
        pytest.param(
            *("go:komi=0,scoring=territory", BLACK_TAKES, BLACK, "A2", "W+5", "Draw"),
            id="territory counts a prisoner",
        ),
        pytest.param(
            *("go:komi=6.5,scoring=territory", WHITE_TAKES, WHITE, "A3", "W+1.5", "W+5.5"),
            id="white's prisoners count for white",
        ),
        pytest.param(
            *("go:komi=0,scoring=territory,suicide=true,ko=simple", ONE_STONE_DIES, WHITE, "A5", "W+1", "Draw"),
            id="a suicide of one stone is a prisoner",
        ),
        pytest.param(
            *("go:komi=0,scoring=territory,suicide=true", TWO_STONES_DIE, WHITE, "A2", "W+3", "B+1"),
            id="a suicide of two stones is two prisoners",
        ),
    ],
)
def test_go_prisoners_in_the_score(spec, diagram, to_move, move, before, after):
    game = position(spec, diagram, to_move)
    assert game.score() == before
    game.play(move)
    assert game.score() == after


def test_go_margin_is_blacks_points_minus_whites_and_komi():
    game = position("go:komi=6.5,scoring=territory", INTRUDERS)
    assert game.margin() == -6.5
    assert game.margin(dead=points("A5 A2 E4", 5)) == -4.5
