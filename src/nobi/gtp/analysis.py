"""GTP commands for analysis, in the formats of Leela Zero and KataGo, and for GoGui: maps, and games other than Go."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, EMPTY, WHITE
from nobi.board.text import vertex_name
from nobi.games.base import COLOUR_NAMES, Game
from nobi.gtp.commands import play_chosen
from nobi.gtp.protocol import GtpError, bool_from, colour_from, int_from
from nobi.gtp.session import Session, command
from nobi.players.base import Candidate
from nobi.players.scoring import ownership

_DEFAULT_INTERVAL = 1.0
_SHORTEST_INTERVAL = 0.01
_Z = 1.96
"""The number of standard errors between `lcb` and the win rate."""


@dataclass
class Request:
    """The arguments of an analysis."""

    colour: int
    interval: float = _DEFAULT_INTERVAL
    """Seconds between two reports."""
    max_moves: int | None = None
    ownership: bool = False


Format = Callable[[Session, Game, list[Candidate], Request], str]


def read_request(session: Session, arguments: Sequence[str]) -> Request:
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
            request.max_moves = int_from(values[0])
        elif key == "ownership":
            request.ownership = bool_from(values[0])
    return request


def as_lz(session: Session, game: Game, found: list[Candidate], request: Request) -> str:  # noqa: ARG001
    """Leela Zero's line: rates in units of 1/10,000."""
    return " ".join(
        f"info move {vertex_name(one.move, game.size)} visits {one.visits} winrate {round(10000 * one.winrate)} "
        f"prior {round(10000 * one.prior)} lcb {round(10000 * _lcb(one))} order {i} pv {_variation(one, game.size)}"
        for i, one in enumerate(found)
    )


def as_kata(session: Session, game: Game, found: list[Candidate], request: Request) -> str:
    """KataGo's line: rates from 0 to 1; ownership from the view of the player to move."""
    line = " ".join(
        f"info move {vertex_name(one.move, game.size)} visits {one.visits} winrate {one.winrate:.6g} "
        f"prior {one.prior:.6g} lcb {_lcb(one):.6g} order {i} pv {_variation(one, game.size)}"
        for i, one in enumerate(found)
    )
    owned = session.bot.ownership(game) if request.ownership else None
    if owned is not None:
        sign = 1 if game.to_move == BLACK else -1
        line += " ownership " + " ".join(f"{sign * value:.4g}" for value in owned.ravel())
    return line


def _analyse(session: Session, *words: str, form: Format) -> None:
    """Write lines until input arrives; at least one if the bot has an analysis."""
    request = read_request(session, words)
    game = session.gtp_game.with_turn(request.colour)
    writer = _Writer(session, game, request, form)
    found = session.bot.analyse(game, writer, request.interval, session.stop)
    if found is None:
        raise GtpError(f"the player {session.bot.name} cannot analyse")
    if not writer.lines:
        writer(found)


def _genmove_analyse(session: Session, *words: str, form: Format) -> None:
    """Write lines while the bot chooses, then the move.

    KataGo's description of the extension: a normal, synchronous command, which neither a newline nor another command
    interrupts; the last line is `play` and the move.
    """
    request = read_request(session, words)
    writer = _Writer(session, session.gtp_game.with_turn(request.colour), request, form)
    move = session.choose(request.colour, writer, request.interval)
    session.write(f"play {play_chosen(session, request.colour, move)}")


_KEYS = "[COLOR] [INTERVAL] [KEY VALUE …]"
for _name, _form, _about in (
    ("lz", as_lz, "the player's analysis of the moves until any input, in Leela Zero's format"),
    ("kata", as_kata, "the same in KataGo's format; with `ownership true` also the owners of the points"),
):
    command(f"{_name}-analyze", _KEYS, _about)(partial(_analyse, form=_form))
for _name, _form, _about in (
    ("lz", as_lz, "as `genmove`, with analysis in Leela Zero's format; input does not end it"),
    ("kata", as_kata, "the same in KataGo's format"),
):
    command(f"{_name}-genmove_analyze", _KEYS, _about)(partial(_genmove_analyse, form=_form))


class _Writer:
    """Writes a line for each report of a bot, and counts the lines."""

    def __init__(self, session: Session, game: Game, request: Request, form: Format) -> None:
        self._session, self._game, self._request, self._form = session, game, request, form
        self.lines = 0

    def __call__(self, found: list[Candidate]) -> None:
        found = found[: self._request.max_moves]
        if found:  # an empty line would end the answer
            self._session.write(self._form(self._session, self._game, found, self._request))
            self.lines += 1


def _lcb(one: Candidate) -> float:
    """A lower confidence bound of the win rate."""
    return max(0.0, one.winrate - _Z * math.sqrt(one.winrate * (1 - one.winrate) / max(1, one.visits)))


def _variation(one: Candidate, size: int) -> str:
    return " ".join(vertex_name(move, size) for move in one.variation or [one.move])


_DIRECTIONS = {"↘": "down-right", "↙": "down-left", "↗": "up-right", "↖": "up-left"}


@command("gogui-analyze_commands", "", "the maps that GoGui can show, one per line")
def _analyze_commands(session: Session) -> str:
    lines = []
    if session.bot.policy(session.game) is not None:
        lines += ["dboard/Policy/nobi-policy", "sboard/Policy as numbers/nobi-policy_numbers"]
    if session.game.name == "go":
        lines += [
            "dboard/Ownership/nobi-ownership",
            "plist/Dead stones/final_status_list dead",
            "string/Final score/final_score",
            "string/Rules/kata-get-rules",
        ]
    else:
        lines += ["plist/Legal moves/gogui-rules_legal_moves", "string/Result/gogui-rules_final_result"]
    inspection = session.bot.inspect(session.game)
    for i, layer in enumerate(inspection.layers if inspection else [], 1):
        for j, sweep in enumerate(layer.sweeps, 1):
            name = f"Layer {i}, sweep {j} {_DIRECTIONS[sweep.arrow]}"
            for k in range(1, layer.hidden.shape[1] + 1):
                lines.append(f"dboard/{name}, unit {k}/nobi-hidden {i} {j} {k}")
    return "\n".join(lines)


@command("nobi-policy", "", "the value of each legal move, scaled to 0 for the worst and 1 for the best")
def _policy(session: Session) -> str:
    values, legal = _values(session)
    if not legal.any():
        return _board(np.zeros(values.shape))
    low, high = values[legal].min(), values[legal].max()
    scaled = (values - low) / (high - low) if high > low else np.ones(values.shape)
    return _board(np.where(legal, scaled, 0.0))


@command("nobi-policy_numbers", "", "the values of the legal moves as numbers")
def _policy_numbers(session: Session) -> str:
    values, legal = _values(session)
    cells = np.where(legal, np.char.mod("%.2f", values), '""')
    return "\n".join(" ".join(row) for row in cells)


@command("nobi-hidden", "LAYER SWEEP UNIT", "the output of a hidden unit of a swiping network at each point, −1 to 1")
def _hidden(session: Session, layer: int, sweep: int, unit: int) -> str:
    inspection = session.bot.inspect(session.game)
    layers = inspection.layers if inspection else []
    if not layers:
        raise GtpError(f"the player {session.bot.name} has no hidden units")
    if not 1 <= layer <= len(layers):
        raise GtpError("there is 1 layer" if len(layers) == 1 else f"there are {len(layers)} layers")
    sweeps, units = layers[layer - 1].hidden.shape[:2]
    if not (1 <= sweep <= sweeps and 1 <= unit <= units):
        raise GtpError(f"the layer has {sweeps} sweeps and {units} units")
    return _board(layers[layer - 1].hidden[sweep - 1, unit - 1])


@command("nobi-ownership", "", "the mean owner of each point in playouts, from −1 (White) to 1 (Black)", games="go")
def _ownership(session: Session) -> str:
    return _board(ownership(session.go))


@command("gogui-rules_game_id", "", "the name of the game", games="other")
def _game_id(session: Session) -> str:
    return session.game.name.replace("-", "").capitalize()


@command("gogui-rules_board", "", "the position: `.`, `X` and `O`, row by row from the top", games="other")
def _rules_board(session: Session) -> str:
    game = session.game
    marks = [{EMPTY: ".", BLACK: "X", WHITE: "O"}[game.colour(point)] for point in game.points()]
    return "\n".join(" ".join(marks[i : i + game.size]) for i in range(0, len(marks), game.size))


@command("gogui-rules_board_size", "", "the size of the board", games="other")
def _rules_board_size(session: Session) -> str:
    return str(session.game.size)


@command("gogui-rules_legal_moves", "", "the legal moves; none when the game is over", games="other")
def _legal_moves(session: Session) -> str:
    game = session.game
    return " ".join(vertex_name(move, game.size) for move in game.legal_moves())


@command("gogui-rules_side_to_move", "", "`black` or `white`", games="other")
def _side_to_move(session: Session) -> str:
    return COLOUR_NAMES[session.game.to_move]


@command("gogui-rules_final_result", "", "`black`, `white`, `draw`, or `unknown` while the game goes on", games="other")
def _final_result(session: Session) -> str:
    return {BLACK: "black", WHITE: "white", DRAW: "draw"}.get(session.game.outcome, "unknown")


def _values(session: Session) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """[n, n] the policy, and where it is legal to play."""
    values = session.bot.policy(session.game)
    if values is None:
        raise GtpError(f"the player {session.bot.name} has no policy")
    return values, session.game.legal_mask()


def _board(values: NDArray[np.floating]) -> str:
    return "\n".join(" ".join(f"{value:.3f}" for value in row) for row in values)
