"""The search of the position after a pass."""

import pytest

from helpers.positions import SETTLED, play, position
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.games import variant
from nobi.players.passing import _can_capture, look_after_pass
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

SHARED_LIBERTY = """
    X X . O O
    X X X O O
    X X O O O
    X X X O O
    X X O O O
"""
"""The player who plays at C5 captures all stones of the opponent."""


def looked(rules, diagram, to_move=BLACK, *, seconds=0.0):
    game = position(rules, diagram, to_move)
    search = Search(variant(game.rules_text(), game.size), SearchSettings(rollouts=300))
    return look_after_pass(game, search, seconds)


@pytest.mark.parametrize(("to_move", "margin"), [(BLACK, 6.5), (WHITE, -6.5)])
def test_a_settled_position(to_move, margin):
    after = looked("go:komi=0.5", SETTLED, to_move)
    assert after.margin == margin
    assert after.worst == margin
    assert after.settled
    assert after.wins("area") == (margin > 0)


@pytest.mark.parametrize("to_move", [BLACK, WHITE])
def test_everything_depends_on_the_next_move(to_move):
    """The opponent moves next and captures everything."""
    after = looked("go:komi=0", SHARED_LIBERTY, to_move)
    assert after.worst == -25
    assert after.value < 0.1
    assert max(after.owned.values()) < 0
    assert not after.wins("area")


def test_no_position_is_settled_with_too_few_playouts(monkeypatch):
    monkeypatch.setattr("nobi.players.passing._TOO_FEW", 10**6)
    assert not looked("go:komi=0.5", SETTLED).settled


@pytest.mark.parametrize(("scoring", "margin", "worst"), [("area", 33, -9), ("territory", 9, -29)])
def test_open_regions_may_become_the_opponents(scoring, margin, worst):
    """The count leaves the open columns neutral, but they may become black's."""
    diagram = """
        . O . O X . . . .
        O O O O . . . . .
        O . O O X . . . .
        O O O O . . . . .
        O . O O X . . . .
        O O O O . . . X .
        O O O O X . . . .
        O O O O . . . . .
        . O . O X . . . .
    """
    after = looked(f"go:komi=0,scoring={scoring}", diagram, WHITE)
    assert (after.margin, after.worst) == (margin, worst)
    assert not after.wins(scoring)


def test_the_position_is_not_changed():
    game = position("go:komi=0.5", SETTLED)
    game.play(PASS)
    before = str(game), game.moves.copy(), game.next_pass_ends, game.is_over
    look_after_pass(game, Search(variant(game.rules_text(), 7), SearchSettings(rollouts=300)))
    assert (str(game), game.moves, game.next_pass_ends, game.is_over) == before


ATARI = """
    . . . . .
    . . O . .
    . O X . .
    . . O . .
    . . . . .
"""
LADDER = """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . X O . . . .
    . . X X . . .
    . . . . . . .
"""
TWO_EYES = """
    . X . X O
    X X X X O
    O O O O O
    . . . . .
    . . . . .
"""
KO = """
    . O X . .
    O X . X .
    . O X . .
    . . . . .
    . . . . .
"""


@pytest.mark.parametrize(
    ("diagram", "to_move", "captures"),
    [
        pytest.param(ATARI, WHITE, True, id="atari"),
        pytest.param(ATARI, BLACK, False, id="nothing in atari"),
        pytest.param(TWO_EYES, WHITE, False, id="two eyes"),
        pytest.param(KO, WHITE, True, id="ko"),
    ],
)
def test_stones_that_can_be_captured(diagram, to_move, captures):
    assert _can_capture(position("go", diagram, to_move), set()) == captures


def test_dead_stones_are_no_loss():
    game = position("go", ATARI, WHITE)
    assert not _can_capture(game, {game._as_point("C3")})


def test_a_ko_that_may_not_be_recaptured():
    game = position("go", KO, WHITE)
    game.play("C4")
    assert not _can_capture(game, set())


def test_ladders():
    """Black captures C3 by C4, unless a white stone at E5 breaks the ladder."""
    game = position("go", LADDER)
    assert _can_capture(game, set())
    broken = game.copy()
    play(broken, "A7 E5")
    assert not _can_capture(broken, set())
