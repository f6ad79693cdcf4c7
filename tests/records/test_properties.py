"""Ranks, dates and results in various notations."""

import doctest

import pytest

from nobi.records import properties
from nobi.records.properties import date_of, komi_of, rank_name, rank_of, result_of


def test_examples_in_the_file():
    assert doctest.testmod(properties).failed == 0


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        *[(text, 3) for text in ("3d", "3D", " 3 d", "3 dan", "3-dan", "3Dan", "3d?", "3段", "三段", "３段", "3단")],
        *[(text, 6) for text in ("6d ama", "amateur 6 dan", "ama 6d", "6.4d")],
        *[(text, -3) for text in ("3k provisional", "3k prov.", "3k (promoted)")],
        *[(text, 2) for text in ("2d 2000 pts", "2d Prof. X")],
        *[(text, 10) for text in ("1p", "9P", "9p, Meijin", "9 dan pro", "pro 9d", "P9段", "プロ五段", "职业九段")],
        *[(text, -12) for text in ("12k", "12K", "12 kyu", "12-kyu", "12k?", "12級", "12급")],
        *[(text, 0) for text in ("", "?", "-", "NR", "ama", "Meijin", "0k", "0d", "25th Honinbo", "insei", "1500")],
        ("10d", 9), ("Pro", 10), ("3d*", 3), ("45k", -30), ("初段", 1), ("九段", 9), ("1k", -1), ("5 gup", -5),
    ],
)  # fmt: skip
def test_ranks(text, rank):
    assert rank_of(text) == rank


@pytest.mark.parametrize("rank", [*range(-30, 0), *range(1, 11)])
def test_names_of_ranks_are_read_back(rank):
    assert rank_of(rank_name(rank)) == rank


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2001-02-03", "2001-02-03"),
        ("2001-2-3", "2001-02-03"),
        ("2001-02-03,04", "2001-02-03"),
        ("2001-02-03..05", "2001-02-03"),
        ("2001-02", "2001-02"),
        ("2001/02/03", "2001-02-03"),
        ("2001.02.03 12:00:00", "2001-02-03"),
        ("1670", "1670"),
        ("c. 1670", "1670"),
        ("1670s", "1670"),
        ("2001-02-40", "2001-02"),
        ("2001-99-01", "2001"),
        ("2015年1月4日", "2015-01-04"),
        ("", ""),
        ("0000-00-00", ""),
        ("20010203", ""),
        ("spring", ""),
    ],
)
def test_dates(text, date):
    assert date_of(text) == date


@pytest.mark.parametrize(
    ("text", "result"),
    [
        *[(text, 1) for text in ("B+R", "B+3.5", "b+", "Black+2", "B+Resign", "B + 0.5", "Black wins", "B+T")],
        *[(text, -1) for text in ("W+R", "W+0.50", "White won by 3", "w+Time", "W+F")],
        *[(text, 0) for text in ("", "?", "0", "Draw", "Jigo", "Void", "Unfinished", "both lost")],
    ],
)
def test_results(text, result):
    assert result_of(text) == result


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
def test_komi(text, komi):
    assert komi_of(text) == komi
