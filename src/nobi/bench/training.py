"""Training on records beside the bare network on tensors that are already there: what reading the data costs."""

import time
from collections.abc import Callable, Iterator

import torch

from nobi.bench.data import playout_records
from nobi.bench.measure import Measurement, rate_figure, rate_ratios, rates
from nobi.imitation.data import Batch, Positions, Reader, Sampler, in_turn
from nobi.imitation.step import Trainer
from nobi.networks.deep import make_deep
from nobi.records.collection import Collection
from nobi.workers import usable_threads

BATCH = 128
CASES = (
    # network, board: from the one that needs most time a position to the one that needs least
    ("c14-large", 19),
    ("c14-small", 19),
    ("m15:layers=3,filters=64", 19),
    ("nobi-net:width=32,blocks=4", 9),
    ("mdlstm", 9),
)


def measurements(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """The figures of this section, each measured when called."""
    for spec, size in CASES:

        def share(spec: str = spec, size: int = size) -> Measurement:
            speed = TrainingSpeed(spec, playout_records(size), BATCH, usable_threads())
            ratios = rate_ratios(speed.bare, speed.on_records, 4 * seconds)
            [rate] = rates(speed.on_records, seconds, repeats=1)
            reading = speed.reading_share(max(3, int(seconds * rate / BATCH)))
            note = f"{rate:,.0f} positions/s, batches of {BATCH}, {usable_threads()} threads; "
            note += f"reading takes {100 * reading:.1f} % of the processor time of a step"
            what = f"{spec} {size}x{size}: training on records over the bare network"
            return rate_figure(what, "times", ratios, at_least=0.95, peer=note)

        yield share


_RATE = 1e-6
"""Small: the same steps are made again and again."""
_PROCESSOR = torch.device("cpu")


class TrainingSpeed:
    """The two kinds of training to compare, of one network on the games of one size of board."""

    def __init__(self, spec: str, games: Collection, batch: int, threads: int) -> None:
        torch.set_num_threads(threads)
        network = make_deep(spec)
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
    rng = torch.Generator().manual_seed(0)
    return Batch(
        (torch.rand((batch, planes, size, size), generator=rng) < 0.3).float(),
        torch.randint(size * size, (batch,), generator=rng),
        torch.ones((batch, size * size), dtype=torch.bool),
        torch.arange(batch) % 2 == 1,
        torch.randint(size * size, (batch,), generator=rng),
        torch.arange(batch) % 2 * 2.0 - 1,
    )


def _processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
