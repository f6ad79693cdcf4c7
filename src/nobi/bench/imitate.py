"""Training on records beside the bare network on tensors that are already there: what reading the data costs."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch

from nobi.arena.play import usable_threads
from nobi.bench.features import playout_records
from nobi.bench.figure import Figure, rate_figure, rate_ratios
from nobi.imitate.batches import Ahead, Batch, Reader
from nobi.imitate.positions import Positions
from nobi.imitate.sampling import Sampler
from nobi.imitate.trainer import Trainer
from nobi.networks.deep import make_deep

BATCH = 128
CASES = (
    # network, board: from the one that needs most time a position to the one that needs least
    ("c14-large", 19),
    ("c14-small", 19),
    ("m15:layers=3,filters=64", 19),
    ("nobi-net:width=32,blocks=4", 9),
    ("mdlstm", 9),
)


def synthetic_batch(planes: int, size: int) -> Batch:
    """A batch of noughts and ones."""
    chance = torch.Generator().manual_seed(0)
    return Batch(
        (torch.rand((BATCH, planes, size, size), generator=chance) < 0.3).float(),
        torch.randint(size * size, (BATCH,), generator=chance),
        torch.ones((BATCH, size * size), dtype=torch.bool),
        torch.arange(BATCH) % 2 == 1,
    )


class TrainingSpeed(NamedTuple):
    """What a network's training was measured at."""

    ratios: list[float]
    """Positions a second on records over those of the bare network, in pairs that follow each other."""
    rates: list[float]
    """Positions a second on records."""
    reading: float
    """The processor time of reading a batch over that of a step of the bare network; unlike the ratios it does not
    suffer from other programs."""


def training_speed(word: str, size: int, seconds: float) -> TrainingSpeed:
    """Measures training on records beside the bare network."""
    torch.set_num_threads(usable_threads())
    network = make_deep(word)
    trainer = Trainer(network, "sgd", BATCH)
    positions = Positions(playout_records(size))
    reader = Reader([positions], network.planes, torch.device("cpu"))
    sampler = Sampler([len(positions)], [1.0], BATCH, 0)
    synthetic = synthetic_batch(reader.planes.count, size)
    found: list[float] = []

    def make(step: int) -> Batch:
        draw = sampler.draw(step)
        return reader.read(draw.source, draw.number, draw.symmetry)

    def bare(steps: int) -> int:
        for _ in range(steps):
            trainer.step(synthetic, 1e-6)
        return steps * BATCH

    def on_records(steps: int) -> int:
        start = time.perf_counter()
        with Ahead(make, 0, steps) as ahead:  # no batch is made before the clock runs
            for _ in range(steps):
                trainer.step(ahead.next(), 1e-6)
        found.append(steps * BATCH / (time.perf_counter() - start))
        return steps * BATCH

    ratios = rate_ratios(bare, on_records, seconds)
    steps = max(3, int(seconds * found[-1] / BATCH))
    torch.set_num_threads(1)  # several would wait for each other, and count that as work
    reading = _processor_seconds(lambda: [make(step) for step in range(steps)])
    return TrainingSpeed(ratios, found[-len(ratios) :], reading / _processor_seconds(lambda: bare(steps)))


def _processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """The figures of this section, each measured when called."""
    for word, size in CASES:

        def share(word: str = word, size: int = size) -> Figure:
            found = training_speed(word, size, 2 * seconds)
            note = (
                f"{statistics.median(found.rates):,.0f} positions/s, batches of {BATCH}, {usable_threads()} threads; "
            )
            note += f"reading takes {100 * found.reading:.1f} % of the processor time of a step"
            what = f"{word} {size}x{size}: training on records over the bare network"
            return rate_figure(what, "times", found.ratios, at_least=0.95, peer=note)

        yield share
