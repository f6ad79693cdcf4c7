"""GTP commands about the engine itself: parameters, models, the raw output of a network, processor time, gomill."""

import json
import time
from typing import Any

import numpy as np

import nobi
from nobi.board.stones import WHITE
from nobi.games.go import Go
from nobi.gtp.commands import play_chosen
from nobi.gtp.protocol import GtpError, colour_from, float_from
from nobi.gtp.session import Colour, Session, command
from nobi.models import model_path
from nobi.search.policy import softmax
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

_RAW_PLAYOUTS = 200
"""Playouts for the values of `kata-raw-nn` that the network does not have."""

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
    """A model as KataGo's JSON describes one."""
    path = model_path(name)
    return {
        "name": path.name,
        "internalName": path.stem,
        "maxBatchSize": SearchSettings.batch,
        "usesHumanSLProfile": False,
        "version": 1,
        "usingFP16": False,
    }


@command("clear_cache", "", "discards what is kept from earlier searches")
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


@command("gomill-genmove_ex", "COLOR [KEYWORD …]", "as `genmove`; the keywords, such as `claim`, change nothing")
def _genmove_ex(session: Session, colour: Colour, *words: str) -> str:  # noqa: ARG001
    return play_chosen(session, colour, session.choose(colour))


@command("gogui-interrupt", "", "nothing: it says that the comment line `# interrupt` ends the choice of a move")
def _interrupt(session: Session) -> None:
    pass


@command("kgs-game_over", "", "nothing: the position is kept, since the game may be resumed")
def _game_over(session: Session) -> None:
    pass
