"""Evaluation of a position by a network or a search: shares of the moves, win rate, sweeps of hidden units."""

import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, PASS
from nobi.board.text import row_column, vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.models.model import ModelFile
from nobi.players.base import Bot, Clock
from nobi.players.mcts import MctsBot, MctsPlayer, limits
from nobi.players.network import ModelPlayer, NetworkPlayer, PolicyPlayer, player_from_file
from nobi.players.scoring import ownership
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.web.gates import gates_of
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
class Opinion:
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
class Thinking:
    """Progress of a search."""

    playouts: int
    seconds: float
    best: str
    black_chance: float


def opinion_of_network(player: ModelPlayer, game: Game) -> Opinion:
    """The preferences of a network, and the chance to win if the network predicts it."""
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
    mine = player.expected_result(game) if isinstance(player, PolicyPlayer) else None
    if mine is not None:
        chance, sentence = (mine if game.to_move == BLACK else 1 - mine), ""
    return _opinion(game, measure, shares, details, chance, sentence)


def _preferences(values: dict[int, float]) -> dict[int, float]:
    """Shares that are comparable on all boards: softmax of the values divided by half their standard deviation."""
    if not values:
        return {}
    array = np.array(list(values.values()), np.float64)
    spread = float(array.std()) / 2
    weights = np.exp((array - array.max()) / spread) if spread > 0 else np.ones_like(array)
    return dict(zip(values, (weights / weights.sum()).tolist(), strict=True))


def opinion_of_search(search: Search, game: Game) -> Opinion:
    """The share of the playouts that each move received in a search."""
    children = search.children()
    total = sum(child.visits for child in children)
    known = [child for child in children if child.visits >= max(2.0, _LEAST_SHARE * total)]
    shares = {child.move: child.visits / max(1, total) for child in known}
    details = {child.move: f"{child.visits:,} playouts, {100 * child.winrate:.0f} % won" for child in known}
    chance = search.value if total else None
    if chance is not None and game.to_move != BLACK:
        chance = 1 - chance
    return _opinion(game, "playouts", shares, details, chance, "")


def _opinion(
    game: Game,
    measure: str,
    shares: dict[int, float],
    details: dict[int, str],
    chance: float | None,
    sentence: str,
) -> Opinion:
    cells = np.zeros(game.size**2)
    for move, share in shares.items():
        if move != PASS:
            cells[cell_of(move, game.size)] = share
    order = sorted(shares, key=lambda move: -shares[move])[:9]
    best = tuple(MoveShare(move, vertex_name(move, game.size), shares[move], details[move]) for move in order)
    return Opinion(game.size, measure, tuple(np.round(cells, 5).tolist()), best, chance, sentence)


def network_opinion(file: ModelFile, game: Game) -> Opinion:
    """Evaluation by the network in a file."""
    variant = Variant(type(game), game.size, game.settings)
    return opinion_of_network(player_from_file(file, variant), game)


def search_opinion(game: Game, stop: threading.Event, playouts: int = HINT_PLAYOUTS) -> Opinion:
    """Evaluation by a new search without a network."""
    bot = MctsBot(MctsPlayer(Variant(type(game), game.size, game.settings), SearchSettings(memory=16)))
    try:
        bot.search.set_game(game)
        bot.search.run(playouts, stop=stop)
        return opinion_of_search(bot.search, game)
    finally:
        bot.close()


def think(
    bot: Bot, game: Game, stop: threading.Event, report: Callable[[Thinking], None]
) -> tuple[int, Opinion | None]:
    """The move of a bot and the evaluation of its search; after `stop` a search moves at once."""
    if not isinstance(bot, MctsBot):
        return bot.choose(game, Clock()), None
    search, start = bot.search, time.perf_counter()

    def report_progress() -> None:
        children = search.children()
        chance = search.value if game.to_move == BLACK else 1 - search.value
        playouts = sum(child.visits for child in children)
        best = vertex_name(children[0].move, game.size)
        report(Thinking(playouts, time.perf_counter() - start, best, chance))

    search.set_game(game)
    search.run(*limits(bot.settings, Clock()), stop=stop, report=report_progress, interval=REPORT_SECONDS)
    opinion = opinion_of_search(search, game)
    return bot.choose(game, Clock(0.02)), opinion  # a short extra search: the bot decides about passing and resigning


def expected_score(game: Game) -> float | None:
    """Black's lead in points in Go, estimated by playouts; None for other games."""
    if not isinstance(game, Go):
        return None
    return float(ownership(game, SCORE_PLAYOUTS).sum()) - float(game.settings.komi)


def expected_ownership(game: Game) -> tuple[float, ...]:
    """[cell] from -1 (White) to 1 (Black)."""
    if not isinstance(game, Go):
        raise NobiError("Only Go has territory.")
    return tuple(np.round(ownership(game, OWNERSHIP_PLAYOUTS), 3).ravel().tolist())


# --- sweeps ---------------------------------------------------------------------------------------------------------

_SENTENCES = {
    "↘": "From the top left: each point receives the outputs of the points above it and to its left.",
    "↙": "From the top right: each point receives the outputs of the points above it and to its right.",
    "↗": "From the bottom left: each point receives the outputs of the points below it and to its left.",
    "↖": "From the bottom right: each point receives the outputs of the points below it and to its right.",
}
_CORNERS = {"↘": 0, "↙": 1, "↗": 2, "↖": 3}
SUM_SENTENCE = (
    "All sweeps are added. Each point now depends on the whole board, and the network plays the point with the largest "
    "sum."
)
TWICE_SENTENCE = (
    "The board is swept twice from each corner. The second time the two forget gates are exchanged, so that rows and "
    "columns are treated alike."
)


@dataclass(frozen=True)
class SweepFrame:
    """One sweep over a board."""

    arrow: str
    corner: int
    """0 top left, 1 top right, 2 bottom left, 3 bottom right."""
    gates: str
    units: tuple[str, ...]
    """[k] the activations of unit k at every cell, -127 to 127, one byte each, in base64."""
    gate_names: tuple[str, ...] = ()
    """Gates of MDLSTM cells; empty for other networks."""
    unit_gates: tuple[str, ...] = ()
    """[k] the gates of unit k, [gate, cell], in the same encoding."""

    @property
    def sentence(self) -> str:
        """Explanation for the visitor."""
        return _SENTENCES[self.arrow]


@dataclass(frozen=True)
class InsideView:
    """A network's evaluation of a position and the sweeps behind it."""

    opinion: Opinion
    frames: tuple[SweepFrame, ...]
    """Sweeps of the first layer, sorted by corner; empty if the network has none."""
    units: int
    weights: NDArray[np.float32] | None = None
    """The weights of an evolved network; None for a deep network."""


def look_inside_file(file: ModelFile, game: Game) -> InsideView:
    """Evaluation of a position by the network in a file, with its sweeps."""
    variant = Variant(type(game), game.size, game.settings)
    player = player_from_file(file, variant)
    opinion = opinion_of_network(player, game)
    if not isinstance(player, NetworkPlayer):
        return InsideView(opinion, (), 0)
    layers = player.inspect(game).layers
    if not layers:
        return InsideView(opinion, (), 0, player.weights)
    layer, gates = layers[0], gates_of(player, game)
    largest = float(np.abs(layer.hidden).max()) or 1.0
    frames = [
        SweepFrame(
            label.arrow,
            _CORNERS[label.arrow],
            label.gates,
            tuple(_packed(unit / largest) for unit in units),
            gates.names if gates else (),
            tuple(gates.packed(sweep, unit) for unit in range(len(units))) if gates else (),
        )
        for sweep, (label, units) in enumerate(zip(layer.sweeps, layer.hidden, strict=True))
    ]
    frames.sort(key=lambda frame: frame.corner)
    return InsideView(opinion, tuple(frames), layer.hidden.shape[1], player.weights)


def _packed(values: NDArray[np.float32]) -> str:
    return base64.b64encode(np.rint(127 * values).astype(np.int8).tobytes()).decode()


def weights_of(file: ModelFile, most: int = 400) -> list[float]:
    """The weights of a small network, scaled to -1 to 1; empty if there are more than `most`."""
    weights: Any = np.concatenate([tensor.ravel() for tensor in file.tensors.values()])
    if len(weights) > most:
        return []
    return (weights / (float(np.abs(weights).max()) or 1.0)).round(4).tolist()
