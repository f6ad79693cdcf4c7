"""A deep network as a player of Go, by its policy alone: the likeliest legal move, or one drawn by temperature.

The networks have not learnt to pass. As in C14 section 4.3 the player passes when its opponent has passed, which ends
the game; it also passes when nothing is left to play. C14's networks, when a game goes on, "run out of good moves and
start making suicidal moves"; so this player never fills an eye of its own, unless told to with `eyes=true`, which is
what C14 and M15 did.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS, WHITE, Boards, board_points, points_of
from nobi.compiling import inlined
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go, GoBoards, is_own_eye, legal
from nobi.networks.deep.playing import PlayingNetwork
from nobi.players.base import Player
from nobi.players.bot import Bot, Clock, PlayerBot
from nobi.players.network import NetworkRoom, NetworkSettings, pick_among, player_of_model
from nobi.streams import Streams

if TYPE_CHECKING:
    from nobi.networks.deep.store import DeepModel

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
        self, variant: Variant, network: PlayingNetwork, settings: PolicySettings | None = None, word: str = ""
    ) -> None:
        """`word` is what it calls itself."""
        super().__init__(variant, settings)
        network.check_serves(variant.size)
        self.network = network.for_play()
        self._word = word or str(network)
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
        room = _room(out, self.settings.temperature, self.variant.size)
        pick = _pick_compiled(self.settings.eyes)
        for place, i in enumerate(open_):
            moves[i] = pick(boards, lanes[i], streams, room, place)

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


def policy_player(model: "DeepModel", path: str, variant: Variant, settings: PolicySettings) -> Player:
    """The player that a deep model is; `path` is what it calls itself.

    It plays Go. Other games a swiping network plays that sees nothing but stones, as its compiled twin.
    """
    from nobi.networks.deep.swiping import SwipingTwin

    if variant.game is Go:
        return PolicyPlayer(variant, model.network, settings, path)
    if isinstance(model.network, SwipingTwin) and model.network.is_compiled:
        compiled = model.network.to_model(model.size, model.provenance)
        return player_of_model(compiled, path, variant, NetworkSettings(settings.temperature))
    raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")


def planes_of(game: Go, planes: str, rank: int) -> NDArray[np.float32]:
    """float32[P, n, n] what a network with these planes sees of a game's position."""
    from nobi.features import planes_named
    from nobi.features.position import position_planes

    return np.asarray(position_planes(game, planes_named(planes), rank=rank), np.float32)


@inlined
def spares_eyes(boards: GoBoards, g: int, point: int) -> bool:
    """A legal move that does not fill an own eye."""
    return legal(boards, g, point) and not is_own_eye(boards, g, point)


@cache
def _pick_compiled(eyes: bool) -> Callable[..., int]:
    return pick_among("go", legal) if eyes else pick_among("go_spares_eyes", spares_eyes)


def _room(out: NDArray[np.float32], temperature: float, size: int) -> NetworkRoom:
    points = board_points(size)
    cell_of = np.zeros(points_of(size), np.uint16)
    cell_of[points] = np.arange(size * size)
    return NetworkRoom(Values(out), float(temperature), points.astype(np.uint16), cell_of)


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
