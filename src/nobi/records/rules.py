"""Rules of Go by the names that other programs know."""

from typing import Any

from nobi.games.go import GoSettings

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
}
"""KataGo's names, and our settings that they stand for."""

_IN_RECORDS = {
    "tromp-taylor": "Tromp-Taylor",
    "chinese": "Chinese",
    "chinese-kgs": "Chinese",
    "japanese": "Japanese",
    "aga": "AGA",
    "new-zealand": "NZ",
}
"""How records write them (RU of SGF)."""


def name_in_records(settings: GoSettings) -> str | None:
    """What a record calls these rules, komi aside; None if they have no name."""
    for shorthand, name in _IN_RECORDS.items():
        if SHORTHANDS[shorthand].items() <= vars(settings).items():
            return name
    return None
