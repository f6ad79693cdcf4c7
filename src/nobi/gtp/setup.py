"""Game records.

MERGED gtp/commands/rules.py: Rules of Go by KataGo's names.

MERGED gtp/rulesets.py: Rules of Go by the names and keys that KataGo gave them, as far as our Go plays by them.

Ours differ from KataGo's in that white gets no points for handicap stones, and that territory in seki is counted.
"""

import json
import math
from pathlib import Path
from typing import Any

from nobi.board.stones import EMPTY
from nobi.errors import NobiError
from nobi.games.go import GoSettings
from nobi.gtp.protocol import GtpError, int_from, take
from nobi.gtp.session import Session, Table, command
from nobi.players.scoring import final_score
from nobi.records.collection import SgfRecord
from nobi.records.properties import SHORTHANDS
from nobi.records.sgf_reader import read_sgf
from nobi.records.sgf_writer import sgf_of
from nobi.storage import atomic_write


@command(
    "loadsgf",
    "FILE [MOVE]",
    "the position at the end of the record, or before a move; the rules stay, komi is the record's, if it names one",
)
def _loadsgf(session: Session, arguments: list[str]) -> str:
    take(arguments, 1)
    before = None
    if len(arguments) > 1 and arguments[-1].isdigit():
        before = int_from(arguments[-1])
        arguments = arguments[:-1]
    try:
        record = read_sgf(Path(" ".join(arguments)))
    except NobiError as fault:
        raise GtpError(f"cannot load file: {_reason(fault)}") from None
    except (OSError, ValueError):  # ValueError: a name that no file can have
        raise GtpError("cannot load file") from None
    count = len(record.moves) if before is None else max(0, before - 1)
    if record.error and count >= len(record.moves) + (before is not None):
        raise GtpError(f"cannot load file: {record.error.reason.rstrip('.')}")
    variant, table = session.variant, session.table
    try:
        session.resize(record.size)
        if variant.game.name == "go" and not math.isnan(record.komi) and record.komi != variant.settings.komi:
            session.change(komi=record.komi)
        _play_record(session.table, record, min(count, len(record.moves)))
    except (GtpError, NobiError) as fault:
        session.return_to(table)
        raise GtpError(f"cannot load file: {_reason(fault)}") from None
    return ""


def _play_record(table: Table, record: SgfRecord, count: int) -> None:
    """Plays so many moves of a record; where stones are set up between moves, a new game starts from there."""
    played = record.played
    if record.stones or record.first != table.game.to_move:
        table.set_up(record.stones or table.game.start, record.first)
    done = 0
    for change in record.changes:
        if change.after > count:
            break
        table.play_all(played[done : change.after], done + 1)
        done = change.after
        game = table.game
        present = {point: game.colour(point) for point in game.points()}
        present |= {game.points()[cell]: colour for cell, colour in change.cells.items()}
        next_player = played[done][0] if done < len(played) else game.to_move
        stones = [(point, colour) for point, colour in present.items() if colour != EMPTY]
        table.set_up(stones, change.first or next_player)
    table.play_all(played[done:count], done + 1)


@command("printsgf", "[FILE]", "the game as SGF, or into a file other than `-`; the result is that of `final_score`")
def _printsgf(session: Session, arguments: list[str]) -> str:
    record = sgf_of(session.game, result=_result(session))
    if arguments in ([], ["-"]):
        return record.decode()
    try:
        atomic_write(Path(" ".join(arguments)), record)
    except (OSError, ValueError):
        raise GtpError("cannot write file") from None
    return ""


def _reason(fault: Exception) -> str:
    return str(fault).rstrip(".")


def _result(session: Session) -> str:
    """What `final_score` says of a game of Go that is over; nothing of others, whose rules know."""
    is_counted = session.game.name == "go" and session.game.is_over
    return final_score(session.go) if is_counted else ""


_KGS = {"chinese": "chinese-kgs", "aga": "aga", "japanese": "japanese", "new_zealand": "new-zealand"}


@command("kata-get-rules", "", "the rules as JSON", games="go")
def _get_rules(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return as_json(session.variant.settings)


@command("kata-set-rules", "RULES", "a shorthand such as `tromp-taylor`, or JSON; the moves stay", games="go")
def _set_rules(session: Session, arguments: list[str]) -> str:
    take(arguments, 1)
    session.change(**from_text(" ".join(arguments)))
    return ""


@command("kata-set-rule", "KEY VALUE", "one key of the JSON, such as `ko SIMPLE`", games="go")
def _set_rule(session: Session, arguments: list[str]) -> str:
    name, value = take(arguments, 2)
    session.change(**one_rule(name, value))
    return ""


@command("kgs-rules", "RULES", "`chinese`, `aga`, `japanese` or `new_zealand`", games="go")
def _kgs_rules(session: Session, arguments: list[str]) -> str:
    [name] = take(arguments, 1)
    if name.lower() not in _KGS:
        raise GtpError("syntax error")
    session.change(**from_text(_KGS[name.lower()]))
    return ""


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
