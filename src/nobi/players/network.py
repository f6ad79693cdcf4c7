"""A network as a player: greedy, with exact ties broken at random, or drawn from the Gibbs distribution (S08 section
III).

The network sees two planes, own stones and enemy stones, and its values at illegal moves are ignored. It never passes
while it has another move.

MERGED players/policy.py: A deep network as a player of Go, by its policy alone: the likeliest legal move, or one drawn by temperature.

The networks have not learnt to pass. As in C14 section 4.3 the player passes when its opponent has passed, which ends
the game; it also passes when nothing is left to play. C14's networks, when a game goes on, "run out of good moves and
start making suicidal moves"; so this player never fills an eye of its own, unless told to with `eyes=true`, which is
what C14 and M15 did.

MERGED players/loading.py: Players from model files: what the header names decides which kind of player it is.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS, WHITE, Boards, Stones, as_point, board_points, enemy_of, points_of
from nobi.compiling import UNBOUND, compiled, inlined, specialise
from nobi.errors import NobiError, require_torch
from nobi.games.base import Game, Variant
from nobi.games.go import Go, GoBoards, is_own_eye
from nobi.models.model import (
    DEEP,
    DeepModel,
    Model,
    ModelFile,
    compiled_in,
    compiled_model,
    deep_model_in,
    model_in,
    read_model_file,
)
from nobi.networks.deep.compiled_nobi_net import PlayingNetwork
from nobi.nn.lanes import LANES, F
from nobi.nn.network import Forward, Network, Weights
from nobi.players.base import BatchPlayer, Bot, Clock, Player, PlayerBot
from nobi.spec import settings_from
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


class NetworkWorkspace(NamedTuple):
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
        spec: str = "",
    ) -> None:
        """`spec` is what it calls itself."""
        super().__init__(variant, settings)
        self.network = network
        self.weights = weights
        self._word = spec or str(network)
        network.split(weights, variant.size)  # complains of a vector that does not fit

    def __str__(self) -> str:
        heat = self.settings.temperature
        return f"{self._word}:temperature={heat:g}" if heat else self._word

    def batch_chooser(self) -> Callable[..., None]:
        """The compiled choice."""
        return _batch_chooser(self.variant.game, self.network.forward())

    def workspace(self) -> NetworkWorkspace:
        """The network's room, and the way from cells to points and back."""
        size = self.variant.size
        points = board_points(size)
        cell_of = np.zeros(points_of(size), np.uint16)
        cell_of[points] = np.arange(size * size)
        network = self.network.new_workspace(self.weights, size)
        return NetworkWorkspace(network, float(self.settings.temperature), points.astype(np.uint16), cell_of)


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


def _pick(boards: Any, g: int, streams: Streams, workspace: NetworkWorkspace, lane: int) -> int:
    """The move on board g, whose values are in this lane."""
    stones = boards.stones
    values = workspace.network.out
    best = F(-np.inf)
    chosen = as_point(PASS)
    ways = 0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        value = values[workspace.cell_of[point], lane]
        if value >= best and legal(boards, g, point):
            ways = ways + 1 if value == best else 1
            best = value
            if ways == 1 or below(streams, g, ways) == 0:
                chosen = point
    if workspace.temperature == 0.0 or ways == 0:
        return chosen
    total = 0.0
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if legal(boards, g, point):
            total += np.exp((values[workspace.cell_of[point], lane] - best) / workspace.temperature)
    left = fraction(streams, g) * total
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        if legal(boards, g, point):
            left -= np.exp((values[workspace.cell_of[point], lane] - best) / workspace.temperature)
            if left < 0.0:
                return point
    return chosen


def _choose_by_network(
    boards: Any, lanes: NDArray[np.int64], streams: Streams, workspace: NetworkWorkspace, moves: NDArray[np.uint16]
) -> None:
    """Chooses for all lanes, a block of LANES after the other."""
    for begin in range(0, len(lanes), LANES):
        block = lanes[begin : begin + LANES]
        show_boards(boards.stones, block, workspace.network.x, workspace.point_of)
        forward(workspace.network, len(block))
        for lane in range(len(block)):
            moves[begin + lane] = pick(boards, block[lane], streams, workspace, lane)


def pick_among(name: str, legal: Callable[..., bool]) -> Callable[..., int]:
    """The compiled choice (boards, g, streams, room, lane) among the moves for which the compiled `legal` holds."""
    return specialise(_pick, name, legal=legal)


@cache
def _batch_chooser(game: type[Game], forward: Forward) -> Callable[..., None]:
    pick = pick_among(game.name, game.rules.legal)
    return specialise(_choose_by_network, game.name, forward=forward, pick=pick)


def player_of_model(model: Model, path: str, variant: Variant, settings: NetworkSettings) -> NetworkPlayer:
    """The player that a model is; `path` is what it calls itself."""
    model.check_size(variant.size, path)
    return NetworkPlayer(variant, model.network, model.weights, settings, path)


BLOCK = 8
"""Positions are evaluated in blocks of exactly this many, short ones filled up: torch may choose other kernels, with
other roundings, for other batches, and a game is not to depend on which others are played beside it."""


@dataclass(frozen=True)
class PolicySettings(NetworkSettings):
    """How moves are drawn from the network's values."""

    eyes: bool = False
    """Whether it may fill its own eyes."""
    rank: int = 9
    """The dan rank it plays as, 1 to 9, if its planes tell the rank; 0 for unknown (M15 section 5.2: the highest)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.rank <= 9:
            raise ValueError(f"rank must be 0 to 9, not {self.rank}")


class Values(NamedTuple):
    """The values of a batch of positions, where `pick_among` looks for them."""

    out: NDArray[np.float32]
    """[cell, i]"""


class PolicyBot(PlayerBot):
    """A deep network that plays one game at a time."""

    def __init__(self, player: "PolicyPlayer", seed: int, game: int) -> None:
        super().__init__(player, seed, game)
        self._player = player

    def choose(self, game: Game, clock: Clock) -> int:  # noqa: ARG002
        """The network's move."""
        return self._player.choose_in(cast(Go, game), self._streams)

    def policy(self, game: Game) -> NDArray[np.float32]:
        """[n, n] the network's values."""
        return self._player.values([cast(Go, game)])[0].reshape(game.size, game.size)


class PolicyPlayer(Player):
    """Plays Go by the values of a deep network."""

    name = "policy"
    settings_type = PolicySettings
    games = ("go",)

    def __init__(
        self, variant: Variant, network: PlayingNetwork, settings: PolicySettings | None = None, spec: str = ""
    ) -> None:
        """`spec` is what it calls itself."""
        super().__init__(variant, settings)
        network.check_size(variant.size)
        self.network = network.for_play()
        self._word = spec or str(network)
        self._seen = threading.local()
        self._points = board_points(variant.size)

    def __str__(self) -> str:
        defaults = self.settings_type()
        changed = {k: v for k, v in vars(self.settings).items() if v != getattr(defaults, k)}
        texts = [f"{k}={str(v).lower() if isinstance(v, bool) else format(v, 'g')}" for k, v in changed.items()]
        return f"{self._word}:{','.join(texts)}" if texts else self._word

    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games."""
        here = cast(GoBoards, boards)
        games = [self._follow(here, int(g)) for g in lanes]
        self._choose(here, games, lanes, streams, moves)
        for game, move in zip(games, moves, strict=True):
            game.play(int(move))

    def bot(self, seed: int = 0, game: int = 0) -> Bot:
        """The player with a game in its hand, whose history it knows whatever was undone or set up."""
        return PolicyBot(self, seed, game)

    def choose_in(self, game: Go, streams: Streams) -> int:
        """The move in a game in the hand, whose history is known; streams: uint64[1]."""
        moves = np.zeros(1, np.uint16)
        self._choose(cast(GoBoards, game.boards), [game], np.zeros(1, np.int64), streams, moves)
        return int(moves[0])

    def values(self, games: list[Go]) -> NDArray[np.float32]:
        """The network's values, float32[i, n·n], for the players to move in these games."""
        size = self.variant.size
        found = np.zeros((len(games), size * size), np.float32)
        for start in range(0, len(games), BLOCK):
            block = games[start : start + BLOCK]
            planes = np.stack([planes_of(game, self.network.planes, self.settings.rank) for game in block])
            white = np.array([game.to_move == WHITE for game in block])
            fill = BLOCK - len(block)
            whole = np.pad(planes, ((0, fill), (0, 0), (0, 0), (0, 0)))
            values = self.network.evaluate(whole, np.pad(white, (0, fill)))
            found[start : start + len(block)] = values[: len(block)]
        return found

    def _choose(
        self,
        boards: GoBoards,
        games: list[Go],
        lanes: NDArray[np.int64],
        streams: Streams,
        moves: NDArray[np.uint16],
    ) -> None:
        moves[:] = PASS
        open_ = [i for i, g in enumerate(lanes) if boards.passes[g] == 0]
        if not open_:
            return
        out = np.ascontiguousarray(self.values([games[i] for i in open_]).T)
        workspace = _workspace(out, self.settings.temperature, self.variant.size)
        pick = _pick_compiled(self.settings.eyes)
        for place, i in enumerate(open_):
            moves[i] = pick(boards, lanes[i], streams, workspace, place)

    def _follow(self, boards: GoBoards, g: int) -> Go:
        """The game on board g in the hand, with its history, which some planes tell of.

        The arena shows a player its boards, not their histories; but from one turn of the player to the next only its
        own move and the latest are new. A board not seen from the start is taken without history.
        """
        stones = boards.stones
        if getattr(self._seen, "colour", None) is not stones.colour:
            self._seen.colour, self._seen.games = stones.colour, {}
        ply = int(stones.ply[g])
        game: Go | None = self._seen.games.get(g)
        if ply <= 1 and (game is None or len(game.moves) != ply):
            game = cast(Go, self.variant.new())
        if game is not None and len(game.moves) == ply - 1 and game.is_legal(int(stones.last[g])):
            game.play(int(stones.last[g]))
        if game is None or not _same_position(game, boards, g, ply):
            game = _without_history(self.variant, boards, g)
        self._seen.games[g] = game
        return game


def policy_player(model: DeepModel, path: str, variant: Variant, settings: PolicySettings) -> Player:
    """The player that a deep model is; `path` is what it calls itself.

    It plays Go. Other games a swiping network plays that sees nothing but stones, as its compiled twin.
    """
    from nobi.networks.deep.swiping import SwipingTwin

    if variant.game is Go:
        return PolicyPlayer(variant, model.network, settings, path)
    if isinstance(model.network, SwipingTwin) and model.network.is_compiled:
        compiled = compiled_model(model)
        return player_of_model(compiled, path, variant, NetworkSettings(settings.temperature))
    raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")


def planes_of(game: Go, planes: str, rank: int) -> NDArray[np.float32]:
    """float32[P, n, n] what a network with these planes sees of a game's position."""
    from nobi.encoding import position_planes
    from nobi.features import make_planes

    return np.asarray(position_planes(game, make_planes(planes), rank=rank), np.float32)


@inlined
def spares_eyes(boards: GoBoards, g: int, point: int) -> bool:
    """A legal move that does not fill an own eye."""
    return legal(boards, g, point) and not is_own_eye(boards, g, point)


@cache
def _pick_compiled(eyes: bool) -> Callable[..., int]:
    return pick_among("go", legal) if eyes else pick_among("go_spares_eyes", spares_eyes)


def _workspace(out: NDArray[np.float32], temperature: float, size: int) -> NetworkWorkspace:
    points = board_points(size)
    cell_of = np.zeros(points_of(size), np.uint16)
    cell_of[points] = np.arange(size * size)
    return NetworkWorkspace(Values(out), float(temperature), points.astype(np.uint16), cell_of)


def _same_position(game: Go, boards: GoBoards, g: int, ply: int) -> bool:
    own, other = cast(GoBoards, game.boards).stones, boards.stones
    same_turn: Any = own.to_move[0] == other.to_move[g]
    return len(game.moves) == ply and bool(same_turn and own.hash[0] == other.hash[g])


def _without_history(variant: Variant, boards: GoBoards, g: int) -> Go:
    """The position on board g as the start of a game."""
    stones = boards.stones
    game = cast(Go, variant.new())
    placed = [(int(p), int(stones.colour[g, p])) for p in board_points(variant.size) if stones.colour[g, p] != EMPTY]
    game.set_up(placed, int(stones.to_move[g]))
    cast(GoBoards, game.boards).ko[0] = boards.ko[g]
    return game


def player_from_file(path: str, variant: Variant, given: dict[str, str], spec: str) -> Player:
    """The player that a model file holds, with the settings `given` in the word."""
    return player_in(read_model_file(Path(path)), variant, given, spec)


def player_in(file: ModelFile, variant: Variant, given: dict[str, str] | None = None, spec: str = "") -> Player:
    """The player that the model in a file is, with the settings `given` in the word."""
    path, spec, settings = str(file.path), spec or str(file.path), given or {}
    if file.format != DEEP:
        return player_of_model(model_in(file), path, variant, settings_from(NetworkSettings, settings, spec))

    network = compiled_in(file)
    if network is not None:
        if variant.game.name != "go":
            raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")
        return PolicyPlayer(variant, network, settings_from(PolicySettings, settings, spec), path)
    require_torch(f"{path!r}")
    return policy_player(deep_model_in(file), path, variant, settings_from(PolicySettings, settings, spec))
