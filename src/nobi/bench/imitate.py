"""Training on records beside the bare network on tensors that are already there: what reading the data costs."""

from collections.abc import Callable, Iterator

from nobi.bench.features import playout_records
from nobi.bench.figure import Figure, rate_figure, rate_ratios, rates
from nobi.cores import usable_threads
from nobi.imitate.speed import TrainingSpeed

BATCH = 128
CASES = (
    # network, board: from the one that needs most time a position to the one that needs least
    ("c14-large", 19),
    ("c14-small", 19),
    ("m15:layers=3,filters=64", 19),
    ("nobi-net:width=32,blocks=4", 9),
    ("mdlstm", 9),
)


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """The figures of this section, each measured when called."""
    for word, size in CASES:

        def share(word: str = word, size: int = size) -> Figure:
            speed = TrainingSpeed(word, playout_records(size), BATCH, usable_threads())
            ratios = rate_ratios(speed.bare, speed.on_records, 4 * seconds)
            [rate] = rates(speed.on_records, seconds, repeats=1)
            reading = speed.reading_share(max(3, int(seconds * rate / BATCH)))
            note = f"{rate:,.0f} positions/s, batches of {BATCH}, {usable_threads()} threads; "
            note += f"reading takes {100 * reading:.1f} % of the processor time of a step"
            what = f"{word} {size}x{size}: training on records over the bare network"
            return rate_figure(what, "times", ratios, at_least=0.95, peer=note)

        yield share
