"""Game records."""

from pathlib import Path

from nobi.errors import NobiError
from nobi.files import write_whole
from nobi.gtp.commands import command
from nobi.gtp.protocol import GtpError, int_from, take
from nobi.gtp.session import Session
from nobi.players.scoring import final_score
from nobi.records.reading import read_record
from nobi.records.sgf import sgf_of


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
        record = read_record(Path(" ".join(arguments)))
    except NobiError as fault:
        raise GtpError(f"cannot load file: {_reason(fault)}") from None
    except (OSError, ValueError):  # ValueError: a name that no file can have
        raise GtpError("cannot load file") from None
    moves = record.moves if before is None else record.moves[: max(0, before - 1)]
    variant, table = session.variant, session.table
    try:
        session.resize(record.size)
        if record.komi is not None and variant.game.name == "go" and record.komi != session.variant.settings.komi:
            session.change(komi=record.komi)
        if record.stones:
            session.table.set_up(record.stones, record.first)
        for colour, move in moves:
            session.table.play(colour, move)
    except (GtpError, NobiError) as fault:
        session.return_to(table)
        raise GtpError(f"cannot load file: {_reason(fault)}") from None
    return ""


@command("printsgf", "[FILE]", "the game as SGF, or into a file; the result is that of `final_score`")
def _printsgf(session: Session, arguments: list[str]) -> str:
    record = sgf_of(session.game, result=_result(session))
    if not arguments:
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
