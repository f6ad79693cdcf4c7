"""The network's side of the search: positions in, a probability for each point out.

Whatever has `planes` and `evaluate` can guide a search. The small networks see own and enemy stones, the deep ones the
planes that they were trained on.

MERGED search/deep.py: A deep network of Go as the policy of a search.

MERGED search/views.py: Nodes as the network sees them: lines of moves replayed from the root, many in one compiled call.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import WHITE, board_points, enemy_of
from nobi.compiling import UNBOUND, specialise
from nobi.encoding import RECENT, allocate_codes, latest_of, write_codes, write_planes
from nobi.encoding import Workspace as CodeWorkspace
from nobi.errors import NobiError, require_torch
from nobi.features import make_planes
from nobi.features.base import Planes, PlaneTable, rank_code
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.memory import Words, copy_words
from nobi.networks.deep.compiled_nobi_net import PlayingNetwork
from nobi.nn.network import Network, Weights
from nobi.search.state import SearchPosition
from nobi.workers import usable_threads

PLAYS_AS = 9
"""The dan rank that a network which is told one plays as (M15 section 5.2)."""


@dataclass(frozen=True)
class Positions:
    """A batch of positions, each seen by the player to move."""

    planes: NDArray[Any]
    """[batch, plane, n, n] what the policy asks for: own and enemy stones, uint8, or planes of Go, float32."""
    white: NDArray[np.bool_]
    """[batch] whether White is to move."""

    def __len__(self) -> int:
        return len(self.white)


class Policy(Protocol):
    """Tells how likely moves are to be good."""

    @property
    def planes(self) -> Planes | None:
        """What it looks at: planes of Go, or None for own and enemy stones, which every game has."""

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """float32[batch, n·n], row by row from the top: a weight for each point, 0 or more.

        The search looks at legal moves only and makes their weights sum to 1. Two threads may ask at the same time.
        """


def softmax(values: NDArray[np.float32], sharpness: float) -> NDArray[np.float32]:
    """The Gibbs distribution over the last axis."""
    heated = np.float32(sharpness) * values
    weights = np.exp(heated - heated.max(axis=-1, keepdims=True))
    result: NDArray[np.float32] = weights / weights.sum(axis=-1, keepdims=True)
    return result


@dataclass(frozen=True)
class NetworkPolicy:
    """The Gibbs distribution over the values of a swiping network, or any other that sees stones alone."""

    network: Network
    weights: Weights
    sharpness: float = 1.0
    planes: ClassVar[None] = None

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """Looks at all positions in one pass."""
        own, enemy = positions.planes[:, 0], positions.planes[:, 1]
        values = self.network.evaluate(self.weights, own, enemy)
        return softmax(values.reshape(len(values), -1), self.sharpness)


def policy_from_file(path: str, variant: Variant, sharpness: float, searching: int = 0) -> Policy:
    """The policy that a model file holds.

    Args:
        path: the file.
        variant: the game that is searched.
        sharpness: by what a network's values are multiplied before the softmax.
        searching: how many threads search while the network works; it keeps to the other cores where there are any.
    """
    from nobi.models.model import DEEP, model_in, read_model_file

    file = read_model_file(Path(path))
    if file.format == DEEP:
        from nobi.models.model import compiled_in

        network = compiled_in(file, max(1, usable_threads() - searching))
        if network is not None:
            return deep_policy(network, path, variant, sharpness)
        require_torch(f"{path!r}")
        from nobi.models.model import deep_model_in
        from nobi.nn.torch_layers import leave_cores

        leave_cores(searching)
        return deep_policy(deep_model_in(file).network, path, variant, sharpness)
    model = model_in(file)
    model.check_size(variant.size, path)
    return NetworkPolicy(model.network, model.weights, sharpness)


@dataclass(frozen=True)
class DeepPolicy:
    """The Gibbs distribution over a deep network's values."""

    network: PlayingNetwork
    sharpness: float = 1.0

    @cached_property
    def planes(self) -> Planes:
        """Those that the network was made for."""
        return make_planes(self.network.planes)

    def evaluate(self, positions: Positions) -> NDArray[np.float32]:
        """Looks at all positions in one pass."""
        return softmax(self.network.evaluate(positions.planes, positions.white), self.sharpness)


def deep_policy(network: PlayingNetwork, path: str, variant: Variant, sharpness: float) -> Policy:
    """The policy of a deep network; `path` names it in error messages."""
    if variant.game is not Go:
        raise NobiError(f"The network of {path!r} plays go, not {variant.game.name}.")
    network.check_size(variant.size)
    return DeepPolicy(network.for_play(), sharpness)


play: Any = UNBOUND  # this one and the next are bound by `_compiled_views`
replay: Any = UNBOUND

Lines = NDArray[np.uint16]
"""[i, move] the moves from the root to node i; `depths`, int32[i], tells how many."""


def _replay(root: Words, words: Words, position: SearchPosition, line: NDArray[np.uint16], depth: int) -> None:
    """Plays a line from the root."""
    copy_words(root, words)
    for i in range(depth):
        play(position.boards, 0, line[i])


def _view_stones(
    root: Words,
    words: Words,
    position: SearchPosition,
    lines: Lines,
    depths: NDArray[np.int32],
    planes: NDArray[np.uint8],
    to_move: NDArray[np.uint8],
    point_of: NDArray[np.uint16],
) -> None:
    """Writes planes[i, 0, cell], the own stones of the player to move, and planes[i, 1, cell], the enemy's."""
    stones = position.boards.stones
    for i in range(len(depths)):
        replay(root, words, position, lines[i], depths[i])
        me = stones.to_move[0]
        to_move[i] = me
        for cell in range(len(point_of)):
            there = stones.colour[0, point_of[cell]]
            planes[i, 0, cell] = there == me
            planes[i, 1, cell] = there == enemy_of(me)


def _view_planes(
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
    """Writes planes[i, plane, cell].

    `before` are the latest moves at the root, the latest first; `recent` is room for those of a node.
    """
    for i in range(len(depths)):
        replay(root, words, position, lines[i], depths[i])
        to_move[i] = position.boards.stones.to_move[0]
        for turn in range(len(recent)):
            recent[turn] = lines[i, depths[i] - 1 - turn] if turn < depths[i] else before[turn - depths[i]]
        write_codes(position.boards, 0, codes, table.wanted, 0, recent, rank, position.boards.komi)
        write_planes(codes.codes, table, planes, i)


@cache
def _compiled_views(game: type[Game], planes: bool) -> Callable[..., None]:
    line = specialise(_replay, game.name, play=game.rules.play)
    return specialise(_view_planes if planes else _view_stones, game.name, replay=line)


class Views:
    """Makes positions for a policy of what waits below one root."""

    def __init__(self, variant: Variant, policy: Policy) -> None:
        self._size = variant.size
        self._planes = policy.planes
        self._look = _compiled_views(variant.game, self._planes is not None)
        self._point_of = board_points(variant.size).astype(np.uint16)
        self._codes = allocate_codes(variant.size)
        self._recent = np.empty(RECENT, np.uint16)

    def set_root(self, moves: Sequence[int], position: SearchPosition, root: Words, words: Words) -> None:
        """Tells the root position: the moves that led to it, and its memory `root`.

        `position`, whose memory is `words`, is a board to replay lines on.
        """
        self._before = latest_of(moves)
        self._memory = root, words, position

    def positions(self, lines: Lines, depths: NDArray[np.int32]) -> Positions:
        """The positions to which lines of moves lead."""
        count, cells = len(depths), self._size**2
        to_move = np.empty(count, np.uint8)
        if self._planes is None:
            planes = np.empty((count, 2, cells), np.uint8)
            self._look(*self._memory, lines, depths, planes, to_move, self._point_of)
        else:
            planes = np.empty((count, self._planes.count, cells), np.float32)
            table, rank = self._planes.table, rank_code(PLAYS_AS)
            how = self._codes, table, self._before, self._recent, rank
            self._look(*self._memory, lines, depths, planes, to_move, *how)
        return Positions(planes.reshape(count, -1, self._size, self._size), to_move == WHITE)
