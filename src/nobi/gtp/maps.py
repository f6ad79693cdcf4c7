"""GTP commands for GoGui: maps of what a player sees, and games other than Go."""

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, DRAW, EMPTY, WHITE
from nobi.board.text import vertex_name
from nobi.games.base import COLOUR_NAMES
from nobi.gtp.protocol import GtpError
from nobi.gtp.session import Session, command
from nobi.players.scoring import ownership

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
