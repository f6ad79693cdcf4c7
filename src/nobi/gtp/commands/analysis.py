"""What the bot thinks while it thinks, in the formats of Leela Zero and KataGo."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from nobi.board.vertices import vertex_name
from nobi.games.base import Game
from nobi.gtp.commands import command
from nobi.gtp.commands.playing import played
from nobi.gtp.protocol import GtpError, bool_from, colour_from, int_from
from nobi.gtp.session import Session
from nobi.players.bot import Candidate

_DEFAULT_INTERVAL = 1.0
_SHORTEST_INTERVAL = 0.01
_SURE = 1.96
"""How many standard errors `lcb` lies below the win rate."""


@dataclass
class Request:
    """What is asked for."""

    colour: int
    interval: float = _DEFAULT_INTERVAL
    """Seconds between two reports."""
    most: int | None = None
    ownership: bool = False


Format = Callable[[Session, Game, list[Candidate], Request], str]


def read_request(session: Session, arguments: list[str]) -> Request:
    """`[COLOR] [INTERVAL] [KEY VALUE …]`, the interval in hundredths of a second; unknown keys are ignored."""
    words = list(arguments)
    request = Request(session.game.to_move)
    if words and words[0].lower() in ("b", "w", "black", "white"):
        request.colour = colour_from(words.pop(0))
    if words and words[0].isdigit():
        request.interval = max(_SHORTEST_INTERVAL, int_from(words.pop(0)) / 100)
    while words:
        key = words.pop(0)
        size = 3 if key in ("allow", "avoid") else 1  # COLOR VERTICES DEPTH
        if len(words) < size:
            raise GtpError("syntax error")
        values, words = words[:size], words[size:]
        if key == "interval":
            request.interval = max(_SHORTEST_INTERVAL, int_from(values[0]) / 100)
        elif key == "maxmoves":
            request.most = int_from(values[0])
        elif key == "ownership":
            request.ownership = bool_from(values[0])
    return request


def as_lz(session: Session, game: Game, found: list[Candidate], request: Request) -> str:  # noqa: ARG001
    """Leela Zero's line: shares in parts of 10,000."""
    return " ".join(
        f"info move {vertex_name(one.move, game.size)} visits {one.visits} winrate {round(10000 * one.winrate)} "
        f"prior {round(10000 * one.prior)} lcb {round(10000 * _lcb(one))} order {i} pv {_variation(one, game.size)}"
        for i, one in enumerate(found)
    )


def as_kata(session: Session, game: Game, found: list[Candidate], request: Request) -> str:
    """KataGo's line: shares from 0 to 1; ownership from the view of the player to move."""
    line = " ".join(
        f"info move {vertex_name(one.move, game.size)} visits {one.visits} winrate {one.winrate:.6g} "
        f"prior {one.prior:.6g} lcb {_lcb(one):.6g} order {i} pv {_variation(one, game.size)}"
        for i, one in enumerate(found)
    )
    owned = session.bot.ownership(game) if request.ownership else None
    if owned is not None:
        sign = 1 if game.to_move == 1 else -1
        line += " ownership " + " ".join(f"{sign * value:.4g}" for value in owned.ravel())
    return line


@command(
    "lz-analyze",
    "[COLOR] [INTERVAL] [KEY VALUE …]",
    "what the player thinks of the moves, again and again until any input",
)
def _lz_analyze(session: Session, arguments: list[str]) -> str:
    return _analyse(session, arguments, as_lz)


@command(
    "kata-analyze",
    "[COLOR] [INTERVAL] [KEY VALUE …]",
    "the same in KataGo's format; with `ownership true` the owners too",
)
def _kata_analyze(session: Session, arguments: list[str]) -> str:
    return _analyse(session, arguments, as_kata)


@command(
    "lz-genmove_analyze",
    "[COLOR] [INTERVAL] [KEY VALUE …]",
    "as `genmove`, telling meanwhile what the player thinks; no input ends it before its time",
)
def _lz_genmove_analyze(session: Session, arguments: list[str]) -> str:
    return _genmove_analyse(session, arguments, as_lz)


@command("kata-genmove_analyze", "[COLOR] [INTERVAL] [KEY VALUE …]", "the same in KataGo's format")
def _kata_genmove_analyze(session: Session, arguments: list[str]) -> str:
    return _genmove_analyse(session, arguments, as_kata)


def _analyse(session: Session, arguments: list[str], form: Format) -> str:
    """Writes lines until something comes in; at least one if the bot can tell anything."""
    request = read_request(session, arguments)
    game = session.table.game_of(request.colour)
    writer = _Writer(session, game, request, form)
    found = session.bot.analyse(game, writer, request.interval, session.stop)
    if found is None:
        raise GtpError(f"the player {session.bot.name} cannot analyse")
    if not writer.lines:
        writer(found)
    return ""


def _genmove_analyse(session: Session, arguments: list[str], form: Format) -> str:
    """Writes lines while the bot chooses, then the move.

    KataGo's description of the extension: a normal, synchronous command, which neither a newline nor another command
    ends before its time; the last line is `play` and the move.
    """
    request = read_request(session, arguments)
    writer = _Writer(session, session.table.game_of(request.colour), request, form)
    move = session.choose(request.colour, writer, request.interval)
    session.write(f"play {played(session, request.colour, move)}")
    return ""


class _Writer:
    """Writes what a bot reports, a line each time, and counts the lines."""

    def __init__(self, session: Session, game: Game, request: Request, form: Format) -> None:
        self._session, self._game, self._request, self._form = session, game, request, form
        self.lines = 0

    def __call__(self, found: list[Candidate]) -> None:
        if found[: self._request.most]:  # an empty line would be the end of the answer
            line = self._form(self._session, self._game, found[: self._request.most], self._request)
            self._session.write(line)
            self.lines += 1


def _lcb(one: Candidate) -> float:
    """A lower bound of the win rate."""
    return max(0.0, one.winrate - _SURE * math.sqrt(one.winrate * (1 - one.winrate) / max(1, one.visits)))


def _variation(one: Candidate, size: int) -> str:
    return " ".join(vertex_name(move, size) for move in one.variation or [one.move])
