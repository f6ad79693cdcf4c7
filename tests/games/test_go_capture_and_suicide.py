"""Go: captures and suicide, case by case."""

import pytest

from helpers.diagrams import CAPTURES, CONNECTION, FOUR_STONE_SUICIDE, ONE_STONE_SUICIDE
from helpers.positions import KO_RULES, assert_forbidden, drawn, picture, play, position, prisoners
from nobi.board.stones import BLACK, WHITE

# Captures


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("ko", KO_RULES)
def test_go_captures(ko, name):
    move, taken, before, after = CAPTURES[name]
    game = position(f"go:ko={ko}", before)
    game.play(move)
    assert picture(game) == drawn(after)
    assert prisoners(game) == [0, taken]


def test_go_stones_with_a_liberty_left_stay():
    game = position(
        "go",
        """
        . . . . .
        . . X . .
        . X O X .
        . . O . .
        . . . . .
        """,
    )
    play(game, "B2 A5 D2")
    assert game.colour("C3") == game.colour("C2") == WHITE
    assert prisoners(game) == [0, 0]


@pytest.mark.parametrize("ko", KO_RULES)
def test_go_snapback(ko):
    """White throws in, black captures the stone and his chain has one liberty left: the point just freed."""
    game = position(
        f"go:ko={ko}",
        """
        . . . . .
        . . . . .
        O O . . .
        X X O . .
        . . X X .
        """,
        WHITE,
    )
    play(game, "B1 A1")
    assert prisoners(game) == [0, 1]
    assert game.is_legal("B1"), "one stone has been taken, but by a chain: that is no ko"
    game.play("B1")
    assert picture(game) == drawn(
        """
        . . . . .
        . . . . .
        O O . . .
        . . O . .
        . O X X .
        """
    )
    assert prisoners(game) == [3, 1]


# Suicide


@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize(
    ("before", "move"),
    [pytest.param(ONE_STONE_SUICIDE, "A5", id="one stone"), pytest.param(FOUR_STONE_SUICIDE, "A4", id="four stones")],
)
def test_go_suicide_is_forbidden_by_default(ko, before, move):
    assert_forbidden(position(f"go:ko={ko}", before), move)


@pytest.mark.parametrize("ko", KO_RULES)
def test_go_suicide_of_several_stones_where_allowed(ko):
    game = position(f"go:suicide=true,ko={ko}", FOUR_STONE_SUICIDE)
    game.play("A4")
    assert picture(game) == drawn(
        """
        . . O . .
        . . O . .
        O O . . .
        . . . . .
        . . . . .
        """
    )
    assert prisoners(game) == [4, 0]
    assert game.to_move == WHITE
    assert not game.is_over


def test_go_suicide_of_one_stone_where_allowed_is_a_pass_that_costs_a_stone():
    game = position("go:suicide=true,ko=simple", ONE_STONE_SUICIDE)
    game.play("A5")
    assert picture(game) == drawn(ONE_STONE_SUICIDE)
    assert prisoners(game) == [1, 0]
    assert game.to_move == WHITE
    play(game, "pass")
    assert not game.is_over, "a suicide is not a pass"


def test_go_suicide_of_one_stone_repeats_the_position_but_not_the_situation():
    assert_forbidden(position("go:suicide=true,ko=positional", ONE_STONE_SUICIDE), "A5")
    game = position("go:suicide=true,ko=situational", ONE_STONE_SUICIDE)
    game.play("A5")
    assert prisoners(game) == [1, 0]
    game.play("pass")  # black's turn in the start position again
    assert_forbidden(game, "A5")


@pytest.mark.parametrize("suicide", ["true", "false"])
def test_go_a_stone_that_connects_to_a_liberty_is_no_suicide(suicide):
    game = position(f"go:suicide={suicide}", CONNECTION)
    game.play("A5")
    assert game.colour("A5") == BLACK
    assert prisoners(game) == [0, 0]
