"""Property values of records in various spellings: ranks, dates, results, komi, names of rules; kinds of errors."""

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nobi.games.go import GoSettings

DAMAGED = "damaged-file"
TOO_LARGE = "too-large"
NOT_SGF = "not-sgf"
TRUNCATED = "truncated"
MALFORMED = "malformed"
WRONG_ENCODING = "wrong-encoding"
WRONG_GAME = "wrong-game"
BOARD_SIZE = "board-size"
BAD_POINT = "bad-point"
SETUP = "set-up"
NO_MOVES = "no-moves"
ILLEGAL_MOVE = "illegal-move"
DUPLICATE = "duplicate"
SYMMETRIC_DUPLICATE = "symmetric-duplicate"


class RecordError(Exception):
    """The reason why a record cannot be used: a kind, by which an import counts errors, and a sentence for the user."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


PROFESSIONAL = 10
UNKNOWN = 0
_WEAKEST, _STRONGEST_DAN = -30, 9

_NUMERALS = str.maketrans("初一二三四五六七八九", "1123456789")
_RANK = re.compile(r"(?<!\d)(\d{1,2})(?:\.\d+)?\s*-?\s*(p|d|k|段|단|級|级|급|gup|g\b)")
_PROFESSIONAL = re.compile(r"\bpro\b|\bprofessional|プロ|프로|职业|職業|\bp\s*\d|\d\s*-?\s*p(?![a-z])")
_DATE = re.compile(r"(?<!\d)(\d{4})(?!\d)(?:[-./](\d{1,2})(?!\d)(?:[-./](\d{1,2})(?!\d))?)?")
_CHINESE_DATE = str.maketrans("年月日", "-- ")
_RESULT = re.compile(r"(b|w|black|white)\s*(\+|wins?\b|won\b)", re.IGNORECASE)
_COLOURS = {"b": 1, "w": -1}
_MOST_KOMI = 200
"""The maximum komi in points; a larger number has another unit."""


@lru_cache(maxsize=4096)
def rank_of(text: str) -> int:
    """Return 1..9 for dan, 10 for professionals of any grade, −1..−30 for kyu, 0 if the text contains no rank.

    >>> [rank_of(text) for text in ("3d", "3 dan", "三段", "9p, Meijin", "P5段", "12k?", "15 kyu", "?", "Meijin")]
    [3, 3, 3, 10, 10, -12, -15, 0, 0]
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = plain.replace("十段", "9d").translate(_NUMERALS)
    if _PROFESSIONAL.search(plain):
        return PROFESSIONAL
    match = _RANK.search(plain)
    if not match or int(match[1]) == 0:
        return UNKNOWN
    number = int(match[1])
    return min(number, _STRONGEST_DAN) if match[2] in "d段단" else max(-number, _WEAKEST)


def rank_name(rank: int) -> str:
    """Return the usual notation of a rank: 3d, 5k, pro, or ? if unknown."""
    if rank == PROFESSIONAL:
        return "pro"
    return f"{rank}d" if rank > 0 else f"{-rank}k" if rank < 0 else "?"


@lru_cache(maxsize=4096)
def date_of(text: str) -> str:
    """Return the first date in the text, as YYYY, YYYY-MM or YYYY-MM-DD; empty if there is none.

    >>> [date_of(text) for text in ("1995-3-7,8", "2015年12月14日", "1670-05", "about 1780", "unknown", "2001-13-01")]
    ['1995-03-07', '2015-12-14', '1670-05', '1780', '', '2001']
    """
    match = _DATE.search(text.translate(_CHINESE_DATE))
    if not match or match[1] == "0000":
        return ""
    year, month, day = match[1], int(match[2] or 0), int(match[3] or 0)
    if not 1 <= month <= 12:
        return year
    return f"{year}-{month:02}-{day:02}" if 1 <= day <= 31 else f"{year}-{month:02}"


def end_of(date: str) -> str:
    """Return an upper bound of a year, month or day in string comparisons: 1995 may be any day of that year."""
    return f"{date}~"


@lru_cache(maxsize=4096)
def result_of(text: str) -> int:
    """Return +1 if Black won, −1 if White won, 0 for a draw or an unknown result."""
    match = _RESULT.match(text.strip())
    return _COLOURS[match[1][0].lower()] if match else 0


@lru_cache(maxsize=1024)
def whole_number_of(text: str) -> int | None:
    """Return the number, or None if the text is not a number."""
    text = text.strip()
    return int(text) if re.fullmatch(r"\d{1,4}", text, re.ASCII) else None


def komi_of(text: str) -> float | None:
    """Return the komi in points, or None if the text is not a valid komi.

    Chinese records may count in stones, each worth two points, and servers in hundredths: 375 means 3¾ stones.
    """
    try:
        komi = float(text.replace(",", "."))
    except ValueError:
        return None
    if abs(komi) > _MOST_KOMI:
        komi /= 100
    if not abs(komi) <= _MOST_KOMI:
        return None
    if komi * 4 % 2 == 1:  # quarters occur only in stones
        komi *= 2
    return komi if (komi * 2).is_integer() else None


SHORTHANDS: dict[str, dict[str, Any]] = {
    "tromp-taylor": {"ko": "positional", "scoring": "area", "suicide": True},
    "chinese": {"ko": "simple", "scoring": "area", "suicide": False},
    "chinese-ogs": {"ko": "positional", "scoring": "area", "suicide": False},
    "chinese-kgs": {"ko": "positional", "scoring": "area", "suicide": False},
    "japanese": {"ko": "simple", "scoring": "territory", "suicide": False},
    "korean": {"ko": "simple", "scoring": "territory", "suicide": False},
    "aga": {"ko": "situational", "scoring": "area", "suicide": False},
    "bga": {"ko": "situational", "scoring": "area", "suicide": False},
    "new-zealand": {"ko": "situational", "scoring": "area", "suicide": True},
    "french": {"ko": "situational", "scoring": "area", "suicide": False},
    "aga-button": {"ko": "situational", "scoring": "area", "suicide": False},
    "stone-scoring": {"ko": "simple", "scoring": "area", "suicide": False},
    "ancient-territory": {"ko": "simple", "scoring": "territory", "suicide": False},
    "ing": {"ko": "positional", "scoring": "area", "suicide": True},
}
"""KataGo's names of rules, and the nearest settings of `Go` for each."""

_IN_RECORDS = {
    "tromp-taylor": "Tromp-Taylor",
    "chinese": "Chinese",
    "chinese-kgs": "Chinese",
    "japanese": "Japanese",
    "aga": "AGA",
    "new-zealand": "NZ",
}
"""Names of these rules in records (RU of SGF)."""


def name_in_records(settings: "GoSettings") -> str | None:
    """Return the name of these rules in records, regardless of komi; None if they have no name."""
    for shorthand, name in _IN_RECORDS.items():
        if SHORTHANDS[shorthand].items() <= vars(settings).items():
            return name
    return None
