"""Atari-Go: its rules, case by case."""

import random

import pytest

from helpers.diagrams import CAPTURES, CONNECTION, FOUR_STONE_SUICIDE, KO, ONE_STONE_SUICIDE
from helpers.positions import immediate_outcome, picture, play, points, position
from nobi.board.stones import BLACK, EMPTY, WHITE
from nobi.board.text import vertex_name
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.base import LOSES, UNDECIDED, WINS

ONE = CAPTURES["one stone"]
TWO = CAPTURES["two chains, filling the own last liberty in the corner"]
THREE = CAPTURES["a chain that touches the point on two sides counts once"]
FIVE = CAPTURES["a chain that touches the point on three sides counts once"]


def captured(game):
    """How many stones black and white have captured in Atari-Go."""
    return [int(game.boards.captured[0, colour]) for colour in (BLACK, WHITE)]


@pytest.mark.parametrize(
    ("spec", "diagram", "move", "result"),
    [
        pytest.param("atari-go", ONE.before, "C2", "B+", id="a capture wins"),
        pytest.param("atari-go", ONE_STONE_SUICIDE, "A5", "W+", id="a suicide of one stone loses"),
        pytest.param("atari-go", FOUR_STONE_SUICIDE, "A4", "W+", id="a suicide of several stones loses"),
        pytest.param("atari-go:captures=3", ONE_STONE_SUICIDE, "A5", "W+", id="a suicide loses whatever the captures"),
        pytest.param("atari-go", TWO.before, "A1", "B+", id="a capture that fills the own last liberty wins"),
        pytest.param("atari-go", CONNECTION, "A5", "?", id="a stone that connects to a liberty is no suicide"),
        pytest.param(
            *("atari-go:captures=3", TWO.before, "A1", "?"),
            id="two stones are not three, and the capture is no suicide",
        ),
        pytest.param("atari-go:captures=3", THREE.before, "A1", "B+", id="a chain of three is three"),
        pytest.param(
            *("atari-go:captures=4", THREE.before, "A1", "?"),
            id="a chain of three that touches on two sides is not four",
        ),
        pytest.param("atari-go:captures=4", FIVE.before, "C1", "B+", id="more than needed win too"),
    ],
)
def test_atari_go(spec, diagram, move, result):
    game = position(spec, diagram)
    assert game.is_legal(move)
    assert immediate_outcome(game, move) == {"B+": WINS, "W+": LOSES, "?": UNDECIDED}[result]
    game.play(move)
    assert game.result() == result
    assert game.is_over == (result != "?")


def test_atari_go_white_wins_by_the_same_rules():
    game = variant("atari-go", 5).new()
    play(game, "A1 A2 C3")
    assert immediate_outcome(game, "B1") == WINS
    game.play("B1")
    assert game.result() == "W+"
    assert game.colour("A1") == EMPTY
    assert game.legal_moves() == []
    with pytest.raises(NobiError, match="the game is over"):
        game.play("E5")


def test_atari_go_every_empty_point_may_be_played():
    game = position("atari-go", ONE_STONE_SUICIDE)
    assert game.legal_moves() == [p for p in game.points() if game.colour(p) == EMPTY]
    assert len(game.legal_moves()) == 23
    assert not game.is_legal("B5")


def test_atari_go_counts_stones_over_several_moves():
    game = position(
        "atari-go:captures=3",
        """
        O . X O .
        X . . X .
        . . . . .
        X . . . .
        O O X . .
        """,
    )
    play(game, "B5 C3 B2")
    assert game.result() == "B+"
    assert captured(game) == [3, 0]
    game.undo()
    game.undo()
    game.undo()
    play(game, "B2 C3")
    assert captured(game) == [2, 0]
    assert immediate_outcome(game, "E5") == WINS
    assert immediate_outcome(game, "E3") == UNDECIDED
    game.play("E5")
    assert game.result() == "B+"


def test_atari_go_has_no_ko():
    game = position("atari-go:captures=3", KO)
    play(game, "C1 B1 C1")
    assert captured(game) == [2, 1]
    assert not game.is_over
    game.play("B1")
    assert not game.is_over
    assert immediate_outcome(game, "C1") == WINS
    game.play("C1")
    assert game.result() == "B+"


def test_atari_go_longest_game_fills_the_board():
    """Both build one chain; the last point belongs to the player who plays it first."""
    blacks = [f"{x}{y}" for x in "AB" for y in range(1, 6)] + ["C1", "C2"]
    whites = [f"{x}{y}" for x in "ED" for y in range(1, 6)] + ["C5", "C4"]
    game = variant("atari-go", 5).new()
    for black, white in zip(blacks, whites, strict=True):
        play(game, f"{black} {white}")
        assert not game.is_over
    assert game.legal_moves() == points("C3", 5)
    game.play("C3")
    assert game.result() == "B+"
    assert len(game.moves) == 25 == variant("atari-go", 5).most_moves
    assert sum(row.count("O") for row in picture(game)) == 0


@pytest.mark.parametrize("captures", [1, 2, 3, 10, 100])
def test_atari_go_length_is_bounded(captures):
    """A point is played again only after a capture, of which there are fewer than `captures` stones each."""
    chosen = variant(f"atari-go:captures={captures}", 5)
    assert chosen.most_moves == 25 + 2 * (captures - 1)
    rng = random.Random(captures)
    longest = 0
    for _ in range(40):
        game = chosen.new()
        while not game.is_over:
            safe = [m for m in game.legal_moves() if immediate_outcome(game, vertex_name(m, 5)) == UNDECIDED]
            game.play(rng.choice(safe or game.legal_moves()))
        assert sum(captured(game)) <= 2 * (captures - 1) + 24
        longest = max(longest, len(game.moves))
    assert longest <= chosen.most_moves
    assert (longest > 25) == (captures > 1)
