"""The grammar of GTP 2: a line becomes a command, an answer becomes text (draft 2 of the specification, sections 2–3).

Nothing here knows the game.
"""

import math
import re
from typing import NamedTuple

from nobi.board.stones import BLACK, WHITE

_COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LARGEST_INT = 2**31 - 1


class GtpError(Exception):
    """A command that fails; the text is what the answer says after the question mark."""


class Command(NamedTuple):
    """What a line asks for."""

    id: str
    """The digits in front, or nothing; the answer repeats them."""
    name: str
    arguments: list[str]


def read_command(line: str) -> Command | None:
    """The command of a line; None if the line is empty or all comment, which asks for no answer.

    Control characters but the tab are taken out, a tab is a space, and a hash begins a comment.
    """
    words = _CONTROL.sub("", line).partition("#")[0].replace("\t", " ").split(" ")
    words = [spec for spec in words if spec]
    if not words:
        return None
    number = words.pop(0) if re.fullmatch(r"[0-9]+", words[0]) else ""
    return Command(number, words[0] if words else "", words[1:])


def success(number: str, text: str = "") -> str:
    """The answer of a command that was done."""
    return _answer("=", number, text)


def failure(number: str, text: str) -> str:
    """The answer of a command that was not."""
    return _answer("?", number, text)


def clean(text: str) -> str:
    """Text without what an answer may not hold: empty lines, tabs and control characters."""
    lines = [_CONTROL.sub("", line.replace("\t", " ")).rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line)


def colour_from(spec: str) -> int:
    """BLACK or WHITE."""
    colour = _COLOURS.get(spec.lower())
    if colour is None:
        raise GtpError("invalid color")
    return colour


def int_from(spec: str) -> int:
    """A whole number from 0 to 2³¹ − 1."""
    if not re.fullmatch(r"[0-9]{1,10}", spec) or int(spec) > _LARGEST_INT:
        raise GtpError("syntax error")
    return int(spec)


def float_from(spec: str) -> float:
    """A finite number."""
    try:
        number = float(spec)
    except ValueError:
        number = math.nan
    if "_" in spec or not math.isfinite(number):
        raise GtpError("syntax error")
    return number


def bool_from(spec: str) -> bool:
    """`true` or `false`."""
    if spec.lower() not in ("true", "false"):
        raise GtpError("syntax error")
    return spec.lower() == "true"


def take(arguments: list[str], count: int) -> list[str]:
    """The first so many arguments; what follows them is ignored, as by GNU Go."""
    if len(arguments) < count:
        raise GtpError("syntax error")
    return arguments[:count]


def _answer(sign: str, number: str, text: str) -> str:
    words = clean(text)
    if words and text.startswith("\n"):
        words = f"\n{words}"  # a drawing, which begins on a line of its own
    return f"{sign}{number} {words}\n\n"
