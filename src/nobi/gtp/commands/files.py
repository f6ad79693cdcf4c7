"""Game records."""

import math
from pathlib import Path

from nobi.board.stones import EMPTY
from nobi.errors import NobiError
from nobi.files import write_whole
from nobi.gtp.commands import command
from nobi.gtp.protocol import GtpError, int_from, take
from nobi.gtp.session import Session
from nobi.gtp.table import Table
from nobi.players.scoring import final_score
from nobi.records.sgf import sgf_of
from nobi.records.sgf_reader import SgfRecord, read_sgf


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
        write_whole(Path(" ".join(arguments)), record)
    except (OSError, ValueError):
        raise GtpError("cannot write file") from None
    return ""


def _reason(fault: Exception) -> str:
    return str(fault).rstrip(".")


def _result(session: Session) -> str:
    """What `final_score` says of a game of Go that is over; nothing of others, whose rules know."""
    is_counted = session.game.name == "go" and session.game.is_over
    return final_score(session.go) if is_counted else ""
