"""Batches of positions as tensors, made ahead for a graphics card, or between the steps of a network."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nobi.cores import usable_threads
from nobi.features import planes_named
from nobi.features.encoder import Encoder
from nobi.imitate.positions import Positions

AHEAD = 4
"""How many batches are made before they are needed."""


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
        # the threads of a network on the processor spin while they wait: beside them, several take longer than one
        threads = 1 if device.type == "cpu" else usable_threads()
        self._encoders = [Encoder(source.games, self.planes, threads=threads) for source in sources]
        # a graphics card turns bytes into numbers faster than four times as many bytes reach it
        self._dtype = np.uint8 if device.type == "cuda" else np.float32

    def read(self, source: int, number: NDArray[np.int64], symmetry: NDArray[np.uint8] | None = None) -> Batch:
        """The positions of these numbers, int64[b], turned by symmetries, uint8[b]."""
        places = self._sources[source].places(number)
        turned = np.zeros(len(number), np.uint8) if symmetry is None else symmetry
        made = self._encoders[source].samples(places.game, places.ply, turned, self._dtype)
        return Batch(*(torch.from_numpy(array) for array in (*made, places.white)))

    def close(self) -> None:
        """Ends the threads."""
        for encoder in self._encoders:
            encoder.close()


class Ahead:
    """Batches in the order of their numbers, made by a thread of its own, `AHEAD` of them before they are asked for."""

    def __init__(self, make: Callable[[int], Batch], first: int, end: int) -> None:
        self._made: queue.Queue[Batch | BaseException] = queue.Queue(AHEAD)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(make, first, end), daemon=True, name="batches")
        self._thread.start()

    def next(self) -> Batch:
        """The next batch; waits for it if need be."""
        batch = self._made.get()
        if isinstance(batch, BaseException):
            raise batch
        return batch

    def close(self) -> None:
        """Ends the thread."""
        self._stop.set()
        while self._thread.is_alive():
            try:
                self._made.get_nowait()  # it may be waiting for room
            except queue.Empty:
                self._thread.join(0.001)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _work(self, make: Callable[[int], Batch], first: int, end: int) -> None:
        try:
            for number in range(first, end):
                batch = make(number)
                if self._stop.is_set():
                    return
                self._made.put(batch)
        except BaseException as fault:
            self._made.put(fault)


@contextmanager
def in_turn(make: Callable[[int], Batch], first: int, end: int, device: torch.device) -> Iterator[Callable[[], Batch]]:
    """A function that gives the next batch, from number `first` on.

    For a graphics card they are made ahead. A network on the processor has a thread on every core, and all of them wait
    for the slowest: a thread beside them would hold them all up, and take turns with them at Python's lock. There a
    batch is made when it is asked for.
    """
    if device.type == "cpu":
        numbers = iter(range(first, end))
        yield lambda: make(next(numbers))
    else:
        with Ahead(make, first, end) as ahead:
            yield ahead.next


@contextmanager
def reading(sources: Sequence[Positions], planes: str, device: torch.device) -> Iterator[Reader]:
    """A reader that ends its threads at the end."""
    reader = Reader(sources, planes, device)
    try:
        yield reader
    finally:
        reader.close()
