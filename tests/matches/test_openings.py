"""Openings of games."""

import pytest

from helpers.runs import error_of
from nobi.board.stones import BLACK, WHITE
from nobi.board.text import vertex_name
from nobi.errors import NobiError
from nobi.games import variant
from nobi.matches.openings import handicap_opening, random_opening, read_openings

GO = variant("go", 9)


def test_openings_from_a_text(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# two openings\nE5 C3 G7\n\nc3 # and nothing else\n")
    first, second = read_openings(file, GO)
    game = first.begin(GO)
    assert [vertex_name(move, 9) for move in game.moves] == ["E5", "C3", "G7"]
    assert game.to_move == WHITE
    assert len(second.begin(GO).moves) == 1


def test_openings_from_records(tmp_path):
    (tmp_path / "a.sgf").write_text("(;FF[4]GM[1]SZ[9]AB[ee]PL[W];W[cc];B[dd])")
    (tmp_path / "b.sgf").write_text("(;FF[4]GM[1]SZ[9];B[cc])")
    first, second = read_openings(tmp_path, GO)
    game = first.begin(GO)
    assert game.colour("E5") == game.colour("D6") == BLACK
    assert game.colour("C7") == WHITE
    assert game.to_move == WHITE
    assert read_openings(tmp_path / "b.sgf", GO) == [second]


@pytest.mark.parametrize(
    ("content", "black", "white"),
    [
        ("(;SZ[9]PB[許];B[aa];W[bb])".encode("big5"), "A9", "B8"),
        ("(;SZ[9]PB[慭];B[aa];W[bb])".encode("gb18030"), "A9", "B8"),
        (b"(;SZ[9];B[aa]W[bb])", "A9", "B8"),
        (b"(;SZ[9]HA[2];W[aa])", "G7 C3", "A9"),
        (b"(;SZ[9:9];B[ aa ];W[bb", "A9", ""),
    ],
)
def test_openings_from_unusual_records(tmp_path, content, black, white):
    file = tmp_path / "opening.sgf"
    file.write_bytes(content)
    game = read_openings(file, GO)[0].begin(GO)
    for colour, names in ((BLACK, black), (WHITE, white)):
        assert [vertex_name(point, 9) for point in game.points() if game.colour(point) == colour] == names.split()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("none.txt", None, "cannot be read"),
        ("empty.txt", "# nothing\n", "There are no openings in"),
        ("point.txt", "E5\nZ9\n", "line 2: 'Z9' is not a point"),
        ("taken.txt", "E5 E5\n", "line 1: move 2, white at E5, is illegal: it is taken."),
        ("over.txt", "pass pass\n", "ends the game"),
        ("size.sgf", "(;FF[4]GM[1]SZ[19];B[cc])", "is for 19x19, not 9x9"),
        ("turn.sgf", "(;FF[4]GM[1]SZ[9];B[cc];B[dd])", "move 2 is not made by the player whose turn it is"),
        ("text.sgf", "no record", "is not a game record"),
        ("late.sgf", "(;SZ[9];B[cc];AW[dd];B[ee])", "late.sgf' sets up stones after move 1."),
        ("point.sgf", "(;SZ[9];B[cc];W[zz])", "cannot be read to its end: Move 2 is 'zz', which is not a point."),
        (
            "ko.sgf",
            "(;SZ[9]AB[ba][ab][bc]AW[ca][cc][db];B[cb];W[bb];B[cb])",
            "move 3, black at C8, is illegal",
        ),
    ],
)
def test_invalid_openings(tmp_path, name, content, sentence):
    if content is not None:
        (tmp_path / name).write_text(content)
    assert sentence in error_of(read_openings, tmp_path / name, GO)


def test_random_openings():
    where = variant("gomoku", 7)
    first = random_opening(where, 6, seed=1, number=0)
    assert len(first.moves) == 6
    assert random_opening(where, 6, seed=1, number=0) == first
    assert random_opening(where, 6, seed=1, number=1).moves != first.moves
    assert random_opening(where, 6, seed=2, number=0).moves != first.moves
    assert not first.begin(where).is_over
    with pytest.raises(NobiError, match="use fewer"):
        random_opening(variant("atari-go", 5), 25, 0, 0)


def test_handicap():
    game = handicap_opening(GO, 4).begin(GO)
    assert game.to_move == WHITE
    assert sum(game.colour(point) == BLACK for point in game.points()) == 4
    with pytest.raises(NobiError, match="There is no handicap in gomoku"):
        handicap_opening(variant("gomoku", 9), 2)
