"""Networks as players: they play the best move by the network's values, or a move drawn from their softmax.

`NetworkPlayer` plays any game with a small compiled network (S08 section III): it is greedy, with exact ties broken at
random, or draws from the Gibbs distribution. The network sees own and enemy stones, and further inputs if it has any;
its values at illegal moves are ignored. It never passes while it has another move.

`PolicyPlayer` plays Go with a deep network. These networks are not trained to pass. As in C14 section 4.3, the player
passes when its opponent has passed, which ends the game, and when no move is left. If a game continues, C14's networks
"run out of good moves and start making suicidal moves"; therefore this player does not fill own eyes, unless
`eyes=true` allows it, as in C14 and M15.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS, WHITE, Boards, as_point, cell_tables
from nobi.board.symmetry import SYMMETRIES, averaged
from nobi.compiling import UNBOUND, inlined, specialise
from nobi.encoding import board_planes, latest_of, position_planes
from nobi.errors import NobiError
from nobi.features import ONLY_STONES, make_planes
from nobi.games.base import Game, Variant
from nobi.games.go import Go, GoBoards, is_own_eye
from nobi.games.go import legal as legal_in_go
from nobi.models.model import Model
from nobi.networks.deep.compiled_nobi_net import CompiledNobiNet, PlayingNetwork
from nobi.nn.bound import run_pass
from nobi.nn.inputs import check_game, input_writer
from nobi.nn.lanes import LANES, F
from nobi.nn.network import Network, Weights
from nobi.players.base import UNLIMITED, BatchPlayer, Bot, Clock, Player, PlayerBot
from nobi.players.inspection import Inspection, inspect_network, inspect_policy
from nobi.spec import settings_from
from nobi.streams import Streams, below, fraction

legal: Any = UNBOUND  # this and the next two are bound by `specialise`
pick: Any = UNBOUND
write_inputs: Any = UNBOUND


@dataclass(frozen=True)
class NetworkSettings:
    """How moves are drawn from the network's values."""

    temperature: float = 0.0
    """0: the best move. Above: move m with probability ∝ exp(value(m)/temperature)."""

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < np.inf:
            raise ValueError(f"temperature must be 0 or more, not {self.temperature}")


def _spec_of(name: str, settings: NetworkSettings) -> str:
    """Return the name of a player, with the settings that differ from the defaults."""
    defaults = vars(type(settings)())
    texts = [
        f"{key}={str(value).lower() if isinstance(value, bool) else format(value, 'g')}"
        for key, value in vars(settings).items()
        if value != defaults[key]
    ]
    return f"{name}:{','.join(texts)}" if texts else name


class NetworkWorkspace(NamedTuple):
    """Settings and arrays of the compiled choice."""

    network: Any  # a `BoundPass`, or anything with `out`
    temperature: float
    point_of: NDArray[np.uint16]  # [cell]
    cell_of: NDArray[np.uint16]  # [point]


class NetworkPlayer(BatchPlayer):
    """Plays by the values of a small network."""

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
        """`spec` is the player's name in tables and game records; by default the network's."""
        super().__init__(variant, settings)
        self.network = network
        self.weights = weights
        self._spec = spec or str(network)
        network.split(weights, variant.size)  # raises an error if the number of weights is wrong
        if network.features:
            check_game(network.features, variant.game.name, variant.allocate(1))

    def __str__(self) -> str:
        return _spec_of(self._spec, self.settings)

    def batch_chooser(self) -> Callable[..., None]:
        return _batch_chooser(self.variant.game, self.network.features)

    def workspace(self) -> NetworkWorkspace:
        size = self.variant.size
        return NetworkWorkspace(
            self.network.bind(self.weights, size), float(self.settings.temperature), *cell_tables(size)
        )

    def inspect(self, game: Game) -> Inspection:
        return inspect_network(game, self.network, self.weights)


def _pick(boards: Any, g: int, streams: Streams, workspace: NetworkWorkspace, lane: int) -> int:
    """Return the move on board g, whose values are in this lane."""
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
    boards: Any, indices: NDArray[np.int64], streams: Streams, workspace: NetworkWorkspace, moves: NDArray[np.uint16]
) -> None:
    """Choose moves for all boards, in blocks of LANES."""
    for begin in range(0, len(indices), LANES):
        block = indices[begin : begin + LANES]
        write_inputs(boards, block, workspace.network.x, workspace.point_of, workspace.cell_of)
        run_pass(workspace.network, len(block))
        for lane in range(len(block)):
            moves[begin + lane] = pick(boards, block[lane], streams, workspace, lane)


def pick_among(name: str, legal: Callable[..., bool]) -> Callable[..., int]:
    """Return the compiled choice (boards, g, streams, workspace, lane) among the moves accepted by `legal`."""
    return specialise(_pick, name, legal=legal)


@cache
def _batch_chooser(game: type[Game], features: str) -> Callable[..., None]:
    pick = pick_among(game.name, game.rules.legal)
    writer = input_writer(features)
    return specialise(_choose_by_network, game.name, pick=pick, write_inputs=writer)


# --- deep networks --------------------------------------------------------------------------------------------------

BLOCK = SYMMETRIES
"""The fixed batch size of torch: the images of one board, or several boards with padding. For other batch sizes torch
may choose other kernels, with other rounding, and a game must not depend on the other games of a batch."""


@dataclass(frozen=True)
class PolicySettings(NetworkSettings):
    """How moves are drawn from the network's values."""

    eyes: bool = False
    """Whether the player may fill its own eyes."""
    symmetries: int = 0
    """Average the values over 8 images of the board, or use 1; 0: 8 for a nobi-net, 1 for the papers' networks."""
    rank: int = 9
    """The dan rank given to networks with rank planes, 1 to 9; 0 for unknown (M15 section 5.2: the highest)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.symmetries not in (0, 1, SYMMETRIES):
            raise ValueError(f"symmetries must be 0, 1 or 8, not {self.symmetries}")
        if not 0 <= self.rank <= 9:
            raise ValueError(f"rank must be 0 to 9, not {self.rank}")


class _Values(NamedTuple):
    """The values of a batch of positions, used as a network's workspace."""

    out: NDArray[np.float32]  # [cell, i]


class DeepPlayer(Player):
    """Plays by the values of a deep network."""

    name = "policy"

    def __init__(
        self, variant: Variant, network: PlayingNetwork, settings: NetworkSettings | None = None, spec: str = ""
    ) -> None:
        """`spec` is the player's name in tables and game records; by default the network's."""
        super().__init__(variant, settings)
        network.check_size(variant.size)
        self.network = network.for_play()
        self._spec = spec or str(network)

    def __str__(self) -> str:
        return _spec_of(self._spec, self.settings)

    def workspace_for(self, values: NDArray[np.float32]) -> NetworkWorkspace:
        """Return the arrays for the choice of moves by values [i, cell]."""
        out = _Values(np.ascontiguousarray(values.T))
        return NetworkWorkspace(out, float(self.settings.temperature), *cell_tables(self.variant.size))


class PolicyPlayer(DeepPlayer):
    """Plays Go by the values of a deep network."""

    settings_type = PolicySettings
    games = ("go",)

    def __init__(
        self, variant: Variant, network: PlayingNetwork, settings: PolicySettings | None = None, spec: str = ""
    ) -> None:
        super().__init__(variant, network, settings, spec)
        self._planes = make_planes(network.planes)
        self._local = threading.local()

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        histories = [self._history(boards, int(g)) for g in indices]
        recent = np.array([latest_of(history) for history in histories])
        self.choose_after(cast(GoBoards, boards), indices, recent, streams, moves)
        for history, move in zip(histories, moves, strict=True):
            history.append(int(move))

    def choose_after(
        self,
        boards: GoBoards,
        indices: NDArray[np.int64],
        recent: NDArray[np.uint16],
        streams: Streams,
        moves: NDArray[np.uint16],
    ) -> None:
        """As `choose`, where recent[i] contains the latest moves of each game, as listed by `latest_of`."""
        moves[:] = PASS
        open_ = [i for i, g in enumerate(indices) if boards.passes[g] == 0]
        if not open_:
            return
        workspace = self.workspace_for(self.evaluate(boards, indices[open_], recent[open_]))
        pick = _compiled_pick(self.settings.eyes)
        for column, i in enumerate(open_):
            moves[i] = pick(boards, indices[i], streams, workspace, column)

    def evaluate(self, boards: GoBoards, indices: NDArray[np.int64], recent: NDArray[np.uint16]) -> NDArray[np.float32]:
        """Return the network's values, float32[i, n·n], for the players to move on these boards."""
        size, count = self.variant.size, len(indices)
        values = np.zeros((count, size * size), np.float32)
        images = self.settings.symmetries or self.network.images
        block = 1 if images > 1 or isinstance(self.network, CompiledNobiNet) else BLOCK
        for start in range(0, count, block):
            rows = slice(start, min(start + block, count))
            filled = rows.stop - start
            planes = np.zeros((block, self._planes.count, size, size), np.float32)
            board_planes(boards, indices[rows], self._planes, planes[:filled], recent[rows], rank=self.settings.rank)
            white = np.zeros(block, np.bool_)
            white[:filled] = boards.stones.to_move[indices[rows]] == WHITE
            evaluate = partial(self.network.evaluate, white=np.tile(white, images))
            found = averaged(evaluate, planes) if images > 1 else evaluate(planes)
            values[rows] = found[:filled]
        return values

    def values(self, game: Game) -> NDArray[np.float32]:
        """Return the network's values for the current position of a game, [n, n]."""
        boards = cast(GoBoards, game.copy().boards)  # ladders are read on the board
        found = self.evaluate(boards, np.zeros(1, np.int64), latest_of(game.moves)[None])
        return found.reshape(game.size, game.size)

    def expected_result(self, game: Game) -> float | None:
        planes = position_planes(game, self._planes, rank=self.settings.rank)[None]
        found = self.network.evaluate_with_value(planes, np.array([game.to_move == WHITE])).value
        return None if found is None else float(found[0])

    def bot(self, seed: int = 0, game: int = 0) -> Bot:
        return PolicyBot(self, seed, game)

    def inspect(self, game: Game) -> Inspection:
        return inspect_policy(game, self.values(game))

    def _history(self, boards: Boards, g: int) -> list[int]:
        """Return the moves on board g, as required by some planes; unknown moves are passes.

        Boards have no list of moves, but between two turns of a player only its own move and the latest move are new,
        so a list is kept per thread. For a board that was not seen from its start, the history is empty.
        """
        stones = boards.stones
        if getattr(self._local, "colour", None) is not stones.colour:
            self._local.colour, self._local.histories = stones.colour, {}
        ply = int(stones.ply[g])
        history: list[int] = self._local.histories.get(g, [])
        if len(history) == ply - 1:
            history.append(int(stones.last[g]))
        if len(history) != ply or ply <= 1:
            history = [int(stones.last[g])] if ply == 1 else [PASS] * ply
        self._local.histories[g] = history
        return history


class StonesPolicyPlayer(DeepPlayer):
    """Plays any game by the values of a deep network whose inputs are only own and enemy stones."""

    settings_type = NetworkSettings

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        workspace = self.workspace_for(self.evaluate(boards, indices))
        pick = pick_among(self.variant.game.name, self.variant.game.rules.legal)
        for lane, g in enumerate(indices):
            moves[lane] = pick(boards, g, streams, workspace, lane)

    def evaluate(self, boards: Boards, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the network's values, float32[i, n·n], for the players to move on these boards."""
        size, count = self.variant.size, len(indices)
        to_move = boards.stones.to_move[indices]
        colours = boards.stones.colour[indices][:, cell_tables(size).point_of]
        own = colours == to_move[:, None]
        planes = np.zeros((-(-count // BLOCK) * BLOCK, 2, size, size), np.float32)
        planes[:count, 0] = own.reshape(count, size, size)
        planes[:count, 1] = ((colours != EMPTY) & ~own).reshape(count, size, size)
        white = np.zeros(len(planes), np.bool_)
        white[:count] = to_move == WHITE
        blocks = [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]
        return np.concatenate([self.network.evaluate(planes[block], white[block]) for block in blocks])[:count]

    def inspect(self, game: Game) -> Inspection:
        found = self.evaluate(game.boards, np.zeros(1, np.int64))
        return inspect_policy(game, found.reshape(game.size, game.size))


class PolicyBot(PlayerBot):
    """A deep network as a player of one game, which provides the history of moves."""

    player: PolicyPlayer

    def choose(self, game: Game, clock: Clock = UNLIMITED) -> int:  # noqa: ARG002
        self.player.variant.check(game)
        boards, recent = cast(GoBoards, game.copy().boards), latest_of(game.moves)[None]
        self.player.choose_after(boards, self._indices, recent, self._streams, self._moves)
        return int(self._moves[0])

    def policy(self, game: Game) -> NDArray[np.float32]:
        return self.player.values(game)


@inlined
def _legal_but_own_eye(boards: GoBoards, g: int, point: int) -> bool:
    return legal_in_go(boards, g, point) and not is_own_eye(boards, g, point)


@cache
def _compiled_pick(eyes: bool) -> Callable[..., int]:
    return pick_among("go", legal_in_go) if eyes else pick_among("go_spares_eyes", _legal_but_own_eye)


# --- players from models --------------------------------------------------------------------------------------------

ModelPlayer = NetworkPlayer | PolicyPlayer | StonesPolicyPlayer


def player_from_model(
    model: Model, variant: Variant, given: dict[str, str] | None = None, spec: str = ""
) -> ModelPlayer:
    """Return the player of a model, with the settings `given` in its spec.

    A deep network plays Go. One whose inputs are only stones also plays other games, a swiping network in its compiled
    form.
    """
    name, given = model.name, given or {}
    if model.is_deep:
        settings = settings_from(PolicySettings, given, spec or name)
        if variant.game is Go:
            model.check_size(variant.size)
            return PolicyPlayer(variant, model.network, settings, name)
        stones, compiled = NetworkSettings(settings.temperature), model.compiled()
    else:
        stones, compiled = settings_from(NetworkSettings, given, spec or name), model
    if compiled is None and model.planes != ONLY_STONES:
        raise NobiError(f"The network of {name!r} plays go, not {variant.game.name}.")
    model.check_size(variant.size)
    if compiled is None:
        return StonesPolicyPlayer(variant, model.network, stones, name)
    return NetworkPlayer(variant, compiled.network, compiled.weights, stones, name)
