"""The grammar of GTP 2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobi.board.stones import BLACK, WHITE
from nobi.gtp.protocol import (
    GtpCommand,
    GtpError,
    bool_from,
    clean,
    colour_from,
    failure,
    float_from,
    int_from,
    read_command,
    success,
)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("name", GtpCommand("", "name", [])),
        ("12 name", GtpCommand("12", "name", [])),
        ("  12   play  b   C3  ", GtpCommand("12", "play", ["b", "C3"])),
        ("12\tplay\tb\tC3", GtpCommand("12", "play", ["b", "C3"])),
        ("play b C3 # a comment", GtpCommand("", "play", ["b", "C3"])),
        ("play b C3#a comment", GtpCommand("", "play", ["b", "C3"])),
        ("play b C3\r", GtpCommand("", "play", ["b", "C3"])),
        ("pl\x07ay b\x00 C3\x7f", GtpCommand("", "play", ["b", "C3"])),
        ("0 name", GtpCommand("0", "name", [])),
        ("12", GtpCommand("12", "", [])),
        ("12name", GtpCommand("", "12name", [])),
        ("-3 name", GtpCommand("", "-3", ["name"])),
        ("", None),
        ("   \t  ", None),
        ("\r", None),
        ("# 1 name", None),
        ("  # 1 name", None),
        ("\x01\x02", None),
    ],
)
def test_lines(line, asked):
    assert read_command(line) == asked


def test_answers():
    assert success("", "2") == "= 2\n\n"
    assert success("7", "2") == "=7 2\n\n"
    assert success("7") == "=7 \n\n"
    assert failure("7", "unknown command") == "?7 unknown command\n\n"
    assert success("", "one\n\n\ntwo\tthree\x07\r\n") == "= one\ntwo three\n\n"
    assert success("7", "\n") == success("7", "\n \n") == "=7 \n\n"
    assert success("", "\n  A B\n1 . .") == "= \n  A B\n1 . .\n\n"


@given(st.text())
def test_no_text_breaks_the_format_of_an_answer(text):
    answer = success("1", text)
    assert answer.endswith("\n\n")
    assert "\n\n" not in answer[:-1]
    assert not any(ord(mark) < 32 and mark != "\n" for mark in answer)
    assert clean(clean(text)) == clean(text)


@given(st.text())
def test_any_line_is_a_command_or_nothing(line):
    asked = read_command(line)
    assert asked is None or asked.id.isdigit() or (asked.id == "" and asked.name)


def test_kinds_of_arguments():
    assert [colour_from(spec) for spec in ("b", "B", "Black", "w", "WHITE")] == [BLACK, BLACK, BLACK, WHITE, WHITE]
    assert int_from("2147483647") == 2**31 - 1
    assert float_from("-6.5") == -6.5
    assert bool_from("TRUE")
    for reader, words in (
        (colour_from, ["", "blue", "bb"]),
        (int_from, ["-1", "1.0", "x", "", "2147483648", "²", "1" * 5000]),
        (float_from, ["x", "", "nan", "inf", "1e999", "1_0"]),
        (bool_from, ["1", "yes"]),
    ):
        for spec in words:
            with pytest.raises(GtpError):
                reader(spec)
