"""KataGo's names and keys of the rules of Go, and the nearest rules that nobi supports.

Rules that nobi does not support (group tax, the button, Spight's superko) are replaced by the nearest ones, with a
warning. `japanese` and `korean` differ from KataGo's in that territory in seki is counted.
"""

import json
import re
from typing import Any, NamedTuple

from nobi.games.go import GoSettings
from nobi.gtp.protocol import GtpError
from nobi.records.properties import SHORTHANDS

_ALIASES = {"nz": "new-zealand", "ancient-area": "stone-scoring", "goe": "ing"}
_PARTLY = {"stone-scoring": "group tax", "ancient-territory": "group tax", "aga-button": "the button"}
"""Names of partly supported rules, and the part that is not supported."""
_BONUS = dict.fromkeys(("chinese", "chinese-ogs", "chinese-kgs"), "N") | dict.fromkeys(
    ("aga", "bga", "french", "aga-button"), "N-1"
)
_BONUSES = ("0", "N", "N-1")


class RuleSet(NamedTuple):
    """Parsed rules."""

    settings: dict[str, Any]
    """The settings of `Go` given by the rules."""
    bonus: str
    """White's points for handicap stones: 0, N or N-1."""
    komi: float | None
    """The komi of a JSON object, if it has one."""
    warnings: list[str]
    """Warnings: what is not supported, and what replaces it."""
    has_button: bool = False

    @property
    def usual_komi(self) -> float:
        """The default komi under these rules."""
        if self.has_button:
            return 7.0
        return 6.5 if self.settings.get("scoring") == "territory" else 7.5


def _normalised(name: str) -> str:
    return re.sub(r"[-_ ]", "", name.lower())


_NAMES = {_normalised(name): name for name in SHORTHANDS} | {_normalised(name): to for name, to in _ALIASES.items()}


def read_rules(given: Any, *, with_komi: bool = False) -> RuleSet:
    """Parse rules given as a name, as a JSON object in text form, or as the object itself.

    Missing keys of an object are not set, and neither are keys with only one supported value. Invalid rules raise a
    GtpError.
    """
    if isinstance(given, str) and not given.lstrip().startswith("{"):
        name = _NAMES.get(_normalised(given))
        if name is None:
            raise GtpError(f"unknown rules, known are {', '.join(SHORTHANDS)}")
        part = _PARTLY.get(name)
        warnings = [f"the rules {name} without {part}, which is not supported"] if part else []
        return RuleSet(SHORTHANDS[name], _BONUS.get(name, "0"), None, warnings, name == "aga-button")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise GtpError("syntax error") from None
    if not isinstance(given, dict):
        raise GtpError("syntax error")
    found = RuleSet({}, "0", None, [])
    for name, value in given.items():
        found = _with_rule(found, name, value, with_komi)
    return found


def _with_rule(found: RuleSet, name: str, value: Any, with_komi: bool) -> RuleSet:
    text = str(value).upper()
    if name == "komi" and with_komi:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise GtpError("komi must be a number")
        return found._replace(komi=float(value))
    if name == "ko" and text == "SPIGHT":
        found.warnings.append("situational instead of Spight's superko, which is not supported")
        return found._replace(settings=found.settings | {"ko": "situational"})
    if name == "ko" and text in ("SIMPLE", "POSITIONAL", "SITUATIONAL"):
        return found._replace(settings=found.settings | {"ko": text.lower()})
    if name in ("scoring", "score") and text in ("AREA", "TERRITORY"):
        return found._replace(settings=found.settings | {"scoring": text.lower()})
    if name == "suicide" and text in ("TRUE", "FALSE"):
        return found._replace(settings=found.settings | {"suicide": text == "TRUE"})
    if name == "tax" and text in ("NONE", "SEKI", "ALL"):
        if text != "NONE":
            found.warnings.append(f"no tax instead of tax {text}, which is not supported")
        return found
    if name == "hasButton" and text in ("TRUE", "FALSE"):
        if text == "TRUE":
            found.warnings.append("no button, which is not supported")
        return found._replace(has_button=text == "TRUE")
    if name == "whiteHandicapBonus" and text in _BONUSES:
        return found._replace(bonus=text)
    if name == "friendlyPassOk" and text in ("TRUE", "FALSE"):
        return found
    if name in ("ko", "scoring", "score", "suicide", "tax", "hasButton", "whiteHandicapBonus", "friendlyPassOk"):
        raise GtpError(f"{name} cannot be {value}")
    raise GtpError(f"unknown rule {name}")


def rules_json(settings: GoSettings) -> str:
    """Return the rules as KataGo's JSON object."""
    rules = {
        "friendlyPassOk": False,
        "hasButton": False,
        "ko": settings.ko.upper(),
        "scoring": settings.scoring.upper(),
        "suicide": settings.suicide,
        "tax": "NONE",
        "whiteHandicapBonus": "0",
    }
    return json.dumps(rules, separators=(",", ":"))
