"""The settings of an import, and the games that its filters exclude."""

import re

import pytest

from nobi.errors import NobiError
from nobi.records.importing import filter_out
from nobi.records.settings import ImportSettings
from nobi.records.sgf_reader import parse_sgf

GAME = b"(;SZ[9]BR[3k]WR[2d]DT[1995-06-15]HA[2]AB[aa][bb];W[cc];B[dd];W[])"
UNKNOWN = b"(;SZ[18];B[cc])"
YEAR = b"(;DT[1995];B[cc])"


@pytest.mark.parametrize(
    ("game", "settings", "kind"),
    [
        (GAME, {}, None),
        (UNKNOWN, {}, None),
        (GAME, {"sizes": (9, 13)}, None),
        (GAME, {"sizes": (13, 19)}, "size"),
        (UNKNOWN, {"sizes": (19,)}, "size"),
        (GAME, {"min_rank": "3k"}, None),
        (GAME, {"min_rank": "2k"}, "rank"),
        (GAME, {"max_rank": "2d"}, None),
        (GAME, {"max_rank": "1d"}, "rank"),
        (GAME, {"min_rank": "5k", "max_rank": "pro"}, None),
        (UNKNOWN, {"min_rank": "30k"}, "rank"),
        (GAME, {"since": "1995"}, None),
        (GAME, {"since": "1995-06"}, None),
        (GAME, {"since": "1995-06-15", "until": "1995-06-15"}, None),
        (GAME, {"since": "1995-06-16"}, "date"),
        (GAME, {"since": "1996"}, "date"),
        (GAME, {"until": "1995"}, None),
        (GAME, {"until": "1995-06"}, None),
        (GAME, {"until": "1995-06-14"}, "date"),
        (GAME, {"until": "1994"}, "date"),
        (UNKNOWN, {"since": "1900"}, "date"),
        (YEAR, {"since": "1995-12-31"}, None),  # it may have been played on that day
        (YEAR, {"until": "1995-01-01"}, None),
        (YEAR, {"since": "1996-01-01"}, "date"),
        (YEAR, {"until": "1994-12-31"}, "date"),
        (GAME, {"min_handicap": 2, "max_handicap": 2}, None),
        (GAME, {"max_handicap": 0}, "handicap"),
        (GAME, {"min_handicap": 3}, "handicap"),
        (GAME, {"min_moves": 3, "max_moves": 3}, None),
        (GAME, {"min_moves": 4}, "length"),
        (GAME, {"max_moves": 2}, "length"),
    ],
)
def test_filters(game, settings, kind):
    [record] = parse_sgf(game)
    error = filter_out(record, ImportSettings(**settings))
    assert (error and error.kind) == (kind and f"filtered-{kind}")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": (4,)}, "5 to 25, not 4"),
        ({"min_rank": "strong"}, "lowest rank must be like 5k, 3d or pro, not 'strong'"),
        ({"max_rank": "0d"}, "highest rank"),
        ({"min_rank": "3d", "max_rank": "1d"}, "3d, is above the highest, 1d"),
        ({"since": "last year"}, "first date must be YYYY"),
        ({"until": "1995-13"}, "last date must be YYYY"),
        ({"until": "1995-1-1"}, "last date must be YYYY"),
        ({"since": "1996", "until": "1995-06"}, "after the last"),
        ({"min_handicap": -1}, "handicap must be 0 or more, not -1"),
        ({"min_moves": 5, "max_moves": 4}, "number of moves cannot be 5 to 4"),
        ({"shares": (0, 0, 0)}, "shares"),
        ({"shares": (1, -1, 0)}, "shares"),
        ({"shares": (1, float("nan"), 0)}, "shares"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises((ValueError, NobiError), match=re.escape(message)):
        ImportSettings(**settings)


def test_a_span_within_a_year_is_fine():
    ImportSettings(since="1995-03", until="1995")
