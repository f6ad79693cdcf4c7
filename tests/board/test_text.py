"""Names of points and diagrams of boards."""

import random

import pytest

from helpers.positions import GAMES, picture, play
from nobi.board.stones import BLACK, PASS
from nobi.board.text import point_named, row_column, vertex_name
from nobi.errors import NobiError
from nobi.games import variant


@pytest.mark.parametrize("size", [5, 9, 19, 25])
@pytest.mark.parametrize("spec", [*GAMES, "pente:centre=false", "go:suicide=true,komi=0"])
def test_diagram_round_trip(spec, size):
    """A printed game that is read back has the same stones; only the mark of the latest move is lost."""
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
def test_diagrams_in_other_formats(text):
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
    with pytest.raises(NobiError) as error:
        variant(spec).game.from_text(text)
    assert str(error.value) == message


def test_vertices_of_the_largest_board():
    game = variant("go", 25).new()
    names = [f"{x}{y}" for y in range(25, 0, -1) for x in "ABCDEFGHJKLMNOPQRSTUVWXYZ"]
    assert [vertex_name(p, 25) for p in game.points()] == names
    assert [point_named(name, 25) for name in names] == game.points()
    assert len(set(game.points())) == 625


@pytest.mark.parametrize(
    ("name", "size", "row", "column"),
    [
        ("A1", 9, 8, 0),
        ("J9", 9, 0, 8),
        ("a9", 9, 0, 0),
        (" h1 ", 9, 8, 7),
        ("J1", 9, 8, 8),
        ("T19", 19, 0, 18),
        ("Z25", 25, 0, 24),
        ("Z1", 25, 24, 24),
        ("A25", 25, 0, 0),
    ],
)
def test_vertex(name, size, row, column):
    assert row_column(point_named(name, size), size) == (row, column)
    assert vertex_name(point_named(name, size), size) == name.strip().upper()


@pytest.mark.parametrize("name", ["pass", "PASS", " Pass "])
def test_vertex_of_a_pass(name):
    assert point_named(name, 9) == PASS
    assert vertex_name(PASS, 9) == "pass"


@pytest.mark.parametrize(
    "name",
    ["I5", "i9", "K1", "A10", "A0", "A00", "A01", "Z25", "A26", "A", "5", "", " ", "5A", "AA1", "A-1", "A1.5", "A 1",
     "A1A1", "A100", "passe", "Ä1", "@1", "[1", "resign"],
)  # fmt: skip
def test_bad_vertices(name):
    message = f"{name!r} is not a point of a 9x9 board (A1 to J9, no column I)."
    with pytest.raises(NobiError) as error:
        point_named(name, 9)
    assert str(error.value) == message
    game = variant("go", 9).new()
    for use in (game.play, game.is_legal, game.colour):
        with pytest.raises(NobiError) as error:
            use(name)
        assert str(error.value) == message
