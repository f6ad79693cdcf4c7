"""Records of others as start positions and moves."""

import pytest

from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.vertices import point_named, vertex_name
from nobi.errors import NobiError
from nobi.records.komi import komi_of
from nobi.records.reading import parse_record, read_record


def stones(record):
    return {vertex_name(point, record.size): colour for point, colour in record.stones}


def test_stones_that_are_set_up_node_by_node_before_the_first_move():
    record = parse_record(b"(;GM[1]SZ[9]HA[2];AB[cc][gg];W[ee];B[dd])")
    assert stones(record) == {"C7": BLACK, "G3": BLACK}
    assert record.first == WHITE
    assert record.moves == [(WHITE, point_named("E5", 9)), (BLACK, point_named("D6", 9))]
    record = parse_record(b"(;SZ[9]AB[aa][bb]AW[cc];AE[bb]AW[aa];AB[cc]PL[W];C[nothing yet])")
    assert stones(record) == {"A9": WHITE, "C7": BLACK}
    assert (record.first, record.moves) == (WHITE, [])


def test_a_node_with_stones_and_a_move_sets_up_first():
    record = parse_record(b"(;SZ[9]AB[cc];AB[gg]W[ee];B[])")
    assert stones(record) == {"C7": BLACK, "G3": BLACK}
    assert record.moves == [(WHITE, point_named("E5", 9)), (BLACK, PASS)]


@pytest.mark.parametrize(
    ("content", "moves"),
    [(b"(;SZ[9];B[ee];AB[aa];W[cc])", 1), (b"(;SZ[9]B[ee];W[dd];AE[ee])", 2), (b"(;SZ[9];B[ee];W[dd]AW[cc])", 1)],
)
def test_stones_that_are_set_up_later_are_refused(tmp_path, content, moves):
    file = tmp_path / "late.sgf"
    file.write_bytes(content)
    with pytest.raises(NobiError, match=f"late.sgf' is not .* read: stones are set up after move {moves}.$"):
        read_record(file)


def test_a_point_of_two_colours_is_refused():
    with pytest.raises(ValueError, match="in two colours"):
        parse_record(b"(;SZ[9]AB[aa]AW[aa];B[bb])")


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("6.5", 6.5), ("0", 0.0), ("-5", -5.0), ("7,5", 7.5), ("6", 6.0),
        ("3.75", 7.5), ("2.75", 5.5),  # in stones
        ("375", 7.5), ("325", 6.5), ("650", 6.5), ("750", 7.5), ("-550", -5.5),  # in hundredths
        ("0.50", 0.5), (" 7 ", 7.0),
        ("", None), ("?", None), ("6.5 points", None),
        ("abc", None), ("6.33", None), ("nan", None), ("inf", None), ("99999", None),
    ],
)  # fmt: skip
def test_komi_in_the_spellings_of_the_world(text, komi):
    assert komi_of(text) == komi
    assert parse_record(f"(;SZ[9]KM[{text}];B[aa])".encode()).komi == komi


def test_a_record_without_komi():
    assert parse_record(b"(;SZ[9];B[aa])").komi is None
