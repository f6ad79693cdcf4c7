"""Evaluation of a position by a network or a search: shares of the moves, win rate and score."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nobi.board.stones import BLACK, PASS
from nobi.board.text import row_column, vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.models.model import Model
from nobi.players.base import Bot, Clock
from nobi.players.mcts import MctsBot, MctsPlayer, limits
from nobi.players.network import ModelPlayer, player_from_model
from nobi.players.scoring import ownership
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.web.session import cell_of

HINT_PLAYOUTS = 800
OWNERSHIP_PLAYOUTS = 300
SCORE_PLAYOUTS = 100
_LEAST_SHARE = 0.02
"""Moves with a smaller share of the playouts, or fewer than two playouts, are not reported."""
REPORT_SECONDS = 0.2


@dataclass(frozen=True)
class MoveShare:
    """One of the best moves."""

    move: int
    name: str
    share: float
    """0 to 1"""
    detail: str
    """The raw value behind the share."""


@dataclass(frozen=True)
class PositionEvaluation:
    """The evaluation of a position."""

    size: int
    measure: str
    """Type of the shares: probability, preference or playouts."""
    shares: tuple[float, ...]
    """[cell] 0 to 1; 0 if unknown or illegal."""
    best: tuple[MoveShare, ...]
    """The best moves, including a pass if the search considers it."""
    black_chance: float | None = None
    """Black's chance to win, 0 to 1; None if unknown."""
    sentence: str = ""
    black_score: float | None = None
    """Black's lead in points by playouts (Go only); None if not computed."""


@dataclass(frozen=True)
class SearchProgress:
    """Progress of a search."""

    playouts: int
    seconds: float
    best: str
    black_chance: float


def evaluate_by_player(player: ModelPlayer, game: Game) -> PositionEvaluation:
    """Return the preferences of a network, and the chance to win if the network predicts it."""
    if game.is_over:
        raise NobiError("The game is over.")
    found = player.inspect(game)
    moves = [move for move in found.legal if move != PASS]
    output = {move: float(found.output[row_column(move, game.size)]) for move in moves}
    if found.measure == "output":
        measure, shares = "preference", _preferences(output)
        details = {move: f"value {value:.4g}" for move, value in output.items()}
    else:
        measure, shares = "probability", {move: value / 100 for move, value in output.items()}
        details = {move: f"probability {value:.2g} %" for move, value in output.items()}
    chance = None
    sentence = "This network does not predict the winner. Choose a strength with search to see the chance to win."
    mine = player.expected_result(game)
    if mine is not None:
        chance, sentence = (mine if game.to_move == BLACK else 1 - mine), ""
    return _evaluation(game, measure, shares, details, chance, sentence)


def _preferences(values: dict[int, float]) -> dict[int, float]:
    """Return the softmax of the values divided by half their standard deviation, which is comparable on all boards."""
    if not values:
        return {}
    array = np.array(list(values.values()), np.float64)
    spread = float(array.std()) / 2
    weights = np.exp((array - array.max()) / spread) if spread > 0 else np.ones_like(array)
    return dict(zip(values, (weights / weights.sum()).tolist(), strict=True))


def evaluation_of_search(search: Search, game: Game) -> PositionEvaluation:
    """Return the share of the playouts that each move received in a search."""
    children = search.children()
    total = sum(child.visits for child in children)
    known = [child for child in children if child.visits >= max(2.0, _LEAST_SHARE * total)]
    shares = {child.move: child.visits / max(1, total) for child in known}
    details = {child.move: f"{child.visits:,} playouts, {100 * child.winrate:.0f} % won" for child in known}
    chance = search.value if total else None
    if chance is not None and game.to_move != BLACK:
        chance = 1 - chance
    return _evaluation(game, "playouts", shares, details, chance, "")


def _evaluation(
    game: Game,
    measure: str,
    shares: dict[int, float],
    details: dict[int, str],
    chance: float | None,
    sentence: str,
) -> PositionEvaluation:
    cells = np.zeros(game.size**2)
    for move, share in shares.items():
        if move != PASS:
            cells[cell_of(move, game.size)] = share
    order = sorted(shares, key=lambda move: -shares[move])[:9]
    best = tuple(MoveShare(move, vertex_name(move, game.size), shares[move], details[move]) for move in order)
    return PositionEvaluation(game.size, measure, tuple(np.round(cells, 5).tolist()), best, chance, sentence)


def evaluate_by_model(file: Model, game: Game) -> PositionEvaluation:
    """Return the evaluation by the network in a file."""
    variant = Variant(type(game), game.size, game.settings)
    return evaluate_by_player(player_from_model(file, variant), game)


def evaluate_by_search(game: Game, stop: threading.Event) -> PositionEvaluation:
    """Return the evaluation by a new search without a network."""
    bot = MctsBot(MctsPlayer(Variant(type(game), game.size, game.settings), SearchSettings(memory=16)))
    try:
        bot.search.set_game(game)
        bot.search.run(HINT_PLAYOUTS, stop=stop)
        return evaluation_of_search(bot.search, game)
    finally:
        bot.close()


def choose_and_evaluate(
    bot: Bot, game: Game, stop: threading.Event, report: Callable[[SearchProgress], None]
) -> tuple[int, PositionEvaluation | None]:
    """Return the move of a bot and the evaluation of its search; after `stop` a search moves at once."""
    if not isinstance(bot, MctsBot):
        return bot.choose(game, Clock()), None
    search, start = bot.search, time.perf_counter()

    def report_progress() -> None:
        children = search.children()
        chance = search.value if game.to_move == BLACK else 1 - search.value
        playouts = sum(child.visits for child in children)
        best = vertex_name(children[0].move, game.size)
        report(SearchProgress(playouts, time.perf_counter() - start, best, chance))

    search.set_game(game)
    search.run(*limits(bot.settings, Clock()), stop=stop, report=report_progress, interval=REPORT_SECONDS)
    evaluation = evaluation_of_search(search, game)
    move = bot.choose(game, Clock(0.02))  # a short extra search: the bot decides about passing and resigning
    return move, evaluation


def expected_score(game: Game) -> float | None:
    """Return Black's lead in points in Go, estimated by playouts; None for other games."""
    if not isinstance(game, Go):
        return None
    return float(ownership(game, SCORE_PLAYOUTS).sum()) - float(game.settings.komi)


def expected_ownership(game: Game) -> tuple[float, ...]:
    """Return the ownership by playouts, [cell], from -1 (White) to 1 (Black)."""
    if not isinstance(game, Go):
        raise NobiError("Only Go has territory.")
    return tuple(np.round(ownership(game, OWNERSHIP_PLAYOUTS), 3).ravel().tolist())
