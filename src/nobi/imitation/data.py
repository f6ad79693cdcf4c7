"""Shuffles computed by counting: where the k-th position of a shuffled pass lies, without making the shuffle.

An array of ten million shuffled numbers would have to be made anew for every pass, and kept to resume. A keyed
permutation gives any element of the shuffle at once: a Feistel network on pairs (left, right), in which each half in
turn is moved on by a hash of the other. With halves of a and b values, a·b barely above the count, it permutes a·b
numbers; those that fall beyond the count are sent on until they do not, which keeps it a permutation (Black and
Rogaway, "Ciphers with arbitrary finite domains", 2002).

MERGED imitate/sampling.py: Which positions a step of training sees: a pure function of the seed and the number of the step.

Positions come from several sources, a source being the games of one dataset on boards of one size. A step draws a
source, with chances in proportion to weight times number of positions, and takes the next positions of that source:
pass after pass over all its positions, each pass shuffled anew. So in every pass each position of a source is seen
exactly once (C14 trains by such epochs), and a batch has one size of board.

MERGED imitate/positions.py: The positions of a collection: one before every move that is not a pass.

MERGED imitate/sources.py: The sources that a run or a measurement draws positions from: the games of each dataset on each size of board.

MERGED imitate/batches.py: Batches of positions as tensors, made ahead for a graphics card, or between the steps of a network.
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

ROUNDS = 6


def permuted(places: NDArray[np.int64], count: int, seed: int, number: int) -> NDArray[np.int64]:
    """Where some places of a shuffle of 0..count−1 lead.

    Args:
        places: int64[k], each from 0 to count − 1.
        count: how many things are shuffled.
        seed: chooses the shuffles.
        number: which of them; each is as good as independent of the others.

    Returns:
        int64[k]; for different places different numbers from 0 to count − 1.
    """
    if count < 2:
        return np.zeros_like(places)
    rows = isqrt(count - 1) + 1
    columns = -(-count // rows)
    found = np.empty(len(places), np.int64)
    _permute(places, count, np.uint64(rows), np.uint64(columns), _keys(seed, number), found)
    return found


@lru_cache(maxsize=64)
def _keys(seed: int, number: int) -> NDArray[np.uint64]:
    """uint64[ROUNDS] the keys of a shuffle."""
    key = stream_of(np.uint64(seed), np.uint64(number))
    return hash_words(key + np.arange(1, ROUNDS + 1, dtype=np.uint64))


@compiled
def _permute(
    places: NDArray[np.int64],
    count: int,
    rows: np.uint64,
    columns: np.uint64,
    keys: NDArray[np.uint64],
    found: NDArray[np.int64],
) -> None:
    """found[i] = where places[i] leads; two rounds, one for each half, with every two keys."""
    for i in range(len(places)):
        number = np.uint64(places[i])
        while True:
            left, right = number // columns, number % columns
            for r in range(0, ROUNDS, 2):
                left = (left + hash_word(right ^ keys[r]) % rows) % rows
                right = (right + hash_word(left ^ keys[r + 1]) % columns) % columns
            number = left * columns + right
            if number < np.uint64(count):
                break
        found[i] = number


_BLOCK = 1 << 16
"""For how many steps sources are drawn at once."""
_SOURCE, _SYMMETRY, _ORDER = range(3)
"""What chance is needed for: each has a seed of its own."""


class Draw(NamedTuple):
    """The positions of a step."""

    source: int
    number: NDArray[np.int64]
    """[i] positions of this source."""
    symmetry: NDArray[np.uint8]
    """[i] how the board is turned for each."""


class Sampler:
    """Draws the batches of a training run."""

    def __init__(
        self, counts: Sequence[int], weights: Sequence[float], batch: int, seed: int, *, symmetries: bool = True
    ) -> None:
        """Readies a sampler.

        Args:
            counts: how many positions each source has.
            weights: how much a position of each source counts.
            batch: positions of a step.
            seed: chooses everything.
            symmetries: whether each sample is turned by one of the 8 symmetries of the board at random.
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
        """The samples first..end−1, all unless given, of a step; steps count from 0."""
        source, turn = self._turn(step)
        begin = turn * self.batch
        begin, end = begin + first, begin + (self.batch if end is None else end)
        return Draw(source, self._numbers(source, begin, end), self._turned(source, begin, end))

    def _turn(self, step: int) -> tuple[int, int]:
        """The source of a step, and how many steps drew it before."""
        block, place = divmod(step, _BLOCK)
        with self._lock:  # threads may ask for steps of two blocks at the same time
            if block != self._block:
                self._ready_block(block)
            source = int(self._drawn[place])
            return source, int(self._before[place, source])

    def _ready_block(self, block: int) -> None:
        """Draws the sources of all steps of a block."""
        while len(self._totals) <= block:
            drawn = self._sources(len(self._totals) - 1)
            self._totals.append(self._totals[-1] + np.bincount(drawn, minlength=len(self.counts)))
        self._drawn = self._sources(block)
        picked = self._drawn[:, None] == np.arange(len(self.counts))
        self._before = self._totals[block] + np.cumsum(picked, axis=0) - picked
        self._block = block

    def _sources(self, block: int) -> NDArray[np.int64]:
        """int64[_BLOCK] the sources of the steps of a block."""
        steps = np.arange(block * _BLOCK, (block + 1) * _BLOCK, dtype=np.uint64)
        words = hash_words(np.uint64(self._seeds[_SOURCE]) + hash_words(steps))
        return np.searchsorted(self._bounds, (words >> np.uint64(11)) * 2.0**-53, side="right")

    def _numbers(self, source: int, begin: int, end: int) -> NDArray[np.int64]:
        """The positions at the places begin..end−1 of the endless sequence of passes over a source."""
        count = self.counts[source]
        parts: list[NDArray[np.int64]] = []
        while begin < end or not parts:
            one = begin // count
            part = np.arange(begin - one * count, min(end - one * count, count), dtype=np.int64)
            parts.append(permuted(part, count, self._keys[_ORDER][source], one))
            begin += len(part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _turned(self, source: int, begin: int, end: int) -> NDArray[np.uint8]:
        if not self._symmetries:
            return np.zeros(end - begin, np.uint8)
        turned = np.empty(end - begin, np.uint8)
        _draw_symmetries(np.uint64(self._keys[_SYMMETRY][source]), begin, turned)
        return turned


@compiled
def _draw_symmetries(key: np.uint64, begin: int, turned: NDArray[np.uint8]) -> None:
    """turned[i] = one of the 8 symmetries, drawn for the place begin + i."""
    for i in range(len(turned)):
        turned[i] = hash_word(key + hash_word(np.uint64(begin + i))) >> np.uint64(61)


def fixed_sample(counts: Sequence[int], wanted: int, seed: int) -> list[NDArray[np.int64]]:
    """Some positions of every source, about `wanted` in all and in proportion, sorted; all if there are no more.

    A number of 0 stands for all positions.
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


NO_ANSWER = -1
"""The answer where the opponent passed, or the game ended, or the same player moved again."""


class Places(NamedTuple):
    """Where some positions are found, and what is known of them without a board."""

    game: NDArray[np.int64]
    """[i]"""
    ply: NDArray[np.int64]
    """[i] the number of the expert's move in its game, the first being 0."""
    white: NDArray[np.bool_]
    """[i] whether white is to move."""


class Positions:
    """The positions of games on boards of one size, numbered from 0; memory is needed only for the passes."""

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
        """[pass] how many stones were played before it; as many as positions."""

    def __len__(self) -> int:
        return self.count

    def places(self, numbers: NDArray[np.int64]) -> Places:
        """Where the positions of these numbers, int64[i], are found."""
        move = self._begin + numbers + np.searchsorted(self._played_before, numbers, side="right")
        game = np.searchsorted(self.games.start, move, side="right") - 1
        return Places(game, move - self.games.start[game], self.games.moves[move] >= WHITE_BIT)

    def answers(self, places: Places) -> NDArray[np.int64]:
        """[i] the cell of the opponent's next move, or NO_ANSWER."""
        after = self.games.start[places.game] + places.ply + 1
        there = after < self.games.start[places.game + 1]
        move = self.games.moves[np.where(there, after, 0)].astype(np.int64)
        cell = move & PASS_CODE
        answered = there & ((move >= WHITE_BIT) != places.white) & (cell != PASS_CODE)
        return np.where(answered, cell, NO_ANSWER)

    def results(self, places: Places) -> NDArray[np.float32]:
        """[i] +1 if the player to move won the game, -1 if he lost it, 0 if that is not known."""
        result = self.games.result[places.game]
        return np.where(places.white, -result, result).astype(np.float32)


@dataclass(frozen=True)
class Sources:
    """Positions of some datasets; all lists have an entry a source."""

    positions: list[Positions]
    dataset: list[int]
    """Which dataset each comes from."""
    fingerprint: str
    """Changes with any change of the games."""

    @property
    def counts(self) -> list[int]:
        """How many positions each has."""
        return [len(source) for source in self.positions]

    @property
    def total(self) -> int:
        """How many positions there are."""
        return sum(self.counts)

    @property
    def main_size(self) -> int:
        """The size of board of most positions."""
        by_size: dict[int, int] = {}
        for source in self.positions:
            by_size[source.size] = by_size.get(source.size, 0) + len(source)
        return max(by_size, key=lambda size: by_size[size])


def open_sources(paths: Sequence[str], split: str, sizes: Sequence[int], network: DeepNetwork) -> Sources:
    """The positions of a part of some datasets on these sizes of board (all if none is given).

    Complains if there are none on one of the sizes, or if the network does not serve a size.
    """
    found, owners, digest = [], [], hashlib.sha256()
    datasets = [Dataset.open(path) for path in paths]
    check_split_alike(datasets)
    _refuse_twice(paths, datasets)
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
            f"{_boards(unserved)}; choose with --sizes what to take, or another network."
        )
    return Sources(found, owners, digest.hexdigest())


def _refuse_twice(paths: Sequence[str], datasets: Sequence[Dataset]) -> None:
    """Complains of the same games under two names: they would count as twice as many."""
    first: dict[str, str] = {}
    for path, dataset in zip(paths, datasets, strict=True):
        if dataset.digest in first:
            raise NobiError(f"The datasets {first[dataset.digest]!r} and {str(path)!r} hold the same games; name one.")
        first[dataset.digest] = str(path)


def _boards(sizes: Sequence[int]) -> str:
    return " and ".join(f"{size}x{size}" for size in sizes)


AHEAD = 8
"""How many batches are made before they are needed,"""
_MOST_BYTES = 1 << 27
"""unless they would take more memory than this."""


class Batch(NamedTuple):
    """Positions of one size of board, as a network is trained on them."""

    planes: Tensor
    """float32[b, P, n, n]; uint8 on its way to a graphics card"""
    target: Tensor
    """int64[b] the expert's move."""
    legal: Tensor
    """bool[b, n·n]"""
    white: Tensor
    """bool[b] whether white is to move."""
    answer: Tensor
    """int64[b] the opponent's next move; NO_ANSWER where there is none."""
    result: Tensor
    """float32[b] +1 if the player to move won, -1 if he lost, 0 if that is not known."""

    def to(self, device: torch.device) -> "Batch":
        """The same on a device, ready to be used."""
        moved = Batch(*(tensor.to(device, non_blocking=True) for tensor in self))
        return moved._replace(planes=moved.planes.float())


class Reader:
    """Makes batches of the positions of several sources."""

    def __init__(self, sources: Sequence[Positions], planes: str, device: torch.device) -> None:
        """`device` is where the batches will go; it decides in which type they are made."""
        self._sources = sources
        self.planes = make_planes(planes)
        self._encoders = [Encoder(source.games, self.planes) for source in sources]
        # a graphics card turns bytes into numbers faster than four times as many bytes reach it
        self._dtype = np.uint8 if device.type == "cuda" else np.float32
        self._fewest = 1 if device.type == "cpu" else 2  # a card works on one while the next is made

    def ahead(self, batch: int) -> int:
        """How many batches of so many positions may wait to be used."""
        cells = max((source.size**2 for source in self._sources), default=1)
        each = max(1, batch) * cells * self.planes.count * np.dtype(self._dtype).itemsize
        return min(AHEAD, max(self._fewest, _MOST_BYTES // each))

    def read(self, source: int, number: NDArray[np.int64], symmetry: NDArray[np.uint8] | None = None) -> Batch:
        """The positions of these numbers, int64[b], turned by symmetries, uint8[b]."""
        places = self._sources[source].places(number)
        turned = np.zeros(len(number), np.uint8) if symmetry is None else symmetry
        made = self._encoders[source].samples(places.game, places.ply, turned, self._dtype)
        answer = self._sources[source].answers(places)
        turned_answer = cells_after(made.planes.shape[-1])[turned, np.maximum(answer, 0)].astype(np.int64)
        answer = np.where(answer == NO_ANSWER, NO_ANSWER, turned_answer)
        more = places.white, answer, self._sources[source].results(places)
        return Batch(*(torch.from_numpy(array) for array in (*made, *more)))


@contextmanager
def in_turn(
    make: Callable[[int], Batch], first: int, end: int, device: torch.device, ahead: int = AHEAD
) -> Iterator[Callable[[], Batch]]:
    """A function that gives the next of the batches first..end−1, which threads make by their numbers.

    At most `ahead` of them wait to be used. For a graphics card they are made ahead. A network on the processor has a
    thread on every core, and all of them wait for the slowest: threads beside them would hold them all up, and take
    turns with them at Python's lock. There, all cores make some batches in a row while the network waits. A row takes
    less time than as many batches one by one, since a step of the network leaves nothing in the caches of what reading
    needs.
    """
    numbers = iter(range(first, end))
    waiting: deque[Future[Batch]] = deque()
    in_rows = device.type == "cpu"
    with ThreadPoolExecutor(torch.get_num_threads(), "batches") as pool:

        def next_batch() -> Batch:
            if not waiting or not in_rows:
                waiting.extend(pool.submit(make, number) for number in islice(numbers, ahead - len(waiting)))
                if in_rows:
                    wait(waiting)
            return waiting.popleft().result()

        try:
            yield next_batch
        finally:
            pool.shutdown(cancel_futures=True)
