"""What the bot thinks while it thinks, in the formats of Leela Zero and KataGo.

MERGED gtp/commands/gogui.py: Maps for GoGui's analyze window, and the commands by which GoGui plays games other than Go.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, EMPTY, PASS, WHITE
from nobi.board.text import row_column, vertex_name
from nobi.games.base import COLOUR_NAMES, Game
from nobi.gtp.commands import played
from nobi.gtp.protocol import GtpError, bool_from, colour_from, int_from, take
from nobi.gtp.session import Session, command
from nobi.players.base import Candidate
from nobi.players.inspection import Inside
from nobi.players.scoring import ownership

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


_WAYS = {"↘": "down-right", "↙": "down-left", "↗": "up-right", "↖": "up-left"}


@command("gogui-analyze_commands", "", "the maps that GoGui can show, one a line")
def _analyze_commands(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
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
    inside = session.bot.inside(session.game)
    for i, layer in enumerate(inside.layers if inside else [], 1):
        for j, sweep in enumerate(layer.sweeps, 1):
            name = f"Layer {i}, sweep {j} {_WAYS[sweep.arrow]}"
            for k in range(1, layer.hidden.shape[1] + 1):
                lines.append(f"dboard/{name}, unit {k}/nobi-hidden {i} {j} {k}")
    return "\n".join(lines)


@command("nobi-policy", "", "how good each move seems, from 0, the worst legal one, to 1, the best")
def _policy(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    values, legal = _values(session)
    if not legal.any():
        return _board(np.zeros(values.shape))
    low, high = values[legal].min(), values[legal].max()
    scaled = (values - low) / (high - low) if high > low else np.ones(values.shape)
    return _board(np.where(legal, scaled, 0.0))


@command("nobi-policy_numbers", "", "the same as the network puts it")
def _policy_numbers(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    values, legal = _values(session)
    cells = np.where(legal, np.char.mod("%.2f", values), '""')
    return "\n".join(" ".join(row) for row in cells)


@command("nobi-hidden", "LAYER SWEEP UNIT", "what a hidden unit of a swiping network says at each point, from −1 to 1")
def _hidden(session: Session, arguments: list[str]) -> str:
    layer, sweep, unit = (int_from(spec) for spec in take(arguments, 3))
    inside: Inside | None = session.bot.inside(session.game)
    if inside is None:
        raise GtpError(f"the player {session.bot.name} has no hidden units")
    layers = inside.layers
    if not 1 <= layer <= len(layers):
        raise GtpError("there is 1 layer" if len(layers) == 1 else f"there are {len(layers)} layers")
    sweeps, units = layers[layer - 1].hidden.shape[:2]
    if not (1 <= sweep <= sweeps and 1 <= unit <= units):
        raise GtpError(f"the layer has {sweeps} sweeps and {units} units")
    return _board(layers[layer - 1].hidden[sweep - 1, unit - 1])


@command("nobi-ownership", "", "who owns what by playouts, from −1 (white) to 1 (black)", games="go")
def _ownership(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return _board(ownership(session.go))


@command("gogui-rules_game_id", "", "the name of the game", games="other")
def _game_id(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return session.game.name.replace("-", "").capitalize()


@command("gogui-rules_board", "", "the position: `.`, `X` and `O`, row by row from the top", games="other")
def _rules_board(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    game = session.game
    marks = [{EMPTY: ".", BLACK: "X", WHITE: "O"}[game.colour(point)] for point in game.points()]
    return "\n".join(" ".join(marks[i : i + game.size]) for i in range(0, len(marks), game.size))


@command("gogui-rules_board_size", "", "the size of the board", games="other")
def _rules_board_size(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return str(session.game.size)


@command(
    "gogui-rules_legal_moves", "", "the legal moves of the player to move; none when the game is over", games="other"
)
def _legal_moves(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    game = session.game
    return " ".join(vertex_name(move, game.size) for move in game.legal_moves())


@command("gogui-rules_side_to_move", "", "`black` or `white`", games="other")
def _side_to_move(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return COLOUR_NAMES[session.game.to_move]


@command("gogui-rules_final_result", "", "`black`, `white`, `draw`, or `unknown` while the game goes on", games="other")
def _final_result(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return {BLACK: "black", WHITE: "white", DRAW: "draw"}.get(session.game.outcome, "unknown")


def _values(session: Session) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """[n, n] the policy, and where it is legal to play."""
    game = session.game
    values = session.bot.policy(game)
    if values is None:
        raise GtpError(f"the player {session.bot.name} has no policy")
    legal = np.zeros(values.shape, np.bool_)
    for move in game.legal_moves():
        if move != PASS:
            legal[row_column(move, game.size)] = True
    return values, legal


def _board(values: NDArray[np.floating]) -> str:
    return "\n".join(" ".join(f"{value:.3f}" for value in row) for row in values)
