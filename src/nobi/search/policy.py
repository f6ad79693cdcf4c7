"""Networks as policies of a search: positions in, a weight for each point out.

Any object with `planes` and `evaluate` can guide a search. The inputs of small networks are own and enemy stones, those
of deep networks the planes on which they were trained. `NodeEncoder` computes these inputs: it replays the moves from
the root to a node, for many nodes in one compiled call.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import WHITE, cell_tables, enemy_of
from nobi.compiling import UNBOUND, specialise
from nobi.encoding import RECENT, allocate_codes, latest_of, write_codes, write_planes
from nobi.encoding import Workspace as CodeWorkspace
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.features.base import Planes, PlaneTable, rank_code
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.memory import Words, copy_words
from nobi.models.model import Model
from nobi.networks.deep.compiled_nobi_net import PlayingNetwork
from nobi.nn.network import Network, Weights
from nobi.search.state import SearchPosition
from nobi.workers import usable_threads

RANK = 9
"""The dan rank given to networks with rank planes (M15 section 5.2)."""


@dataclass(frozen=True)
class PolicyInput:
    """A batch of positions, each from the perspective of the player to move."""

    planes: NDArray[Any]
    """[batch, plane, n, n] the inputs: own and enemy stones, uint8, or planes of Go, float32."""
    white: NDArray[np.bool_]
    """[batch] whether White is to move."""

    def __len__(self) -> int:
        return len(self.white)


class PolicyOutput(NamedTuple):
    """The evaluation of a batch of positions."""

    weights: NDArray[np.float32]
    """[batch, n·n] row by row from the top: a weight for each point, 0 or more."""
    values: NDArray[np.float32] | None = None
    """[batch] the probability that the player to move wins, if the policy predicts it."""


class Policy(Protocol):
    """An estimate of the probabilities of moves and, optionally, of the result."""

    @property
    def planes(self) -> Planes | None:
        """The input: planes of Go, or None for own and enemy stones, which exist in every game."""

    def evaluate(self, positions: PolicyInput) -> PolicyOutput:
        """Evaluate positions; the search normalises the weights of the legal moves.

        Two threads may call this at the same time.
        """


def softmax(values: NDArray[Any], sharpness: float = 1.0) -> NDArray[Any]:
    """Return the softmax of `sharpness` times the values over the last axis."""
    scaled = np.float32(sharpness) * values
    weights = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    result: NDArray[Any] = weights / weights.sum(axis=-1, keepdims=True)
    return result


@dataclass(frozen=True)
class NetworkPolicy:
    """The softmax of the values of a network whose inputs are only stones, such as a swiping network."""

    network: Network
    weights: Weights
    sharpness: float = 1.0
    planes: ClassVar[None] = None

    def evaluate(self, positions: PolicyInput) -> PolicyOutput:
        own, enemy = positions.planes[:, 0], positions.planes[:, 1]
        values = self.network.evaluate(self.weights, own, enemy)
        return PolicyOutput(softmax(values.reshape(len(values), -1), self.sharpness))


@dataclass(frozen=True)
class DeepPolicy:
    """The softmax of a deep network's values, and its prediction of the result."""

    network: PlayingNetwork
    sharpness: float = 1.0

    @cached_property
    def planes(self) -> Planes:
        return make_planes(self.network.planes)

    def evaluate(self, positions: PolicyInput) -> PolicyOutput:
        logits, values = self.network.evaluate_with_value(positions.planes, positions.white)
        return PolicyOutput(softmax(logits, self.sharpness), values)


def policy_from_model(model: Model, variant: Variant, sharpness: float = 1.0, search_threads: int = 0) -> Policy:
    """Return the policy of a model.

    Args:
        model: the model.
        variant: the game that is searched.
        sharpness: the factor of the network's values before the softmax.
        search_threads: the number of search threads; the network uses the other cores, if any.
    """
    if model.is_deep and variant.game is not Go:
        raise NobiError(f"The network of {model.name!r} plays go, not {variant.game.name}.")
    model.check_size(variant.size)
    network = model.network
    if not model.is_deep:
        return NetworkPolicy(network, model.weights, sharpness)
    if model.needs_torch:
        from nobi.nn.torch_layers import leave_cores

        leave_cores(search_threads)
    else:
        network = network.with_threads(max(1, usable_threads() - search_threads))
    return DeepPolicy(network, sharpness)


play: Any = UNBOUND  # this and the next are bound by `_compiled_encoder`
replay: Any = UNBOUND

Lines = NDArray[np.uint16]
"""[i, move] the moves from the root to node i; their number is depths[i]."""


def _replay(root: Words, words: Words, position: SearchPosition, line: NDArray[np.uint16], depth: int) -> None:
    """Play a line from the root."""
    copy_words(root, words)
    for i in range(depth):
        play(position.boards, 0, line[i])


def _encode_stones(
    root: Words,
    words: Words,
    position: SearchPosition,
    lines: Lines,
    depths: NDArray[np.int32],
    planes: NDArray[np.uint8],
    to_move: NDArray[np.uint8],
    point_of: NDArray[np.uint16],
) -> None:
    """Write planes[i, 0, cell], the stones of the player to move, and planes[i, 1, cell], the opponent's."""
    stones = position.boards.stones
    for i in range(len(depths)):
        replay(root, words, position, lines[i], depths[i])
        me = stones.to_move[0]
        to_move[i] = me
        for cell in range(len(point_of)):
            colour = stones.colour[0, point_of[cell]]
            planes[i, 0, cell] = colour == me
            planes[i, 1, cell] = colour == enemy_of(me)


def _encode_planes(
    root: Words,
    words: Words,
    position: SearchPosition,
    lines: Lines,
    depths: NDArray[np.int32],
    planes: NDArray[np.float32],
    to_move: NDArray[np.uint8],
    codes: CodeWorkspace,
    table: PlaneTable,
    before: NDArray[np.uint16],
    recent: NDArray[np.uint16],
    rank: int,
) -> None:
    """Write planes[i, plane, cell].

    `before` holds the latest moves at the root, the latest first; `recent` is scratch space for those of a node.
    """
    for i in range(len(depths)):
        replay(root, words, position, lines[i], depths[i])
        to_move[i] = position.boards.stones.to_move[0]
        for turn in range(len(recent)):
            recent[turn] = lines[i, depths[i] - 1 - turn] if turn < depths[i] else before[turn - depths[i]]
        write_codes(position.boards, 0, codes, table.wanted, 0, recent, rank, position.boards.komi)
        write_planes(codes.codes, table, planes, i)


@cache
def _compiled_encoder(game: type[Game], planes: bool) -> Callable[..., None]:
    line = specialise(_replay, game.name, play=game.rules.play)
    return specialise(_encode_planes if planes else _encode_stones, game.name, replay=line)


class NodeEncoder:
    """Computes the input of a policy for nodes below a root."""

    def __init__(self, variant: Variant, policy: Policy) -> None:
        self._size = variant.size
        self._planes = policy.planes
        self._encode = _compiled_encoder(variant.game, self._planes is not None)
        self._codes = allocate_codes(variant.size)
        self._recent = np.empty(RECENT, np.uint16)

    def set_root(self, moves: Sequence[int], position: SearchPosition, root: Words, words: Words) -> None:
        """Set the root position: the moves that led to it, and its memory `root`.

        `position`, whose memory is `words`, is a board on which lines are replayed.
        """
        self._before = latest_of(moves)
        self._memory = root, words, position

    def encode(self, lines: Lines, depths: NDArray[np.int32]) -> PolicyInput:
        """Return the positions to which lines of moves lead."""
        count, cells = len(depths), self._size**2
        to_move = np.empty(count, np.uint8)
        if self._planes is None:
            planes = np.empty((count, 2, cells), np.uint8)
            self._encode(*self._memory, lines, depths, planes, to_move, cell_tables(self._size).point_of)
        else:
            planes = np.empty((count, self._planes.count, cells), np.float32)
            rank = rank_code(RANK)
            scratch = self._codes, self._planes.table, self._before, self._recent, rank
            self._encode(*self._memory, lines, depths, planes, to_move, *scratch)
        return PolicyInput(planes.reshape(count, -1, self._size, self._size), to_move == WHITE)
