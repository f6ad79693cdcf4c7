"""Records in various encodings, whose double-byte characters may contain brackets and backslashes."""

import pytest

from nobi.records.collection import WHITE_BIT, SgfRecord
from nobi.records.properties import RecordError
from nobi.records.sgf_reader import parse_sgf

BRACKETS = b"[\\]"
LEADS = {"big5": range(0xA4, 0xF9), "gb18030": range(0x81, 0xFE), "shift_jis": [*range(0x83, 0xA0), *range(0xE0, 0xFC)]}
"""The first bytes of characters of two bytes."""


def hidden(encoding):
    """The characters whose second byte is that of a bracket or a backslash."""
    found = []
    for lead in LEADS[encoding]:
        for trail in BRACKETS:
            try:
                found.append(bytes([lead, trail]).decode(encoding))
            except UnicodeDecodeError:
                continue
    return found


def game(content):
    [found] = parse_sgf(content)
    assert isinstance(found, SgfRecord), found
    assert found.error is None
    return found


MOVES = [0, 10 | WHITE_BIT, 20]
PLAYED = ";B[aa];W[bb];B[cc]"


@pytest.mark.parametrize("encoding", LEADS)
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize(
    "root", ["SZ[9]PB[{}]", "SZ[9]PB[{0}{0}]", "PB[a {}]PW[b]SZ[9]", "PB[x{}]KM[5.5]SZ[9]C[{} x]", "SZ[9]C[{}\\] {}]"]
)
def test_characters_that_contain_a_bracket(encoding, declared, root):
    """The first move is kept, and everything behind such a character."""
    characters = hidden(encoding)
    assert len(characters) > 100
    charset = f"CA[{encoding}]" if declared else ""
    for character in characters:
        text = f"(;{charset}{root.format(*[character] * 2)}{PLAYED})"
        found = game(text.encode(encoding))
        assert (found.size, found.moves.tolist()) == (9, MOVES), text


@pytest.mark.parametrize("encoding", LEADS)
def test_characters_that_contain_a_bracket_next_to_a_move(encoding):
    for character in hidden(encoding):
        text = f"(;SZ[9]PB[x];B[aa]C[{character}];W[bb]C[a{character}];B[cc])"
        assert game(text.encode(encoding)).moves.tolist() == MOVES, text


TEXTS = {
    "gb18030": ("PB[黑棋]PW[白棋]BR[三段]WR[业余5段]EV[围棋比赛]", 3, 5),
    "big5": ("PB[黑棋]PW[白棋]BR[三段]WR[5段]EV[圍棋許可]", 3, 5),
    "shift_jis": ("PB[黒番]PW[白番]BR[三段]WR[2級]EV[囲碁の表]", 3, -2),
    "euc_kr": ("PB[흑번]PW[백번]BR[3단]WR[5급]EV[바둑]", 3, -5),
    "latin-1": ("PB[Müller]PW[José]BR[3 dan é]WR[2k]", 3, -2),
    "utf-8": ("PB[黑棋]PW[José]BR[三段]WR[5급]", 3, -5),
    "utf-8-sig": ("PB[黑棋]PW[José]BR[三段]WR[5급]", 3, -5),
    "utf-16": ("PB[黑棋]PW[José]BR[三段]WR[5급]", 3, -5),
    "iso2022_jp": ("PB[黒番]PW[表番]BR[三段]WR[2級]EV[囲碁]", 3, -2),
    "hz": ("PB[黑棋]PW[白棋]BR[三段]WR[2级]", 3, -2),
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_ranks_in_records_that_name_no_encoding(encoding):
    text, black, white = TEXTS[encoding]
    found = game(f"(;SZ[9]{text}{PLAYED})".encode(encoding))
    assert (found.moves.tolist(), found.black_rank, found.white_rank) == (MOVES, black, white)


def test_seven_bit_encodings_may_contain_a_bracket():
    content = f"(;SZ[9]PB[段]PW[棋]{PLAYED})".encode("iso2022_jp")
    assert content.isascii()
    assert game(content).moves.tolist() == MOVES
    for text in ("(;SZ[9]C[~{ is no Chinese]", "(;SZ[9]C[a\x1bb]"):
        assert game(f"{text}{PLAYED})".encode()).moves.tolist() == MOVES


def test_single_byte_letters_contain_no_bracket():
    for letter in "äéñøßÿþ":
        for root in (
            f"PB[{letter}]",
            f"PB[{letter}]PW[{letter}]",
            f"C[{letter}\\] {letter}]",
            f"PB[x{letter}{letter}]",
        ):
            assert game(f"(;SZ[9]{root}{PLAYED})".encode("latin-1")).moves.tolist() == MOVES


@pytest.mark.parametrize(
    ("charset", "encoding", "name"),
    [
        ("gb2312", "gbk", "\u9555"),  # not a character of GB2312
        ("GBK", "gb18030", "慭"),
        ("Big5", "cp950", "許"),
        ("Shift_JIS", "cp932", "ソ"),
        ("EUC-KR", "cp949", "똠"),
        ("ISO-8859-1", "big5", "許"),  # written by some programs regardless of the encoding of the text
        ("windows-1252", "shift_jis", "表"),
    ],
)
def test_declared_encodings(charset, encoding, name):
    assert game(f"(;CA[{charset}]SZ[9]PB[{name}]{PLAYED})".encode(encoding)).moves.tolist() == MOVES


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"(;CA[UTF-8]SZ[9]PB[\xff\xfe\xfa];B[aa])", "not valid UTF-8"),
        (b"(;CA[klingon]SZ[9]PB[\xff];B[aa])", "Its encoding, CA[klingon], is unknown."),
        (b"(;CA[hex]SZ[9]PB[\xff];B[aa])", "Its encoding, CA[hex], is unknown."),
        (b"(;CA[rot13]SZ[9]PB[\xff];B[aa])", "Its encoding, CA[rot13], is unknown."),
        (b"(;CA[undefined]SZ[9]PB[\xff];B[aa])", "Its encoding, CA[undefined], is unknown."),
    ],
)
def test_wrong_encodings(content, reason):
    [error] = parse_sgf(content)
    assert isinstance(error, RecordError)
    assert error.kind == "wrong-encoding"
    assert reason in error.reason
