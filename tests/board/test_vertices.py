"""The names of points."""

import pytest

from nobi.board.stones import PASS
from nobi.board.text import point_named, row_column, vertex_name
from nobi.errors import NobiError
from nobi.games import variant


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
    with pytest.raises(NobiError) as fault:
        point_named(name, 9)
    assert str(fault.value) == message
    game = variant("go", 9).new()
    for use in (game.play, game.is_legal, game.colour):
        with pytest.raises(NobiError) as fault:
            use(name)
        assert str(fault.value) == message
