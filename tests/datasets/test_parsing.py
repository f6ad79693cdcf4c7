"""SGF texts as games: what is understood, what is refused, and that the short way reads what the library reads."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import LETTERS, cells_of, line_of, random_game

from nobi.datasets import parsing
from nobi.datasets.fault import Fault
from nobi.datasets.parsing import parse
from nobi.datasets.record import Record
from nobi.records.collection import PASS_CODE, WHITE_BIT
from nobi.records.sgf import sgf_of

W, PASS = WHITE_BIT, PASS_CODE


def only(content):
    [found] = parse(content if isinstance(content, bytes) else content.encode())
    return found


def game(content):
    found = only(content)
    assert isinstance(found, Record), found
    return found


def equal(a, b):
    return all(np.array_equal(x, y, equal_nan=isinstance(x, float)) for x, y in zip(a, b, strict=True))


def test_everything_a_record_tells():
    found = game(
        "(;GM[1]FF[4]SZ[9]KM[5.5]HA[2]BR[3k]WR[2d]RE[W+R]DT[2009-05-01]AB[ce][gc]AW[aa]C[a\\]b];W[ab];B[ba]C[;W[gg];W[])"
    )
    assert found.size == 9
    assert found.setup.tolist() == [2 * 9 + 6, 4 * 9 + 2, 0 | W]
    assert found.moves.tolist() == [9 | W, 1, PASS | W]
    assert (found.black_rank, found.white_rank, found.komi, found.handicap) == (-3, 2, 5.5, 2)
    assert (found.result, found.date) == (-1, "2009-05-01")


def test_a_record_that_tells_nothing():
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
        ("(;SZ[9];B[aa];B[bb];W[cc])", [0, 10, 20 | W]),  # nobody need alternate
        ("( ; SZ [9]\n;\nB[aa]\r\n;W[bb]\n)\n", [0, 10 | W]),
        ("some mail header\n\n(;SZ[9];B[aa];W[bb])", [0, 10 | W]),
        ("(;GaMe[1]SiZe[9];Black[aa];White[bb])", [0, 10 | W]),  # the long names of the first versions
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
        (b"(;SZ[9];B[aa];W[b", "truncated", "ends in the middle"),
        (b"(;SZ[9];B[aa];W[bb]", "truncated", "ends in the middle"),
        (b"(;SZ[9];B[aa];W", "truncated", "ends in the middle"),
        (b"(;SZ[9];B[aa];!W[bb])", "malformed", "no correct SGF"),
        (b"(;SZ[9];B;W[bb])", "malformed", "no correct SGF"),
        (b"(;SZ[9];B[aa]W[bb])", "malformed", "two moves at move 1"),
        (b"(;SZ[9];B[aa][bb])", "malformed", "two moves at move 1"),
        (b"(;CA[UTF-8]SZ[9]PB[\xff\xfe\xfa];B[aa])", "wrong-encoding", "UTF-8"),
        (b"(;CA[klingon]SZ[9]PB[\xff];B[aa])", "wrong-encoding", r"CA\[klingon\]"),
        (b"(;CA[hex]SZ[9]PB[\xff];B[aa])", "wrong-encoding", r"CA\[hex\]"),
        (b"(;CA[a\\0]SZ[9]PB[\xff];B[aa])", "wrong-encoding", "unknown"),
        (b"(;GM[4]SZ[15];B[hh])", "wrong-game", r"GM\[4\]"),
        (b"(;GM[backgammon];B[hh])", "wrong-game", "not Go"),
        (b"(;SZ[4];B[aa])", "board-size", "4 lines"),
        (b"(;SZ[26];B[aa])", "board-size", "26 lines"),
        (b"(;SZ[0];B[aa])", "board-size", "0 lines"),
        (b"(;SZ[19:13];B[aa])", "board-size", "not square"),
        (b"(;SZ[big];B[aa])", "board-size", "no number"),
        (b"(;SZ[-9];B[aa])", "board-size", "no number"),
        (b"(;SZ[9];B[aa];W[jj])", "bad-point", "Move 2 is 'jj'.*9x9"),
        (b"(;SZ[21];B[aa];W[vv])", "bad-point", "Move 2"),
        (b"(;SZ[9];B[aa];W[b2])", "bad-point", "Move 2 is 'b2'"),
        (b"(;SZ[9];B[aa];W[bbb])", "bad-point", "Move 2"),
        (b"(;SZ[9];B[aa];W[zz])", "bad-point", "Move 2"),
        (b"(;SZ[9]AB[xx];W[bb])", "bad-point", "'xx'"),
        (b"(;SZ[9]AB[];W[bb])", "bad-point", "no point"),
        (b"(;SZ[9]AB[cc:aa];W[bb])", "bad-point", "'cc:aa'"),
        (b"(;SZ[9]AB[aa]AW[aa];W[bb])", "set-up", "two colours"),
        (b"(;SZ[9];B[aa];AW[cc];B[bb])", "set-up", "after move 1"),
        (b"(;SZ[9]HA[4];W[bb])", "set-up", "4 handicap stones are missing"),
        (b"(;SZ[9])", "no-moves", "No stone"),
        (b"(;SZ[9];B[];W[tt])", "no-moves", "No stone"),
        (b"(;SZ[9]AB[aa])", "no-moves", "No stone"),
    ],
)
def test_faults(content, kind, reason):
    fault = only(content)
    assert isinstance(fault, Fault), fault
    assert fault.kind == kind
    assert re.search(reason, fault.reason)
    assert fault.reason[0].isupper()
    assert fault.reason.endswith(".")


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "shift_jis", "euc_kr"])
def test_encodings(encoding):
    # second bytes of these letters are a bracket or a backslash in some of the encodings
    name = {"gb18030": "乗慭", "big5": "功許", "shift_jis": "表ソ十", "euc_kr": "한국"}.get(encoding, "表")
    found = game(f"(;CA[{encoding}]SZ[9]PB[{name}]BR[{'3d'}];B[aa];W[bb])".encode(encoding))
    assert (found.moves.tolist(), found.black_rank) == ([0, 10 | W], 3)


def test_other_encodings():
    hidden_backslash = "(;PB[\u5c0f\u6797\u30bd]SZ[9];B[aa])".encode("shift_jis")
    assert b"\\]" in hidden_backslash
    assert game(hidden_backslash).size == 9
    assert game("(;CA[gb2312]PB[\u9555]SZ[9];B[aa])".encode("gbk")).size == 9  # no letter of GB2312
    assert game("(;SZ[9]PB[Müller]BR[3d];B[aa])".encode("latin-1")).black_rank == 3  # what FF[4] assumes
    assert game("(;SZ[9]BR[三段];B[aa])").black_rank == 3
    assert game("(;SZ[9]BR[三段];B[aa])".encode("utf-16")).black_rank == 3


def test_several_games_in_one_text():
    text = b"(;SZ[9];B[aa])\n(;SZ[13];B[aa];W[bb])(;SZ[9];B[zz])(;SZ[9];B[bb])(;SZ[9];B[b"
    found = list(parse(text))
    assert [f.size if isinstance(f, Record) else f.kind for f in found] == [9, 13, "bad-point", 9, "truncated"]


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
def test_the_short_ways_and_the_library_agree(board, root, space, remarks):
    size, cells = board
    head, *nodes = line_of(cells, size, **root).decode()[2:-1].split(";B", 1)  # a value may hold ;B too: no harm
    text = head + "".join(f";B{node}" for node in nodes)
    for remark in remarks:
        text = re.sub(r"(;[BW]\[..\])(?=;|$)", lambda move, remark=remark: move[1] + remark + space, text, count=1)
    text = f"(;{text})".encode()
    results = [list(parse(text)), list(parsing._parse_with_library(text))]
    assert len(results[0]) == len(results[1])
    for short, long in zip(*results, strict=True):
        if isinstance(short, Fault):
            assert isinstance(long, Fault)
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
def test_which_records_go_the_short_ways(monkeypatch, text, short):
    long = []
    monkeypatch.setattr(parsing, "_parse_with_library", lambda text: [long.append(text)])
    list(parse(text.encode()))
    assert bool(long) != short


@given(st.binary(max_size=200) | st.text(alphabet="(;)[]\\BWAEabzSZGM19 \n:", max_size=200).map(str.encode))
def test_nothing_upsets_the_parser(content):
    for found in parse(content):
        assert isinstance(found, Record | Fault)


def test_the_time_is_linear_in_the_text():
    for text in (
        b"(;" + b"A[" * 200_000,
        b"(;" + b"AB[aa]" * 100_000,
        b"(" * 200_000,
        b"(;" + b"A[]\n" * 100_000 + b"!",
        b"(;;B[aa]" + b"C[\\]" * 100_000,
        b"(;" + b";B[aa]C[x]" * 30_000,
    ):
        list(parse(text))


def test_letters_are_those_of_the_boards():
    assert len(LETTERS) == 25
