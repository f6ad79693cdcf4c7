"""SGF texts as games: accepted and rejected texts, and agreement of the fast path with the general parser."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.making import LETTERS, cells_of, line_of, random_game
from nobi.board.stones import BLACK, EMPTY, WHITE
from nobi.board.text import vertex_name
from nobi.errors import NobiError
from nobi.records import sgf_reader
from nobi.records.collection import PASS_CODE, WHITE_BIT, SgfRecord
from nobi.records.importing import unusable
from nobi.records.properties import RecordError
from nobi.records.sgf_reader import parse_sgf, read_sgf
from nobi.records.sgf_writer import sgf_of

W, PASS = WHITE_BIT, PASS_CODE


def only(content):
    [found] = parse_sgf(content if isinstance(content, bytes) else content.encode())
    return found


def game(content):
    found = only(content)
    assert isinstance(found, SgfRecord), found
    assert found.error is None
    return found


def equal(a, b):
    errors = [(r.error.kind, r.error.reason) if r.error else None for r in (a, b)]
    rest = [r._replace(error=None) for r in (a, b)]
    same = (np.array_equal(x, y, equal_nan=isinstance(x, float)) for x, y in zip(*rest, strict=True))
    return all(same) and errors[0] == errors[1]


def test_all_properties_of_a_record():
    found = game(
        "(;GM[1]FF[4]SZ[9]KM[5.5]HA[2]BR[3k]WR[2d]RE[W+R]DT[2009-05-01]AB[ce][gc]AW[aa]C[a\\]b];W[ab];B[ba]C[;W[gg];W[])"
    )
    assert found.size == 9
    assert found.setup.tolist() == [2 * 9 + 6, 4 * 9 + 2, 0 | W]
    assert found.moves.tolist() == [9 | W, 1, PASS | W]
    assert (found.black_rank, found.white_rank, found.komi, found.handicap) == (-3, 2, 5.5, 2)
    assert (found.result, found.date) == (-1, "2009-05-01")


def test_a_record_without_properties():
    found = game("(;B[pd])")
    assert (found.size, found.moves.tolist(), found.setup.tolist()) == (19, [3 * 19 + 15], [])
    assert (found.black_rank, found.white_rank, found.handicap, found.result, found.date) == (0, 0, 0, 0, "")
    assert math.isnan(found.komi)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;SZ[9];B[aa];W[tt];B[])", [0, PASS | W, PASS]),
        ("(;SZ[19];B[aa];W[tt];B[])", [0, PASS | W, PASS]),
        ("(;SZ[21];B[aa];W[tt];B[])", [0, (19 * 21 + 19) | W, PASS]),
        ("(;SZ[25];B[yy];W[ya])", [624, 24 | W]),
        ("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]))", [0, 10 | W, 20]),  # the main line
        ("(;SZ[9];B[aa](;W[bb](;B[cc])(;B[ee]))(;W[dd]))", [0, 10 | W, 20]),
        ("(;SZ[9]B[aa];W[bb])", [0, 10 | W]),  # a move in the root
        ("(;SZ[9];B[aa];C[a comment alone];W[bb])", [0, 10 | W]),
        ("(;SZ[9];B[aa]BL[3.5]OB[2];W[bb]WL[4])", [0, 10 | W]),
        ("(;SZ[9];B[aa];B[bb];W[cc])", [0, 10, 20 | W]),  # players need not alternate
        ("( ; SZ [9]\n;\nB[aa]\r\n;W[bb]\n)\n", [0, 10 | W]),
        ("some mail header\n\n(;SZ[9];B[aa];W[bb])", [0, 10 | W]),
        ("(;GaMe[1]SiZe[9];Black[aa];White[bb])", [0, 10 | W]),  # the long names of the first versions
        ("(;FF[3]GM[1]SiZe[9]PlayerBlack[x];Black[aa]Comment[y];White[tt])", [0, PASS | W]),
        ("(;FF[1]SZ[9];B[aa];W[bb])", [0, 10 | W]),
        ("(;FF[2]GM[1]SZ[9];B[aa];W[tt])", [0, PASS | W]),
        ("(;SZ[9];B[aa]W[bb];B[cc])", [0, 10 | W, 20]),  # all moves of a node, in their order
        ("(;SZ[9];W[aa]B[bb]W[cc])", [0 | W, 10, 20 | W]),
        ("(;SZ[9];B[aa][bb];W[cc])", [0, 10, 20 | W]),
        ("(;SZ[ 9 ];B[ aa ];W[b\nb])", [0, 10 | W]),  # white space in values
        ("(;SZ[9];B[a\\\na];W[bb])", [0, 10 | W]),  # a soft line break
        ("(;SZ[9 : 9];B[aa])", [0]),
        ("(SZ[9];B[aa];W[bb])", [0, 10 | W]),  # no first semicolon
        ("(;SZ[9];B[aa](W[bb];B[cc]))", [0, 10 | W, 20]),
        ("((;SZ[9];B[aa];W[bb]))", [0, 10 | W]),
        ("(;SZ[9];B[aa]()(;W[bb]))", [0, 10 | W]),  # variations without a node
        ("(;SZ[9];B[aa]();W[bb])", [0, 10 | W]),
        ("(;SZ[9];B[aa](;)(;W[bb]))", [0]),  # the first variation has a node, and no move
        ("(;SZ[9];B[aa](;W[bb]);B[dd])", [0, 10 | W]),  # nodes behind a variation
        ("(;SZ[9];B[aa](;W[bb])(;W[cc]);B[dd])", [0, 10 | W]),
        ("(;SZ[9];B[aa](;W[bb])(;W[cc]!?))", [0, 10 | W]),  # an error outside the main line
        ("(;SZ[9];B[aa];W[bb]", [0, 10 | W]),  # ends without closing brackets
        ("(;SZ[9];B[aa](;W[bb](;B[cc]", [0, 10 | W, 20]),
        ("(;SZ[9];B[aa];W[bb];", [0, 10 | W]),
        ("(;SZ[9];B[aa];W[bb]C[nothing played is los", [0, 10 | W]),
        ("(;SZ[9];B[aa];W[bb]C", [0, 10 | W]),
        ("(;SZ[9];B[aa](;W[bb])(;W[c", [0, 10 | W]),
        ("(;SZ[9:9];B[aa])", [0]),
        ("(;SZ[9]PB[\\]];B[aa])", [0]),
        ("\ufeff(;SZ[9]PB[é];B[aa])", [0]),
    ],
)
def test_moves(text, moves):
    assert game(text).moves.tolist() == moves


@pytest.mark.parametrize(
    ("text", "setup", "handicap"),
    [
        ("(;SZ[9]AB[aa:cb];W[ee])", [0, 1, 2, 9, 10, 11], 6),
        ("(;SZ[9]AB[aa][bb]AW[cc]AE[dd];W[ee])", [0, 10, 20 | W], 0),
        ("(;SZ[9]AB[aa][bb][cc];AE[bb];W[ee])", [0, 20], 2),
        ("(;SZ[9]AB[aa];AW[aa];W[ee])", [0 | W], 0),
        ("(;SZ[9]HA[3];AB[aa][bb][cc];W[ee])", [0, 10, 20], 3),  # set up in the second node
        ("(;SZ[9]HA[2];B[aa];B[bb];W[ee])", [], 2),  # played move by move
        ("(;SZ[9]HA[0]AB[aa][bb];W[ee])", [0, 10], 2),
        ("(;SZ[9]AB[aa][bb];B[ee])", [0, 10], 0),
        ("(;SZ[9]HA[two];B[ee])", [], 0),
        ("(;SZ[9]AB[aa][aa];W[ee])", [0], 0),
        ("(;SZ[9]AB[ aa ][b\nb];W[ee])", [0, 10], 2),
        ("(;SZ[9]AB[ aa : bb ];W[ee])", [0, 1, 9, 10], 4),
        ("(;SZ[9]AddBlack[aa][bb];White[ee])", [0, 10], 2),
        ("(;SZ[9]AB[aa]AB[bb];W[ee])", [0, 10], 2),
        ("(;SZ[9]HA[2];W[ee])", [2 * 9 + 6, 6 * 9 + 2], 2),  # the missing handicap stones
        ("(;SZ[19]HA[9];W[ee])", [r * 19 + c for r in (3, 9, 15) for c in (3, 9, 15)], 9),
        ("(;SZ[9]HA[2])", [2 * 9 + 6, 6 * 9 + 2], 2),
        ("(;SZ[9]HA[2]PL[B])", [], 2),
    ],
)
def test_set_up(text, setup, handicap):
    found = game(text)
    assert (found.setup.tolist(), found.handicap) == (setup, handicap)


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        (b"", "not-sgf", "no SGF"),
        (b"hello", "not-sgf", "no SGF"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not-sgf", "binary"),
        (bytes(range(256)), "not-sgf", "binary"),
        (b"(;SZ[9];B[aa];W[b", "truncated", "ends in the middle of a move"),
        (b"(;SZ[9];B[aa];W[bb", "truncated", "ends in the middle of a move"),
        (b"(;SZ[9];B[aa];W", "truncated", "ends in the middle of a move"),
        (b"(;SZ[9", "malformed", "ends in the middle of the property SZ"),
        (b"(;SZ[9]AB[aa][b", "malformed", "ends in the middle of the property AB"),
        (b"(;SZ[9];B[aa];!W[bb])", "malformed", "not correct SGF: '!W"),
        (b"(;SZ[9];B;W[bb])", "malformed", "B has no value"),
        (b"(;SZ[9];B[aa];W;B[bb])", "malformed", "W has no value"),
        (b"(;SZ[9];[aa];W[bb])", "malformed", "'.aa.;W.bb..' is unexpected"),
        (b"(;SZ[9];B[aa];w[bb];B[cc])", "malformed", "'w' has no capital letter"),
        (b"(;SZ[9];B[aa]()W[bb])", "malformed", "W is outside of a node"),
        (b"(;SZ[9]AB[aa]PL[?])", "malformed", r"PL\[\?\] names no player"),
        (b"(;CA[a\\0]SZ[9]PB[\xff];B[aa])", "wrong-encoding", "unknown"),
        (b"(;GM[4]SZ[15];B[hh])", "wrong-game", r"GM\[4\]"),
        (b"(;GM[backgammon];B[hh])", "wrong-game", "not Go"),
        (b"(;SZ[4];B[aa])", "board-size", "4 lines"),
        (b"(;SZ[26];B[aa])", "board-size", "26 lines"),
        (b"(;SZ[0];B[aa])", "board-size", "0 lines"),
        (b"(;SZ[19:13];B[aa])", "board-size", "not square"),
        (b"(;SZ[big];B[aa])", "board-size", "not a number"),
        (b"(;SZ[-9];B[aa])", "board-size", "not a number"),
        (b"(;SZ[9];B[aa];W[jj])", "bad-point", "Move 2 is 'jj'.*9x9"),
        (b"(;SZ[21];B[aa];W[vv])", "bad-point", "Move 2"),
        (b"(;SZ[9];B[aa];W[b2])", "bad-point", "Move 2 is 'b2'"),
        (b"(;SZ[9];B[aa];W[bbb])", "bad-point", "Move 2"),
        (b"(;SZ[9];B[aa];W[zz])", "bad-point", "Move 2"),
        (b"(;SZ[9]AB[xx];W[bb])", "bad-point", "'xx'"),
        (b"(;SZ[9]AB[];W[bb])", "bad-point", "not a point"),
        (b"(;SZ[9]AB[cc:aa];W[bb])", "bad-point", "'cc:aa'"),
        (b"(;SZ[9]AB[aa]AW[aa];W[bb])", "set-up", "two colours"),
        (b"(;SZ[9];B[aa];AW[cc];B[bb])", "set-up", "after move 1"),
        (b"(;SZ[9];B[aa];AE[aa];B[bb])", "set-up", "after move 1"),
        (b"(;SZ[9];B[aa]AW[cc];B[bb];W[dd]AB[ee])", "set-up", "after move 2"),  # stones of a node first
        (b"(;SZ[9]AB[aa]AE[aa];W[bb])", "set-up", "two colours"),
        (b"(;SZ[19]HA[12];W[bb])", "set-up", "12 handicap stones are missing, and there are no standard points"),
        (b"(;SZ[9]HA[4]AW[aa];W[bb])", "set-up", "4 handicap stones are missing"),
        (b"(;SZ[9])", "no-moves", "No stone"),
        (b"(;SZ[9];B[];W[tt])", "no-moves", "No stone"),
        (b"(;SZ[9]AB[aa])", "no-moves", "No stone"),
    ],
)
def test_faults(content, kind, reason):
    """Rejected by an import: a game without a start position, or with impossible moves."""
    error = only(content)
    if isinstance(error, SgfRecord):
        error = unusable(error)
    assert isinstance(error, RecordError), error
    assert error.kind == kind
    assert re.search(reason, error.reason)
    assert error.reason[0].isupper()
    assert error.reason.endswith(".")


def test_several_games_in_one_text():
    text = b"(;SZ[9];B[aa])\n(;SZ[13];B[aa];W[bb])(;SZ[9];B[zz])(;SZ[9];B[bb])(;SZ[9];B[b"
    found = [unusable(one) or one if isinstance(one, SgfRecord) else one for one in parse_sgf(text)]
    assert [f.size if isinstance(f, SgfRecord) else f.kind for f in found] == [9, 13, "bad-point", 9, "truncated"]


def test_games_after_a_broken_one_are_read():
    text = b"(;SZ[9];B[aa];!W[bb](;B[cc])) (;SZ[13];B[aa])\n(;SZ[4]) (;GM[1]SZ[9]B[bb])"
    found = list(parse_sgf(text))
    assert [f.size if isinstance(f, SgfRecord) else f.kind for f in found] == [9, 13, "board-size", 9]
    assert [f.error.kind if isinstance(f, SgfRecord) and f.error else "" for f in found] == ["malformed", "", "", ""]


def test_records_that_nobi_writes_are_read_back():
    rng = np.random.default_rng(1)
    for size in (5, 9, 19, 25):
        one = random_game(rng, size, 40)
        found = game(sgf_of(one))
        assert (found.moves & PASS).tolist() == cells_of(one)
        assert ((found.moves & W) != 0).tolist() == [i % 2 == 1 for i in range(len(one.moves))]


VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="]\\"), max_size=8)
ROOTS = st.dictionaries(st.sampled_from(["KM", "HA", "BR", "WR", "RE", "DT", "PB", "C", "XX"]), VALUES, max_size=4)
BOARDS = st.integers(5, 25).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.none() | st.integers(0, n * n - 1), min_size=1, max_size=30))
)
REMARKS = [
    "",
    "",
    "BL[12.5]OB[3]",
    "C[;B[aa\\]W[bb\\]]",
    "C[(;W[cc]",
    "C[x]\nTR[aa][bb]",
    "C[\\\\]",
    "W[cc]",
    "AE[aa]",
    "!",
]


@given(BOARDS, ROOTS, st.sampled_from(["", "\n", " \r\n"]), st.lists(st.sampled_from(REMARKS), max_size=6))
def test_both_parsers_agree(board, root, space, remarks):
    size, cells = board
    head, *nodes = line_of(cells, size, **root).decode()[2:-1].split(";B", 1)  # a value may hold ;B too: no harm
    text = head + "".join(f";B{node}" for node in nodes)
    for remark in remarks:
        text = re.sub(r"(;[BW]\[..\])(?=;|$)", lambda move, remark=remark: move[1] + remark + space, text, count=1)
    text = f"(;{text})".encode()
    results = [list(parse_sgf(text)), list(sgf_reader._parse_games(text, 1))]
    assert len(results[0]) == len(results[1])
    for short, long in zip(*results, strict=True):
        if isinstance(short, RecordError):
            assert isinstance(long, RecordError)
            assert (short.kind, short.reason) == (long.kind, long.reason)
        else:
            assert equal(short, long)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("(;SZ[9]C[a\\]b];B[aa];W[])", True),
        ("(;SZ[9];B[aa]BL[1.5];W[bb]C[a \\] b]WL[3])\n", True),
        ("(;SZ[9];C[x]B[aa])", False),
        ("(;SZ[9];B[aa];C[x])", False),
        ("(;SZ[9];B[aa](;W[bb])(;W[cc]))", False),
        ("(;SZ[9];B[aa]AB[cc])", False),
    ],
)
def test_records_on_the_fast_path(monkeypatch, text, short):
    long = []
    monkeypatch.setattr(sgf_reader, "_parse_games", lambda text, _: [long.append(text)])
    list(parse_sgf(text.encode()))
    assert bool(long) != short


@given(st.binary(max_size=200) | st.text(alphabet="(;)[]\\BWAEabzSZGM19 \n:", max_size=200).map(str.encode))
def test_the_parser_accepts_any_text(content):
    found = list(parse_sgf(content))
    assert found
    assert all(isinstance(one, SgfRecord | RecordError) for one in found)


def test_long_broken_texts_are_read_in_linear_time():
    """A quadratic reader would take hours."""
    for text in (
        b"(;" + b"A[" * 200_000,
        b"(;" + b"AB[aa]" * 100_000,
        b"(" * 200_000,
        b"(;" + b"A[]\n" * 100_000 + b"!",
        b"(;;B[aa]" + b"C[\\]" * 100_000,
        b"(;" + b";B[aa]C[x]" * 30_000,
        b"(;" + b"(" * 200_000 + b")" * 100_000,
        b"(;!" * 100_000,
        b"(;!)" * 30_000,
        b"(;" + b"()" * 100_000,
        b"(;B[aa]C[" * 50_000,
        "(;PB[表]".encode("shift_jis") + b"C[\x95\\" * 50_000,
    ):
        assert list(parse_sgf(text))


def test_letters_are_those_of_the_boards():
    assert len(LETTERS) == 25


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("(;SZ[9]AB[aa])", WHITE),
        ("(;SZ[9]AB[aa]AW[bb])", BLACK),
        ("(;SZ[9])", BLACK),
        ("(;SZ[9];W[aa])", WHITE),
        ("(;SZ[9]AB[aa]PL[B])", BLACK),
        ("(;SZ[9]AB[aa]PL[1])", BLACK),
        ("(;SZ[9]AB[aa]PL[black])", BLACK),
        ("(;SZ[9]AW[aa]PL[2])", WHITE),
        ("(;SZ[9]AW[aa]PL[White])", WHITE),
        ("(;SZ[9]AW[aa]PL[ w ])", WHITE),
        ("(;SZ[9]AW[aa]PlayeR[W])", BLACK),  # PR, which has no level
        ("(;SZ[9]AW[aa]PLayer[W])", WHITE),
        ("(;SZ[9]AW[aa]PL[])", BLACK),
        ("(;SZ[9]AW[aa]PL[B];PL[W];C[x])", WHITE),
        ("(;SZ[9]AW[aa]PL[B];W[bb])", WHITE),  # the move counts
    ],
)
def test_the_first_player_to_move(text, first):
    assert game(text).first == first


def test_stones_that_are_set_up_between_moves():
    found = game("(;SZ[9]AB[aa];B[bb];AW[cc]AE[aa]PL[B];B[dd];W[ee]AB[ff:gf])")
    assert (found.setup.tolist(), found.moves.tolist()) == ([0], [10, 30, 40 | W])
    assert [tuple(change) for change in found.changes] == [
        (1, {20: WHITE, 0: EMPTY}, BLACK),
        (2, {50: BLACK, 51: BLACK}, None),
    ]


def test_a_late_error_keeps_the_moves_before_it():
    found = only("(;SZ[9];B[aa];W[bb];B[jj];W[cc])")
    assert found.moves.tolist() == [0, 10 | W]
    assert found.error.reason == "Move 3 is 'jj', which is not on the 9x9 board."
    found = only("(;SZ[9];B[aa]C[x];W[bb];B[c3];W[cc])")
    assert found.moves.tolist() == [0, 10 | W]
    assert found.error.reason == "Move 3 is 'c3', which is not a point."


def test_files(tmp_path):
    file = tmp_path / "record.sgf"
    file.write_bytes(b"(;GM[4]SZ[9]AB[cc];W[ee];B[];W[b")  # any game; a truncated move is ignored
    found = read_sgf(file)
    assert [vertex_name(point, 9) for point, _ in found.stones] == ["C7"]
    assert [(colour, vertex_name(point, 9)) for colour, point in found.played] == [(WHITE, "E5"), (BLACK, "pass")]
    assert found.error is None
    file.write_bytes(b"(;SZ[9]AB[cc]AW[cc])")
    with pytest.raises(NobiError, match=r"record.sgf' is not .* read: One point is set up in two colours\.$"):
        read_sgf(file)
    with pytest.raises(NobiError, match=r"cannot be read: No such file or directory\.$"):
        read_sgf(tmp_path / "none.sgf")
