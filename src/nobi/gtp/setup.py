"""GTP commands for game records and for the rules of Go.

Rules have KataGo's names and keys (`rules.py`). White gets no points for handicap stones.
"""

import math
from pathlib import Path
from typing import Any

from nobi.board.stones import EMPTY
from nobi.errors import NobiError
from nobi.gtp.protocol import GtpError, int_from
from nobi.gtp.rules import RuleSet, read_rules, rules_json
from nobi.gtp.session import Session, command
from nobi.players.scoring import final_score
from nobi.records.collection import SgfRecord
from nobi.records.sgf_reader import read_sgf
from nobi.records.sgf_writer import sgf_of
from nobi.storage import atomic_write


@command(
    "loadsgf",
    "FILE [MOVE]",
    "the position at the end of the record, or before a move; the rules are kept, the komi is that of the record, if "
    "given",
)
def _loadsgf(session: Session, first: str, *words: str) -> None:
    before = int_from(words[-1]) if words and words[-1].isdigit() else None
    name = " ".join([first, *(words if before is None else words[:-1])])
    gtp_game = session.gtp_game
    try:
        record = read_sgf(Path(name))
        count = len(record.moves) if before is None else max(0, before - 1)
        if record.error and count >= len(record.moves) + (before is not None):
            raise GtpError(record.error.reason)
        session.resize(record.size)
        if session.game.name == "go" and not math.isnan(record.komi):
            session.change(komi=record.komi)
        _play_record(session, record, min(count, len(record.moves)))
    except (GtpError, NobiError) as error:
        session.restore(gtp_game)
        raise GtpError(f"cannot load file: {error}") from None
    except (OSError, ValueError):  # ValueError: an impossible file name
        raise GtpError("cannot load file") from None


def _play_record(session: Session, record: SgfRecord, count: int) -> None:
    """Play the first moves of a record; where stones are set up between moves, a new game starts from there."""
    played = record.played
    if record.stones or record.first != session.game.to_move:
        session.set_up(record.stones or session.game.start, record.first)
    done = 0
    for change in record.changes:
        if change.after > count:
            break
        session.gtp_game.play_all(played[done : change.after], done + 1)
        done = change.after
        game = session.game
        present = {point: game.colour(point) for point in game.points()}
        present |= {game.points()[cell]: colour for cell, colour in change.cells.items()}
        next_player = played[done][0] if done < len(played) else game.to_move
        stones = [(point, colour) for point, colour in present.items() if colour != EMPTY]
        session.set_up(stones, change.first or next_player)
    session.gtp_game.play_all(played[done:count], done + 1)


@command("printsgf", "[FILE]", "the game as SGF, or into a file other than `-`; the result is that of `final_score`")
def _printsgf(session: Session, *words: str) -> str:
    is_counted = session.game.name == "go" and session.game.is_over  # the rules of other games determine the result
    record = sgf_of(session.game, result=final_score(session.go) if is_counted else "")
    if words in ((), ("-",)):
        return record.decode()
    try:
        atomic_write(Path(" ".join(words)), record)
    except (NobiError, ValueError):  # ValueError: an impossible file name
        raise GtpError("cannot write file") from None
    return ""


_KGS = {"chinese": "chinese-kgs", "aga": "aga", "japanese": "japanese", "new_zealand": "new-zealand"}


@command("kata-get-rules", "", "the rules as JSON", games="go")
def _get_rules(session: Session) -> str:
    return rules_json(session.variant.settings)


@command(
    "kata-set-rules",
    "RULES",
    "a name such as `tromp-taylor`, or JSON; the moves are kept; unsupported rules are replaced by the nearest ones",
    games="go",
)
def _set_rules(session: Session, first: str, *words: str) -> None:
    _change_rules(session, read_rules(" ".join([first, *words])))


@command("kata-set-rule", "KEY VALUE", "one key of the JSON, such as `ko SIMPLE`", games="go")
def _set_rule(session: Session, name: str, value: str) -> None:
    found = read_rules({name: value})
    if found.warnings:
        raise GtpError(f"{name} cannot be {value}")
    _change_rules(session, found)


@command("kgs-rules", "RULES", "`chinese`, `aga`, `japanese` or `new_zealand`", games="go")
def _kgs_rules(session: Session, name: str) -> None:
    if name.lower() not in _KGS:
        raise GtpError("syntax error")
    session.change(**read_rules(_KGS[name.lower()]).settings)


def _change_rules(session: Session, rules: RuleSet) -> None:
    settings: dict[str, Any] = rules.settings
    session.change(**settings)
    for warning in rules.warnings:
        session.warn(f"rules: {warning}")
