"""The syntax of GTP 2: lines to commands, answers to text (draft 2 of the specification, sections 2–3)."""

import math
import re
from typing import NamedTuple

from nobi.board.stones import BLACK, WHITE

_COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LARGEST_INT = 2**31 - 1


class GtpError(Exception):
    """A command that fails; the message is the text of the answer after the question mark."""


class GtpCommand(NamedTuple):
    """The command of a line."""

    id: str
    """The digits before the name, or empty; the answer repeats them."""
    name: str
    arguments: list[str]


def read_command(line: str) -> GtpCommand | None:
    """Return the command of a line; None if the line is empty or a comment, which has no answer.

    Control characters except tabs are removed, tabs become spaces, and a hash begins a comment.
    """
    words = _CONTROL.sub("", line).partition("#")[0].replace("\t", " ").split(" ")
    words = [word for word in words if word]
    if not words:
        return None
    number = words.pop(0) if re.fullmatch(r"[0-9]+", words[0]) else ""
    return GtpCommand(number, words[0] if words else "", words[1:])


def success(number: str, text: str = "") -> str:
    """Return the answer to a command that succeeded."""
    return _answer("=", number, text)


def failure(number: str, text: str) -> str:
    """Return the answer to a command that failed."""
    return _answer("?", number, text)


def clean(text: str) -> str:
    """Return a text without empty lines, tabs and control characters, which an answer must not contain."""
    lines = [_CONTROL.sub("", line.replace("\t", " ")).rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line)


def colour_from(word: str) -> int:
    """Parse a colour; return BLACK or WHITE."""
    colour = _COLOURS.get(word.lower())
    if colour is None:
        raise GtpError("invalid color")
    return colour


def int_from(word: str) -> int:
    """Parse an integer from 0 to 2³¹ − 1."""
    if not re.fullmatch(r"[0-9]{1,10}", word) or int(word) > _LARGEST_INT:
        raise GtpError("syntax error")
    return int(word)


def float_from(word: str) -> float:
    """Parse a finite number."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if "_" in word or not math.isfinite(number):
        raise GtpError("syntax error")
    return number


def bool_from(word: str) -> bool:
    """Parse `true` or `false`."""
    if word.lower() not in ("true", "false"):
        raise GtpError("syntax error")
    return word.lower() == "true"


def _answer(sign: str, number: str, text: str) -> str:
    words = clean(text)
    if words and text.startswith("\n"):
        words = f"\n{words}"  # a diagram begins on a new line
    return f"{sign}{number} {words}\n\n"
