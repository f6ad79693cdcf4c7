"""Which positions a step of training sees: a pure function of the seed and the number of the step.

Positions come from several sources, a source being the games of one dataset on boards of one size. A step draws a
source, with chances in proportion to weight times number of positions, and takes the next positions of that source:
pass after pass over all its positions, each pass shuffled anew. So in every pass each position of a source is seen
exactly once (C14 trains by such epochs), and a batch has one size of board.
"""

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled
from nobi.imitate.permutation import permuted
from nobi.streams import hash_word, hash_words, stream_of

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
