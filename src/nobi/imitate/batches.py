"""Batches of positions as tensors, made ahead for a graphics card, or between the steps of a network."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nobi.board.symmetry import cells_after
from nobi.features import planes_named
from nobi.features.encoder import Encoder
from nobi.imitate.positions import NO_ANSWER, Positions

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
        self.planes = planes_named(planes)
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
