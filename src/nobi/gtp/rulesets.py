"""Rules of Go by the names and keys that KataGo gave them, as far as our Go plays by them.

Ours differ from KataGo's in that white gets no points for handicap stones, and that territory in seki is counted.
"""

import json
from typing import Any

from nobi.games.go import GoSettings
from nobi.gtp.protocol import GtpError
from nobi.records.rules import SHORTHANDS

_FIXED = {"tax": ("NONE",), "hasButton": (False,), "whiteHandicapBonus": ("0",), "friendlyPassOk": (True, False)}
"""What must not be asked for otherwise."""


def as_json(settings: GoSettings) -> str:
    """The rules as `kata-get-rules` tells them."""
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


def from_text(text: str) -> dict[str, Any]:
    """The settings that a shorthand or a JSON dictionary of `kata-set-rules` stands for."""
    if not text.startswith("{"):
        rules = SHORTHANDS.get(text.lower().replace("_", "-"))
        if rules is None:
            raise GtpError(f"unknown rules, known are {', '.join(SHORTHANDS)}")
        return rules
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise GtpError("syntax error") from None
    return {key: value for name in given for key, value in one_rule(name, given[name]).items()}


def one_rule(name: str, value: Any) -> dict[str, Any]:
    """The settings that one key of the dictionary stands for; none if our rules are like that anyway."""
    text = str(value).lower()
    if name == "ko" and text in ("simple", "positional", "situational"):
        return {"ko": text}
    if name == "scoring" and text in ("area", "territory"):
        return {"scoring": text}
    if name == "suicide" and text in ("true", "false"):
        return {"suicide": text == "true"}
    if name in _FIXED and text in (str(fixed).lower() for fixed in _FIXED[name]):
        return {}
    if name in ("ko", "scoring", "suicide", *_FIXED):
        raise GtpError(f"{name} cannot be {value}")
    raise GtpError(f"unknown rule {name}")
