"""Boards drawn as text, and drawings read."""

import random

import pytest

from helpers.positions import GAMES, picture, play
from nobi.board.stones import BLACK, PASS
from nobi.errors import NobiError
from nobi.games import variant


@pytest.mark.parametrize("size", [5, 9, 19, 25])
@pytest.mark.parametrize("spec", [*GAMES, "pente:centre=false", "go:suicide=true,komi=0"])
def test_diagram_round_trip(spec, size):
    """A drawn game read back has the same stones; only the mark of the latest move is gone."""
    chosen = variant(spec, size)
    rng = random.Random(size)
    game = chosen.new()
    for turn in range(size * size // 2):
        following = game.copy()
        following.play(rng.choice([move for move in game.legal_moves() if move != PASS]))
        if following.is_over:
            break
        game = following
        if turn % (size // 2):
            continue
        again = chosen.game.from_text(str(game), game.to_move, game.settings)
        assert picture(again) == picture(game)
        assert again.to_move == game.to_move
        assert str(again) == str(game).replace("(", " ").replace(")", " ").replace(" \n", "\n").rstrip()
    assert len(game.moves) > 5


def test_diagram_round_trip_of_pente_after_the_centre_stone_is_captured():
    game = play(variant("pente", 9).new(), "D5 F5 G5")
    again = type(game).from_text(str(game), game.to_move, game.settings)
    assert picture(again) == picture(game)


def test_diagram_shows_star_points_and_the_latest_move():
    game = play(variant("go", 9).new(), "C4 J9")
    assert str(game).split("\n") == [
        "   A B C D E F G H J",
        " 9 . . . . . . . .(O)",
        " 8 . . . . . . . . .",
        " 7 . . + . . . + . .",
        " 6 . . . . . . . . .",
        " 5 . . . . + . . . .",
        " 4 . . X . . . . . .",
        " 3 . . + . . . + . .",
        " 2 . . . . . . . . .",
        " 1 . . . . . . . . .",
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("X....\n.....\n..O..\n.....\n....X", id="bare"),
        pytest.param("x , , + .\n. . . . .\n. . o . .\n\n. . . . .\n. . . . #\n\n", id="other marks and blank lines"),
        pytest.param("|X....|\n|.....|\n|..O..|\n|.....|\n|....X|", id="bars"),
        pytest.param(
            "  A B C D E\n5 X . . . . 5\n4 . . . . . 4\n3 . .(O). . 3\n2 . . . . . 2\n1 . . . . X 1\n  A B C D E",
            id="coordinates on all sides and a marked move",
        ),
        pytest.param("● . . . .\n.....\n. . ○ . .\n.....\n. . . . ●", id="round stones"),
    ],
)
def test_diagram_in_other_hands(text):
    for spec in ["go", "atari-go", "gomoku"]:
        game = variant(spec, 5).game.from_text(text)
        assert picture(game) == ["X....", ".....", "..O..", ".....", "....X"]
        assert game.to_move == BLACK


@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "The board size must be 5 to 25, not 0.", id="empty"),
        pytest.param("....\n" * 4, "The board size must be 5 to 25, not 4.", id="too small"),
        pytest.param(("." * 26 + "\n") * 26, "The board size must be 5 to 25, not 26.", id="too large"),
        pytest.param(
            ".....\n....\n.....\n.....\n.....",
            "Row 4 of the diagram is '....', not 5 of the marks . + X O.",
            id="short row",
        ),
        pytest.param(
            ".....\n.....\n.....\n.....\n......",
            "Row 1 of the diagram is '......', not 5 of the marks . + X O.",
            id="long row",
        ),
        pytest.param(
            ".....\n.....\n..Q..\n.....\n.....",
            "Row 3 of the diagram is '..Q..', not 5 of the marks . + X O.",
            id="unknown mark",
        ),
        pytest.param(
            "......\n" * 5,
            "Row 5 of the diagram is '......', not 5 of the marks . + X O.",
            id="not a square",
        ),
    ],
)
def test_bad_diagrams(spec, text, message):
    with pytest.raises(NobiError) as fault:
        variant(spec).game.from_text(text)
    assert str(fault.value) == message
