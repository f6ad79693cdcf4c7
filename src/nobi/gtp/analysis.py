"""GTP commands for analysis, in the formats of Leela Zero and KataGo.

An analysis answers `=ID` at once, then writes lines until any input arrives. Its arguments are checked first: unknown
keys and invalid values are errors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK
from nobi.board.text import vertex_name
from nobi.games.base import Game
from nobi.gtp.commands import move_name, play_chosen
from nobi.gtp.protocol import GtpError, bool_from, colour_from, float_from, int_from
from nobi.gtp.session import Colour, Session, command
from nobi.players.base import AnalysisOptions
from nobi.search.report import MoveReport, Restriction, RootReport, Score

_NO_REPORTS = 1e9
"""The default interval: the only report is the one at the end."""
_SHORTEST_INTERVAL = 0.01
_FLAGS = (
    "rootInfo",
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "movesOwnershipStdev",
    "pvVisits",
    "pvEdgeVisits",
    "noResultValue",
)
"""KataGo's keys with the values `true` and `false`."""
_OWNERS = ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev")


@dataclass
class Request:
    """The arguments of an analysis."""

    colour: int
    interval: float = _NO_REPORTS
    """Seconds between two reports."""
    max_moves: int | None = None
    min_moves: int = 0
    flags: set[str] = field(default_factory=set)
    """The keys that are true."""
    restrictions: list[Restriction] = field(default_factory=list)

    @property
    def options(self) -> AnalysisOptions:
        """The options of the bot's search and reports."""
        owners = bool(self.flags & {"movesOwnership", "movesOwnershipStdev"})
        return AnalysisOptions(tuple(self.restrictions), owners, self.min_moves)


Format = Callable[[Session, Game, RootReport, Request], str]


def read_request(session: Session, arguments: Sequence[str], keys: Sequence[str] = _FLAGS) -> Request:
    """Parse `[COLOR] [INTERVAL] [KEY VALUE …]`, the interval in hundredths of a second; `keys` are the boolean keys."""
    words = list(arguments)
    request = Request(session.game.to_move)
    if words and words[0].lower() in ("b", "w", "black", "white"):
        request.colour = colour_from(words.pop(0))
    if words and words[0][0] in "0123456789.":
        request.interval = _interval(words.pop(0))
    while words:
        key = words.pop(0)
        size = 3 if key in ("allow", "avoid") else 1  # COLOR VERTICES DEPTH
        if key not in ("interval", "minmoves", "maxmoves", "avoid", "allow", *keys):
            raise GtpError(f"unknown key {key}")
        if len(words) < size:
            raise GtpError("syntax error")
        values, words = words[:size], words[size:]
        if key == "interval":
            request.interval = _interval(values[0])
        elif key == "minmoves":
            request.min_moves = int_from(values[0])
        elif key == "maxmoves":
            request.max_moves = int_from(values[0])
        elif key in ("avoid", "allow"):
            request.restrictions.append(_restriction(session, key, values, request.restrictions))
        elif bool_from(values[0]):
            request.flags.add(key)
        else:
            request.flags.discard(key)
    return request


def _interval(word: str) -> float:
    interval = float_from(word) / 100
    if interval < 0:
        raise GtpError("syntax error")
    return max(_SHORTEST_INTERVAL, interval)


def _restriction(session: Session, key: str, values: list[str], earlier: list[Restriction]) -> Restriction:
    colour, depth = colour_from(values[0]), int_from(values[2])
    moves = tuple(session.point(name) for name in values[1].split(","))
    if depth < 1:
        raise GtpError("the depth must be 1 or more")
    if any(one.allow != (key == "allow") or (one.allow and one.colour == colour) for one in earlier):
        raise GtpError("allow may be given once for each color, and not together with avoid")
    return Restriction(colour, moves, depth, key == "allow")


# --- lines ----------------------------------------------------------------------------------------------------------


def as_lz(session: Session, game: Game, root: RootReport, request: Request) -> str:  # noqa: ARG001
    """Return a line in Leela Zero's format: rates in units of 1/10,000."""
    return " ".join(
        f"info move {vertex_name(one.move, game.size)} visits {one.visits} winrate {round(10000 * one.winrate)} "
        f"prior {round(10000 * one.prior)} lcb {round(10000 * min(1.0, max(0.0, one.lcb)))} "
        f"order {i} pv {_line(one, game.size)}"
        for i, one in enumerate(root.moves)
    )


def as_kata(session: Session, game: Game, root: RootReport, request: Request) -> str:
    """Return a line in KataGo's format: rates from 0 to 1, all values from the perspective of the player to move."""
    parts = [_info(i, one, game, request.flags) for i, one in enumerate(root.moves)]
    if "rootInfo" in request.flags:
        parts.append(f"rootInfo visits {root.visits} {_values(root.winrate, root.score)} weight {root.visits:.6f}")
    owned = session.bot.ownership(game) if request.flags & set(_OWNERS[:2]) else None
    if owned is not None:
        parts += _owners(owned, game, request.flags, "ownership", "ownershipStdev")
    return " ".join(parts)


def _info(order: int, one: MoveReport, game: Game, flags: set[str]) -> str:
    parts = [
        f"info move {vertex_name(one.move, game.size)} visits {one.visits} edgeVisits {one.visits}",
        _values(one.winrate, one.score),
    ]
    if "noResultValue" in flags:
        parts.append("noResultValue 0.000000")
    parts.append(f"prior {one.prior:.6f} lcb {one.lcb:.6f}")
    if one.utility_lcb is not None:
        parts.append(f"utilityLcb {one.utility_lcb:.6f}")
    parts.append(f"weight {one.visits:.6f} order {order} pv {_line(one, game.size)}")
    counts = " ".join(map(str, one.variation_visits))
    parts += [f"{key} {counts}" for key in ("pvVisits", "pvEdgeVisits") if key in flags]
    if one.ownership is not None:
        parts += _owners(one.ownership, game, flags, "movesOwnership", "movesOwnershipStdev")
    return " ".join(parts)


def _values(winrate: float, score: Score | None) -> str:
    """Return the win rate, and the score if the game has one; always with a decimal point."""
    if score is None:
        return f"winrate {winrate:.6f}"
    return (
        f"utility {score.utility:.6f} winrate {winrate:.6f} scoreMean {score.lead:.6f} scoreStdev {score.stdev:.6f} "
        f"scoreLead {score.lead:.6f} scoreSelfplay {score.lead:.6f}"
    )


def _owners(owned: NDArray[Any], game: Game, flags: set[str], mean: str, stdev: str) -> list[str]:
    sign = 1 if game.to_move == BLACK else -1
    maps: dict[str, NDArray[Any]] = {mean: sign * owned, stdev: owners_stdev(owned)}
    return [f"{key} {' '.join(f'{x:.6f}' for x in values.ravel())}" for key, values in maps.items() if key in flags]


def owners_stdev(owned: NDArray[Any]) -> NDArray[np.float64]:
    """Return the standard deviations of owners, −1 or 1, from their means."""
    return np.sqrt(np.maximum(0.0, 1.0 - owned.astype(np.float64) ** 2))


def _line(one: MoveReport, size: int) -> str:
    return " ".join(vertex_name(move, size) for move in one.variation)


class _Writer:
    """Writes a line for each report of a bot, and counts the lines."""

    def __init__(self, session: Session, game: Game, request: Request, form: Format) -> None:
        self._session, self._game, self._request, self._form = session, game, request, form
        self.lines = 0

    def __call__(self, root: RootReport) -> None:
        root = replace(root, moves=root.moves[: self._request.max_moves])
        if root.moves:  # an empty line would end the answer
            self._session.write(self._form(self._session, self._game, root, self._request))
            self.lines += 1


# --- commands -------------------------------------------------------------------------------------------------------


def _prepare(session: Session, words: Sequence[str], form: Format, *, must: bool) -> tuple[Request, _Writer]:
    """Check the arguments, and write the first line of the answer; `must`: the player must be able to analyse."""
    request = read_request(session, words, _FLAGS if form is as_kata else ())
    game = session.gtp_game.with_turn(request.colour)
    bot = session.bot
    if must and not bot.can_analyse(game):
        reason = "the game is over" if game.is_over else f"the player {bot.name} cannot analyse"
        raise GtpError(reason)
    if game.name == "go" and request.flags & set(_OWNERS) and bot.ownership(game) is None:
        raise GtpError(f"the player {bot.name} does not find the owners of points")
    if request.restrictions and not _has_move(game, request.restrictions):
        raise GtpError("no move is left to search")
    bot.set_options(request.options)
    session.begin()
    return request, _Writer(session, game, request, form)


def _has_move(game: Game, restrictions: Sequence[Restriction]) -> bool:
    left = set(game.legal_moves())
    for one in restrictions:
        if one.colour == game.to_move:
            left = left & set(one.moves) if one.allow else left - set(one.moves)
    return bool(left)


def _analyse(session: Session, *words: str, form: Format) -> None:
    """Write lines until input arrives, at least one."""
    request, writer = _prepare(session, words, form, must=True)
    game = session.gtp_game.with_turn(request.colour)
    try:
        found = session.bot.analyse(game, writer, request.interval, session.stop)
        if found and not writer.lines:
            writer(found)
    finally:
        session.bot.set_options(AnalysisOptions())


def _choose_analysing(session: Session, *words: str, form: Format, plays: bool, cancellable: bool) -> None:
    """Write lines while the bot chooses, then the move.

    As KataGo describes the extension, this is a normal, synchronous command, which neither a newline nor another
    command interrupts unless it is cancellable; the last line is `play` and the move.
    """
    request, writer = _prepare(session, words, form, must=False)
    stop = session.stop if cancellable else None
    try:
        move = session.choose(request.colour, writer, request.interval, stop=stop)
    finally:
        session.bot.set_options(AnalysisOptions())
    if cancellable and session.stop.is_set():
        session.write("play cancelled")
    elif plays:
        session.write(f"play {play_chosen(session, request.colour, move)}")
    else:
        session.write(f"play {move_name(session, move)}")


@command("kata-search_cancellable", "COLOR", "the same; any input ends it with `cancelled`")
def _search_cancellable(session: Session, colour: Colour) -> str:
    move = session.choose(colour, stop=session.stop)
    return "cancelled" if session.stop.is_set() else move_name(session, move)


_KEYS = "[COLOR] [INTERVAL] [KEY VALUE …]"
for _name, _form, _about in (
    ("lz", as_lz, "the player's analysis of the moves until any input, in Leela Zero's format"),
    ("kata", as_kata, "the same in KataGo's format, with more keys"),
):
    command(f"{_name}-analyze", _KEYS, _about)(partial(_analyse, form=_form))
for _name, _form, _about, _plays, _cancellable in (
    ("lz-genmove_analyze", as_lz, "as `genmove`, with analysis in Leela Zero's format; input does not end it", 1, 0),
    ("kata-genmove_analyze", as_kata, "the same in KataGo's format", 1, 0),
    ("kata-search_analyze", as_kata, "the same; the move is not played", 0, 0),
    ("kata-search_analyze_cancellable", as_kata, "the same; any input ends it with `play cancelled`", 0, 1),
):
    command(_name, _KEYS, _about)(
        partial(_choose_analysing, form=_form, plays=bool(_plays), cancellable=bool(_cancellable))
    )
