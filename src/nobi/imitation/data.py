"""The data of imitation: positions of game records, their sampling for each step, and batches of tensors.

Positions come from several sources; a source is the games of one dataset on boards of one size (`Positions`,
`open_sources`). A step draws a source, with probability proportional to weight times number of positions, and takes the
next positions of that source, in passes over all its positions, each with a new shuffle (`Sampler`). In every pass each
position of a source is used exactly once (as in C14's epochs), and a batch has one board size. The samples of a step
are a pure function of the seed and the number of the step. `Reader` and `read_ahead` make the batches.

Shuffles are computed, not stored (`permuted`): otherwise an array of ten million shuffled numbers would be needed for
every pass, and again to resume. A keyed permutation computes any single element of the shuffle: a Feistel network on
pairs (left, right), in which each half in turn is changed by a hash of the other. With halves of a and b values, a·b
barely above the count, it permutes a·b numbers; results beyond the count are permuted again until they are below it,
which keeps it a permutation (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from math import isqrt
from threading import Lock
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nobi.board.symmetry import cells_after
from nobi.compiling import compiled
from nobi.errors import NobiError
from nobi.features import make_planes
from nobi.networks.deep.base import DeepNetwork
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection
from nobi.records.dataset import Dataset, check_split_alike
from nobi.records.encoder import Encoder
from nobi.streams import hash_word, hash_words, stream_of

NO_ANSWER = -1
"""The value of `answer` if the opponent passed, the game ended, or the same player moved again."""
ROUNDS = 6
"""Rounds of the Feistel network."""
AHEAD = 8
"""Batches that are prepared in advance, unless they exceed `_MAX_BYTES`."""
_MAX_BYTES = 1 << 27
"""Maximum memory of batches that are prepared in advance."""
_BLOCK = 1 << 16
"""Number of steps for which sources are drawn at once."""
_SOURCE, _SYMMETRY, _ORDER = range(3)
"""The uses of random numbers: each has its own seed."""


class PositionIndex(NamedTuple):
    """Positions as (game, ply)."""

    game: NDArray[np.int64]
    """[i]"""
    ply: NDArray[np.int64]
    """[i] the number of the expert's move in its game, from 0."""
    white: NDArray[np.bool_]
    """[i] whether white is to move."""


class Positions:
    """The positions of games on one board size, one before every move that is not a pass, numbered from 0."""

    def __init__(self, games: Collection) -> None:
        self.games = games
        self.size = int(games.size[0]) if len(games.size) else 0
        if (games.size != self.size).any():
            raise ValueError("the games must be on boards of one size")
        self._begin = int(games.start[0])
        moves = games.moves[self._begin : int(games.start[-1])]
        passes = np.flatnonzero((moves & PASS_CODE) == PASS_CODE)
        self.count = len(moves) - len(passes)
        self._played_before = passes - np.arange(len(passes))
        """[pass] the number of positions before the pass."""

    def __len__(self) -> int:
        return self.count

    def locate(self, numbers: NDArray[np.int64]) -> PositionIndex:
        """Return game and ply of the positions with these numbers, int64[i]."""
        move = self._begin + numbers + np.searchsorted(self._played_before, numbers, side="right")
        game = np.searchsorted(self.games.start, move, side="right") - 1
        return PositionIndex(game, move - self.games.start[game], self.games.moves[move] >= WHITE_BIT)

    def answers(self, at: PositionIndex) -> NDArray[np.int64]:
        """Return the cell of the opponent's next move, [i], or NO_ANSWER."""
        after = self.games.start[at.game] + at.ply + 1
        there = after < self.games.start[at.game + 1]
        move = self.games.moves[np.where(there, after, 0)].astype(np.int64)
        cell = move & PASS_CODE
        answered = there & ((move >= WHITE_BIT) != at.white) & (cell != PASS_CODE)
        return np.where(answered, cell, NO_ANSWER)

    def results(self, at: PositionIndex) -> NDArray[np.float32]:
        """Return +1 if the player to move won the game, −1 if it lost, 0 if unknown: [i]."""
        result = self.games.result[at.game]
        return np.where(at.white, -result, result).astype(np.float32)


@dataclass(frozen=True)
class Sources:
    """The sources of a run or measurement; all lists have one entry per source."""

    positions: list[Positions]
    dataset: list[int]
    """The index of the source's dataset."""
    fingerprint: str
    """A hash of the games."""

    @property
    def counts(self) -> list[int]:
        """Number of positions of each source."""
        return [len(source) for source in self.positions]

    @property
    def total(self) -> int:
        """Number of positions."""
        return sum(self.counts)

    @property
    def main_size(self) -> int:
        """The board size with the most positions."""
        by_size: dict[int, int] = {}
        for source in self.positions:
            by_size[source.size] = by_size.get(source.size, 0) + len(source)
        return max(by_size, key=lambda size: by_size[size])


def open_sources(paths: Sequence[str], split: str, sizes: Sequence[int], network: DeepNetwork) -> Sources:
    """Return the positions of one split of some datasets on these board sizes (default: all).

    Raise a NobiError if there are no positions for one of the sizes, or if the network does not support a size.
    """
    if not paths:
        raise NobiError("Give at least one dataset; 'nobi data import' makes datasets.")
    found, owners, digest = [], [], hashlib.sha256()
    datasets = [Dataset.open(path) for path in paths]
    check_split_alike(datasets)
    _check_different(paths, datasets)
    for number, dataset in enumerate(datasets):
        digest.update(dataset.digest.encode())
        for size in dataset.sizes(split):
            if sizes and size not in sizes:
                continue
            positions = Positions(dataset.collection(split, size))
            if len(positions):
                found.append(positions)
                owners.append(number)
    where = " and ".join(repr(str(path)) for path in paths)
    there = sorted({source.size for source in found})
    missing = sorted(set(sizes) - set(there))
    if missing or not found:
        boards = f" on {_boards(missing)}" if missing else ""
        raise NobiError(f"There are no positions{boards} in the {split} part of {where}.")
    unserved = [size for size in there if network.sizes is not None and size not in network.sizes]
    if unserved:
        raise NobiError(
            f"The network {network} plays on {_boards(network.sizes or ())} only, and there are games on "
            f"{_boards(unserved)}; choose the sizes with --sizes, or another network."
        )
    return Sources(found, owners, digest.hexdigest())


def _check_different(paths: Sequence[str], datasets: Sequence[Dataset]) -> None:
    """Raise a NobiError if two datasets contain the same games, which would count twice."""
    first: dict[str, str] = {}
    for path, dataset in zip(paths, datasets, strict=True):
        if dataset.digest in first:
            raise NobiError(f"The datasets {first[dataset.digest]!r} and {str(path)!r} hold the same games; give one.")
        first[dataset.digest] = str(path)


def _boards(sizes: Sequence[int]) -> str:
    return " and ".join(f"{size}x{size}" for size in sizes)


def permuted(indices: NDArray[np.int64], count: int, seed: int, number: int) -> NDArray[np.int64]:
    """Return some elements of a shuffle of 0..count−1.

    Args:
        indices: int64[k], each from 0 to count − 1.
        count: length of the shuffle.
        seed: seed of the shuffles.
        number: the number of the shuffle; different shuffles are practically independent.

    Returns:
        int64[k]; different numbers from 0 to count − 1 for different indices.
    """
    if count < 2:
        return np.zeros_like(indices)
    rows = isqrt(count - 1) + 1
    columns = -(-count // rows)
    found = np.empty(len(indices), np.int64)
    _permute(indices, count, np.uint64(rows), np.uint64(columns), _keys(seed, number), found)
    return found


@lru_cache(maxsize=64)
def _keys(seed: int, number: int) -> NDArray[np.uint64]:
    """Return the keys of a shuffle, uint64[ROUNDS]."""
    key = stream_of(np.uint64(seed), np.uint64(number))
    return hash_words(key + np.arange(1, ROUNDS + 1, dtype=np.uint64))


@compiled
def _permute(
    indices: NDArray[np.int64],
    count: int,
    rows: np.uint64,
    columns: np.uint64,
    keys: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> None:
    """Set found[i] to element indices[i] of the shuffle; each pair of keys is used for two rounds, one per half."""
    for i in range(len(indices)):
        number = np.uint64(indices[i])
        while True:
            left, right = number // columns, number % columns
            for r in range(0, ROUNDS, 2):
                left = (left + hash_word(right ^ keys[r]) % rows) % rows
                right = (right + hash_word(left ^ keys[r + 1]) % columns) % columns
            number = left * columns + right
            if number < np.uint64(count):
                break
        found[i] = number


class Draw(NamedTuple):
    """The positions of a step."""

    source: int
    number: NDArray[np.int64]
    """[i] numbers of positions of this source."""
    symmetry: NDArray[np.uint8]
    """[i] the symmetry applied to the board."""


class Sampler:
    """Draws the batches of a training run."""

    def __init__(
        self, counts: Sequence[int], weights: Sequence[float], batch: int, seed: int, *, symmetries: bool = True
    ) -> None:
        """Prepare to draw.

        Args:
            counts: number of positions of each source.
            weights: weight of a position of each source.
            batch: positions of a step.
            seed: seed of all random numbers.
            symmetries: whether a random symmetry of the board is applied to each sample.
        """
        self.counts = list(counts)
        self.batch = batch
        self._symmetries = symmetries
        shares = np.array(counts, np.float64) * np.array(weights, np.float64)
        self.shares = shares / shares.sum()
        self._bounds = np.cumsum(self.shares)[:-1]
        self._seeds = [int(stream_of(np.uint64(seed), np.uint64(use))) for use in range(3)]
        self._keys = [
            [int(stream_of(np.uint64(seed), np.uint64(source))) for source in range(len(counts))]
            for seed in self._seeds
        ]
        """[use][source]"""
        self._lock = Lock()
        self._block = -1
        self._drawn: NDArray[np.int64] = np.zeros(0, np.int64)
        self._before: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        self._totals: list[NDArray[np.int64]] = [np.zeros(len(counts), np.int64)]

    def draw(self, step: int, first: int = 0, end: int | None = None) -> Draw:
        """Return the samples first..end−1 of a step, by default all; steps count from 0."""
        source, earlier = self._source_of(step)
        begin = earlier * self.batch
        begin, end = begin + first, begin + (self.batch if end is None else end)
        return Draw(source, self._numbers(source, begin, end), self._draw_symmetries(source, begin, end))

    def _source_of(self, step: int) -> tuple[int, int]:
        """Return the source of a step, and the number of earlier steps of this source."""
        block, index = divmod(step, _BLOCK)
        with self._lock:  # threads may draw steps of two blocks at the same time
            if block != self._block:
                self._draw_block(block)
            source = int(self._drawn[index])
            return source, int(self._before[index, source])

    def _draw_block(self, block: int) -> None:
        """Draw the sources of all steps of a block."""
        while len(self._totals) <= block:
            drawn = self._sources(len(self._totals) - 1)
            self._totals.append(self._totals[-1] + np.bincount(drawn, minlength=len(self.counts)))
        self._drawn = self._sources(block)
        taken = self._drawn[:, None] == np.arange(len(self.counts))
        self._before = self._totals[block] + np.cumsum(taken, axis=0) - taken
        self._block = block

    def _sources(self, block: int) -> NDArray[np.int64]:
        """Return the sources of the steps of a block, int64[_BLOCK]."""
        steps = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=np.uint64)
        words = hash_words(np.uint64(self._seeds[_SOURCE]) + hash_words(steps))
        return np.searchsorted(self._bounds, (words >> np.uint64(11)) * 2.0**-53, side="right")

    def _numbers(self, source: int, begin: int, end: int) -> NDArray[np.int64]:
        """Return elements begin..end−1 of the infinite sequence of passes over a source."""
        count = self.counts[source]
        parts: list[NDArray[np.int64]] = []
        while begin < end or not parts:
            pass_number = begin // count
            first = pass_number * count
            part = np.arange(begin - first, min(end - first, count), dtype=np.int64)
            parts.append(permuted(part, count, self._keys[_ORDER][source], pass_number))
            begin += len(part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _draw_symmetries(self, source: int, begin: int, end: int) -> NDArray[np.uint8]:
        found = np.zeros(end - begin, np.uint8)
        if self._symmetries:
            _draw_symmetries(np.uint64(self._keys[_SYMMETRY][source]), begin, found)
        return found


@compiled
def _draw_symmetries(key: np.uint64, begin: int, found: NDArray[np.uint8]) -> None:
    """Set found[i] to one of the 8 symmetries, for element begin + i of the sequence."""
    for i in range(len(found)):
        found[i] = hash_word(key + hash_word(np.uint64(begin + i))) >> np.uint64(61)


def fixed_sample(counts: Sequence[int], wanted: int, seed: int) -> list[NDArray[np.int64]]:
    """Return a sorted random sample of positions of every source, proportional to `counts`.

    `wanted` is the approximate total number; 0: all positions.
    """
    total = sum(counts)
    if wanted == 0 or wanted >= total:
        return [np.arange(count, dtype=np.int64) for count in counts]
    ends = [round(wanted * sum(counts[: i + 1]) / total) for i in range(len(counts))]
    takes = np.diff([0, *ends]).tolist()
    return [
        np.sort(permuted(np.arange(min(take, count), dtype=np.int64), count, seed, number))
        for number, (take, count) in enumerate(zip(takes, counts, strict=True))
    ]


class Batch(NamedTuple):
    """Positions of one board size, with their targets."""

    planes: Tensor
    """float32[b, P, n, n] the planes; uint8 during the transfer to a GPU."""
    target: Tensor
    """int64[b] the expert's move."""
    legal: Tensor
    """bool[b, n·n]"""
    white: Tensor
    """bool[b] whether white is to move."""
    answer: Tensor
    """int64[b] the opponent's next move, or NO_ANSWER."""
    result: Tensor
    """float32[b] +1 if the player to move won, −1 if it lost, 0 if unknown."""

    def to(self, device: torch.device) -> "Batch":
        """Return the batch on a device, with planes as float32."""
        moved = Batch(*(tensor.to(device, non_blocking=True) for tensor in self))
        return moved._replace(planes=moved.planes.float())


class Reader:
    """Makes batches of positions of several sources."""

    def __init__(self, sources: Sequence[Positions], planes: str, device: torch.device) -> None:
        """`device` is where the batches will be used; it determines their type."""
        self._sources = sources
        self.planes = make_planes(planes)
        self._encoders = [Encoder(source.games, self.planes) for source in sources]
        # converting bytes to floats on the GPU is faster than transferring floats, four times as many bytes
        self._dtype = np.uint8 if device.type == "cuda" else np.float32
        self._fewest = 1 if device.type == "cpu" else 2  # a GPU uses one batch while the next is made

    def ahead(self, batch: int) -> int:
        """Return how many batches of this size may be prepared in advance."""
        cells = max((source.size**2 for source in self._sources), default=1)
        each = max(1, batch) * cells * self.planes.count * np.dtype(self._dtype).itemsize
        return min(AHEAD, max(self._fewest, _MAX_BYTES // each))

    def read(self, source: int, number: NDArray[np.int64], symmetry: NDArray[np.uint8] | None = None) -> Batch:
        """Return the positions with these numbers, int64[b], after symmetries, uint8[b]."""
        positions = self._sources[source]
        at = positions.locate(number)
        symmetries = np.zeros(len(number), np.uint8) if symmetry is None else symmetry
        made = self._encoders[source].samples(at.game, at.ply, symmetries, self._dtype)
        answer = positions.answers(at)
        transformed = cells_after(positions.size)[symmetries, np.maximum(answer, 0)].astype(np.int64)
        answer = np.where(answer == NO_ANSWER, NO_ANSWER, transformed)
        more = at.white, answer, positions.results(at)
        return Batch(*(torch.from_numpy(array) for array in (*made, *more)))


@contextmanager
def read_ahead(
    make: Callable[[int], Batch], first: int, end: int, device: torch.device, ahead: int = AHEAD
) -> Iterator[Callable[[], Batch]]:
    """Yield a function that returns the next of the batches first..end−1, which are made in threads.

    At most `ahead` batches are prepared in advance, for a GPU while the network computes. A network on the CPU uses a
    thread on every core, and all of these wait for the slowest: additional threads would delay them, and compete for
    Python's global lock. On the CPU, all cores therefore make several batches while the network waits, which takes less
    time than one batch at a time, because a step of the network evicts the data of the encoder from the caches.
    """
    numbers = iter(range(first, end))
    waiting: deque[Future[Batch]] = deque()
    network_waits = device.type == "cpu"
    with ThreadPoolExecutor(torch.get_num_threads(), "batches") as pool:

        def next_batch() -> Batch:
            if not waiting or not network_waits:
                waiting.extend(pool.submit(make, number) for number in islice(numbers, ahead - len(waiting)))
                if network_waits:
                    wait(waiting)
            return waiting.popleft().result()

        try:
            yield next_batch
        finally:
            pool.shutdown(cancel_futures=True)
