"""Training on records and on tensors that are already there, side by side: what reading the data costs."""

import time
from collections.abc import Callable

import torch

from nobi.imitate.batches import Batch, Reader, in_turn
from nobi.imitate.positions import Positions
from nobi.imitate.sampling import Sampler
from nobi.imitate.trainer import Trainer
from nobi.networks.deep import make_deep
from nobi.records.collection import Collection

_RATE = 1e-6
"""Small: the same steps are made again and again."""
_PROCESSOR = torch.device("cpu")


class TrainingSpeed:
    """The two kinds of training to compare, of one network on the games of one size of board."""

    def __init__(self, word: str, games: Collection, batch: int, threads: int) -> None:
        torch.set_num_threads(threads)
        network = make_deep(word)
        positions = Positions(games)
        self.batch = batch
        self._trainer = Trainer(network, "sgd", batch)
        self._reader = Reader([positions], network.planes, _PROCESSOR)
        self._sampler = Sampler([len(positions)], [1.0], batch, 0)
        self._steps = 0
        self._synthetic = synthetic_batch(batch, self._reader.planes.count, positions.size)

    def bare(self, steps: int) -> int:
        """Steps on a batch of noughts and ones, over and over; returns the number of positions."""
        for _ in range(steps):
            self._trainer.step(self._synthetic, _RATE)
        return steps * self.batch

    def on_records(self, steps: int) -> int:
        """Steps on the records, in the middle of a run: as many batches are made meanwhile as are used."""
        end = self._steps + steps
        with in_turn(self._make, self._steps, end, _PROCESSOR, self._reader.ahead(self.batch)) as next_batch:
            for _ in range(steps):
                self._trainer.step(next_batch(), _RATE)
        self._steps = end
        return steps * self.batch

    def reading_share(self, steps: int) -> float:
        """The processor time of reading a batch over that of a bare step; other programs hardly change it."""
        torch.set_num_threads(1)  # several would wait for each other, and count that as work
        reading = _processor_seconds(lambda: self._read(steps))
        return reading / _processor_seconds(lambda: self.bare(steps))

    def _read(self, steps: int) -> None:
        for step in range(steps):
            self._make(step)

    def _make(self, step: int) -> Batch:
        draw = self._sampler.draw(step)
        return self._reader.read(draw.source, draw.number, draw.symmetry)


def synthetic_batch(batch: int, planes: int, size: int) -> Batch:
    """Random planes, targets, answers and results."""
    chance = torch.Generator().manual_seed(0)
    return Batch(
        (torch.rand((batch, planes, size, size), generator=chance) < 0.3).float(),
        torch.randint(size * size, (batch,), generator=chance),
        torch.ones((batch, size * size), dtype=torch.bool),
        torch.arange(batch) % 2 == 1,
        torch.randint(size * size, (batch,), generator=chance),
        torch.arange(batch) % 2 * 2.0 - 1,
    )


def _processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
