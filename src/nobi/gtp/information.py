"""GTP commands about the engine: parameters, models, network outputs, maps for GoGui, commands of other programs."""

import json
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nobi
from nobi.board.stones import BLACK, DRAW, EMPTY, WHITE
from nobi.board.text import vertex_name
from nobi.games.base import COLOUR_NAMES
from nobi.games.go import Go
from nobi.gtp.protocol import GtpError, colour_from, float_from
from nobi.gtp.session import Session, command
from nobi.models import model_path
from nobi.players.scoring import ownership
from nobi.search.policy import softmax
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

_RAW_PLAYOUTS = 200
"""Playouts for those values of `kata-raw-nn` that the network does not compute."""

# --- parameters and models ------------------------------------------------------------------------------------------


def _parameter(session: Session, name: str) -> float:
    known = session.bot.parameters()
    if name not in known:
        raise GtpError(f"unknown parameter {name}")
    return known[name]


@command("kata-list-params", "", "the names of the parameters of a search, separated by spaces")
def _list_params(session: Session) -> str:
    return " ".join(session.bot.parameters())


@command("kata-get-param", "NAME", "the value of a parameter")
def _get_param(session: Session, name: str) -> str:
    return f"{_parameter(session, name):.12g}"


@command("kata-set-param", "NAME VALUE", "sets a parameter; `kata-list-params` lists them")
def _set_param(session: Session, name: str, value: str) -> None:
    _parameter(session, name)
    session.set_parameters({name: float_from(value)})


@command("kata-get-params", "", "all parameters as JSON")
def _get_params(session: Session) -> str:
    return json.dumps(session.bot.parameters(), separators=(",", ":"))


@command("kata-set-params", "JSON", "sets several parameters")
def _set_params(session: Session, first: str, *words: str) -> None:
    try:
        given: Any = json.loads(" ".join([first, *words]))
    except (ValueError, RecursionError):
        raise GtpError("syntax error") from None
    if not isinstance(given, dict):
        raise GtpError("syntax error")
    for name in given:
        _parameter(session, name)
    session.set_parameters({name: float_from(str(value)) for name, value in given.items()})


@command("kata-get-models", "", "the models that the player uses, as JSON")
def _get_models(session: Session) -> str:
    return json.dumps([model_entry(name) for name in session.bot.models()], separators=(",", ":"))


def model_entry(name: str) -> dict[str, Any]:
    """Return a model as KataGo's JSON describes one."""
    path = model_path(name)
    return {
        "name": path.name,
        "internalName": path.stem,
        "maxBatchSize": SearchSettings.batch,
        "usesHumanSLProfile": False,
        "version": 1,
        "usingFP16": False,
    }


@command("clear_cache", "", "discards the results of earlier searches")
def _clear_cache(session: Session) -> None:
    session.bot.forget()


@command("kata-raw-nn", "[COLOR] SYMMETRY", "the network's output, the score by playouts; the symmetry is 0", "go")
def _raw_nn(session: Session, *words: str) -> str:
    rest = list(words)
    colour = session.game.to_move
    if len(rest) > 1:
        colour = colour_from(rest.pop(0))
    if len(rest) != 1:
        raise GtpError("syntax error")
    if rest[0] != "0":
        raise GtpError("the only symmetry is 0")
    game = session.gtp_game.with_turn(colour)
    values = session.bot.policy(game)
    if values is None or not isinstance(game, Go):
        raise GtpError(f"the player {session.bot.name} has no network")
    search = Search(session.variant, SearchSettings(memory=8))
    search.set_game(game)
    search.run(_RAW_PLAYOUTS)
    root, owned = search.report(), search.ownership()
    search.close()
    sign = 1 if game.to_move == WHITE else -1
    expected = session.bot.expected_result(game)
    mine = root.winrate if expected is None else expected
    win = mine if sign > 0 else 1 - mine
    lead, stdev = (sign * root.score.lead, root.score.stdev) if root.score else (0.0, 0.0)
    legal = game.legal_mask()
    weights = np.full(legal.shape, np.nan)
    weights[legal] = softmax(values[legal].astype(np.float64)) if legal.any() else 0.0
    lines = [
        "symmetry 0",
        f"whiteWin {win:.6f}",
        f"whiteLoss {1 - win:.6f}",
        "noResult 0.000000",
        f"whiteLead {lead:.3f}",
        f"whiteScoreSelfplay {lead:.3f}",
        f"whiteScoreSelfplaySq {lead * lead + stdev * stdev:.3f}",
        "varTimeLeft 0.000",
        "shorttermWinlossError 0.000",
        "shorttermScoreError 0.000",
        "policy",
        *(" ".join("NAN" if np.isnan(value) else f"{value:.6f}" for value in row) for row in weights),
        f"policyPass {0.0 if legal.any() else 1.0:.6f}",
        "whiteOwnership",
        *(" ".join(f"{-value:.6f}" for value in row) for row in owned),
    ]
    return "\n".join(lines)


# --- other programs -------------------------------------------------------------------------------------------------


@command("cputime", "", "seconds of processor time that the engine has used")
@command("gomill-cpu_time", "", "the same")
def _cputime(session: Session) -> str:  # noqa: ARG001
    return f"{time.process_time():.3f}"


@command("gomill-describe_engine", "", "name, version and player")
def _describe(session: Session) -> str:
    return f"nobi {nobi.__version__}\n{session.bot.name}"


@command("gomill-explain_last_move", "", "playouts, win rate, score and variation of the latest move of the player")
def _explain(session: Session) -> str:
    return session.bot.explain()


# --- GoGui: maps of what a player sees, and games other than Go -----------------------------------------------------

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
    """Return the policy and the mask of legal moves, [n, n] each."""
    values = session.bot.policy(session.game)
    if values is None:
        raise GtpError(f"the player {session.bot.name} has no policy")
    return values, session.game.legal_mask()


def _board(values: NDArray[np.floating]) -> str:
    return "\n".join(" ".join(f"{value:.3f}" for value in row) for row in values)
