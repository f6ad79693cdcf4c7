"""A network as a player: greedy, with exact ties broken at random, or drawn from the Gibbs distribution (S08 section
III).

The network sees two planes, own stones and enemy stones, and its values at illegal moves are ignored. It never passes
while it has another move.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import PASS, Stones, as_point, board_points, enemy_of, points_of
from nobi.compiling import UNBOUND, compiled, specialise
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.networks.base import Forward, Network, Weights
from nobi.networks.functions import LANES, F
from nobi.networks.model import Model
from nobi.players.base import BatchPlayer
from nobi.streams import Streams, below, fraction

legal: Any = UNBOUND  # these are bound by `_batch_chooser`
forward: Any = UNBOUND
pick: Any = UNBOUND


@dataclass(frozen=True)
class NetworkSettings:
    """How moves are drawn from the network's values."""

    temperature: float = 0.0
    """0: the best move. Above: move m with probability ∝ exp(value(m)/temperature)."""

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < np.inf:
            raise ValueError(f"temperature must be 0 or more, not {self.temperature}")


class NetworkRoom(NamedTuple):
    """What the player works on."""

    network: Any
    """The network's own room, with `x` and `out`."""
    temperature: float
    point_of: NDArray[np.uint16]
    """[cell]"""
    cell_of: NDArray[np.uint16]
    """[point]"""


class NetworkPlayer(BatchPlayer):
    """Plays by the values of a network."""

    name = "network"
    settings_type = NetworkSettings

    def __init__(
        self,
        variant: Variant,
        network: Network,
        weights: Weights,
        settings: NetworkSettings | None = None,
        word: str = "",
    ) -> None:
        """`word` is what it calls itself."""
        super().__init__(variant, settings)
        self.network = network
        self.weights = weights
        self._word = word or str(network)
        network.split(weights, variant.size)  # complains of a vector that does not fit

    def __str__(self) -> str:
        heat = self.settings.temperature
        return f"{self._word}:temperature={heat:g}" if heat else self._word

    def batch_chooser(self) -> Callable[..., None]:
        """The compiled choice."""
        return _batch_chooser(self.variant.game, self.network.forward())

    def room(self) -> NetworkRoom:
        """The network's room, and the way from cells to points and back."""
        size = self.variant.size
        points = board_points(size)
        cell_of = np.zeros(points_of(size), np.uint16)
        cell_of[points] = np.arange(size * size)
        network = self.network.new_room(self.weights, size)
        return NetworkRoom(network, float(self.settings.temperature), points.astype(np.uint16), cell_of)


@compiled
def show_boards(stones: Stones, lanes: NDArray[np.int64], x: NDArray[np.float32], point_of: NDArray[np.uint16]) -> None:
    """Writes the boards `lanes`, at most LANES of them, into x[cell, plane, lane]: own stones, then enemy stones."""
    for lane in range(len(lanes)):
        g = lanes[lane]
        me = stones.to_move[g]
        enemy = enemy_of(me)
        for cell in range(len(point_of)):
            there = stones.colour[g, point_of[cell]]
            x[cell, 0, lane] = F(there == me)
            x[cell, 1, lane] = F(there == enemy)


def _pick(boards: Any, g: int, streams: Streams, room: NetworkRoom, lane: int) -> int:
    """The move on board g, whose values are in this lane."""
    stones = boards.stones
    values = room.network.out
    best = F(-np.inf)
    chosen = as_point(PASS)
    ways = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        value = values[room.cell_of[point], lane]
        if value >= best and legal(boards, g, point):
            ways = ways + 1 if value == best else 1
            best = value
            if ways == 1 or below(streams, g, ways) == 0:
                chosen = point
    if room.temperature == 0.0 or ways == 0:
        return chosen
    total = 0.0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if legal(boards, g, point):
            total += np.exp((values[room.cell_of[point], lane] - best) / room.temperature)
    left = fraction(streams, g) * total
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if legal(boards, g, point):
            left -= np.exp((values[room.cell_of[point], lane] - best) / room.temperature)
            if left < 0.0:
                return point
    return chosen


def _choose_by_network(
    boards: Any, lanes: NDArray[np.int64], streams: Streams, room: NetworkRoom, moves: NDArray[np.uint16]
) -> None:
    """Chooses for all lanes, a block of LANES after the other."""
    for begin in range(0, len(lanes), LANES):
        block = lanes[begin : begin + LANES]
        show_boards(boards.stones, block, room.network.x, room.point_of)
        forward(room.network, len(block))
        for lane in range(len(block)):
            moves[begin + lane] = pick(boards, block[lane], streams, room, lane)


def pick_among(name: str, legal: Callable[..., bool]) -> Callable[..., int]:
    """The compiled choice (boards, g, streams, room, lane) among the moves for which the compiled `legal` holds."""
    return specialise(_pick, name, legal=legal)


@cache
def _batch_chooser(game: type[Game], forward: Forward) -> Callable[..., None]:
    pick = pick_among(game.name, game.rules.legal)
    return specialise(_choose_by_network, game.name, forward=forward, pick=pick)


def player_of_model(model: Model, path: str, variant: Variant, settings: NetworkSettings) -> NetworkPlayer:
    """The player that a model is; `path` is what it calls itself."""
    if not model.network.scalable and model.size != variant.size:
        raise NobiError(
            f"The network of {path!r} plays on {model.size}x{model.size} only, not on {variant.size}x{variant.size}."
        )
    return NetworkPlayer(variant, model.network, model.weights, settings, path)
