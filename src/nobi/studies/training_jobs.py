"""The pieces of work that torch does: networks trained on experts' moves, and how well they predict them.

A piece names its datasets by the digests of their games, so it is found again wherever they lie. It is a pure function
of its settings on the same machine with as many threads; on another, sums may be taken in another order, and the last
bits, and with them in time all weights, may differ.

MERGED studies/deep.py: What the studies of deep networks share: how much is learnt, how, and how what came of it is put into rows.
"""

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.imitation.settings import ImitationSettings
from nobi.statistics import Interval
from nobi.studies.jobs import Arrays, Job
from nobi.studies.study import Row, Study
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.imitation.prediction import MoveRankings, PredictionMetrics
    from nobi.imitation.prediction import Prediction as Predicted
    from nobi.studies.cache import JobCache


MULTIPLICATIONS_PER_SECOND = 3.5e10
"""Of forward passes in training on two cores, backward passes included in the time, very roughly: for time left."""
FORWARD = 1 / 3
"""What a forward pass takes of a step of training."""
CURVE = ("step", "positions", "epoch", "rate", "loss", "accuracy", "validation_loss", "validation_accuracy")
VERDICT_TYPES = {
    "game": np.int32,
    "ply": np.int32,
    "size": np.uint8,
    "rank": np.int8,
    "better": np.int16,
    "equal": np.int16,
    "log_probability": np.float64,
}
"""How verdicts are kept, in a quarter of their room."""


@dataclass(frozen=True)
class Imitation(Job):
    """A network trained on records: the measured curve, [measurement] for every name in CURVE, NaN where unmeasured.

    The trained network lies in a file, `model(cache)`.
    """

    kind = "imitation"
    settings: ImitationSettings
    """`data` are digests, not paths; `steps` is the length."""

    def __post_init__(self) -> None:
        if not self.settings.steps or self.settings.start:
            raise ValueError("a piece says its length in steps, and begins with fresh weights")

    @property
    def label(self) -> str:
        """A few words for people."""
        s = self.settings
        return f"imitate {s.net} {s.steps * s.batch} {s.seed}"

    @property
    def positions(self) -> int:
        """How many positions it sees, some perhaps several times."""
        return self.settings.steps * self.settings.batch

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        s = self.settings
        size = max(s.sizes, default=19)
        validation = FORWARD * (s.measurements + 1) * s.validation
        return (self.positions + validation) * multiplications(s.net, size) / MULTIPLICATIONS_PER_SECOND

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Trains, or goes on training."""
        from nobi.imitation.run import ImitationRun
        from nobi.imitation.step import join_process_group, use_threads

        use_threads(cache.threads, usable_threads())
        paths = [str(cache.dataset(digest)) for digest in self.settings.data]
        with join_process_group() as group:
            run = ImitationRun(cache.run_folder(self.name), self.settings, resume=True, group=group, paths=paths)
            run.train(lambda run: progress(run.step_number / run.total))
        return {name: np.array([line.get(name, np.nan) for line in run.lines], np.float64) for name in CURVE}

    def model(self, cache: "JobCache") -> Path:
        """The file of the trained network; the piece must be made already."""
        path = cache.run_folder(self.name) / "model.safetensors"
        if not path.is_file():
            raise NobiError(
                f"The network {str(path)!r} is gone; delete {str(cache.path(self))!r} to have it trained again."
            )
        return path

    def lines(self, cache: "JobCache") -> list[dict[str, Any]]:
        """The curve as `nobi imitate` writes it, a line a measurement."""
        arrays = cache.arrays(self)
        return [
            {name: float(arrays[name][i]) for name in CURVE if not np.isnan(arrays[name][i])}
            for i in range(len(arrays["step"]))
        ]

    def filters(self, cache: "JobCache") -> NDArray[np.float32] | None:
        """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
        from nobi.imitation.prediction import first_filters
        from nobi.models.model import load_deep

        return first_filters(load_deep(self.model(cache)).network)

    def plane_names(self) -> list[str]:
        """The names of its inputs."""
        from nobi.figures.training import plane_names
        from nobi.networks.deep import make_deep

        network = make_deep(self.settings.net)
        return plane_names(network.planes, network.settings)

    def weight_count(self) -> int:
        """How many numbers are trained."""
        from nobi.networks.deep import make_deep

        return make_deep(self.settings.net).weight_count()


@dataclass(frozen=True)
class Prediction(Job):
    """What a trained network thinks of experts' moves: the columns of `MoveRankings`, [position] each.

    Two networks that are shown the same part with the same number and seed see the same positions.
    """

    kind = "prediction"
    run: Imitation
    data: tuple[str, ...]
    """Digests of the datasets."""
    positions: int
    """A random sample of about so many; 0 for all."""
    split: str = "test"
    sizes: tuple[int, ...] = ()
    """The board sizes to take; all unless given."""
    legal: bool = False
    """Whether only legal moves count also for networks that were trained on all points."""
    seed: int = 0
    """Chooses the sample."""

    @property
    def description(self) -> str:
        """The run by its name, which tells all."""
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return json.dumps({"kind": self.kind, **own, "run": self.run.name}, sort_keys=True)

    @property
    def label(self) -> str:
        """A few words for people."""
        boards = "+".join(map(str, self.sizes)) or "all"
        return f"predict {self.run.settings.net} {self.split} {boards} {self.positions}"

    @property
    def cost(self) -> float:
        """Seconds, roughly; for all positions of a part as for a million."""
        size = max(self.sizes, default=19)
        work = (self.positions or 1_000_000) * multiplications(self.run.settings.net, size)
        return FORWARD * work / MULTIPLICATIONS_PER_SECOND

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Shows it the positions."""
        from nobi.imitation.prediction import open_evaluation
        from nobi.imitation.step import choose_device, use_threads

        use_threads(cache.threads, usable_threads())
        paths = [str(cache.dataset(digest)) for digest in self.data]
        work = open_evaluation(self.run.model(cache), paths, self.split, self.sizes, self.positions, self.seed)
        found = work.outcomes(
            choose_device("auto"), legal=self.legal, progress=lambda done: progress(done / work.count)
        )
        return {name: getattr(found, name).astype(kind) for name, kind in VERDICT_TYPES.items()}

    def outcomes(self, cache: "JobCache") -> "MoveRankings":
        """What was found, ready for `nobi.imitation.prediction`."""
        from nobi.imitation.prediction import MoveRankings

        arrays = cache.arrays(self)
        log_probability = arrays["log_probability"]
        whole = {name: arrays[name].astype(np.int64) for name in VERDICT_TYPES if name != "log_probability"}
        return MoveRankings(**whole, log_probability=log_probability)

    def predicted(self, cache: "JobCache") -> "Predicted":
        """How well it predicts, in all and in parts, with intervals over games."""
        from nobi.imitation.prediction import prediction_of

        return prediction_of(self.outcomes(cache))


@lru_cache
def multiplications(net: str, size: int) -> float:
    """How many multiplications a network needs for a position on a board of this size, roughly."""
    from nobi.networks.deep import make_deep
    from nobi.nn.torch_layers import BoardDense, Filters

    network = make_deep(net)
    cells = size * size
    total = 0
    for part in network.modules():
        if isinstance(part, Filters):
            total += cells * prod(part.shape)
        elif isinstance(part, BoardDense):
            total += cells * cells * part.weight.shape[1]
    # a swiping network does little at a time, which takes as long as if it did much
    return float(total) or 800.0 * cells * network.weight_count() ** 0.5 * 8


@dataclass(frozen=True)
class Learning:
    """How much a network learns, how, and how much of the test part it is measured on."""

    positions: int = 0
    """Positions seen in training; 0 for `epochs`."""
    epochs: float = 0.0
    """How often as many positions are seen as there are."""
    test: int = 0
    """Positions that it is measured on, a random sample; 0 for all."""
    batch: int = 128
    optimiser: str = "sgd"
    schedule: str = ""
    """That of the network's paper, or of the optimiser, if empty."""
    clip: float = 0.0
    validation: int = 2000
    measurements: int = 20

    def steps(self, available: int) -> int:
        """The length of a run where so many positions are available."""
        return math.ceil((self.positions or self.epochs * available) / self.batch)

    def in_words(self, available: int) -> str:
        """What a reader of the figures has to know of the training."""
        seen = self.steps(available) * self.batch
        passes = seen / available
        share = f"{100 * passes:.2g} % of those there are" if passes < 1 else f"{passes:.3g} times those there are"
        clip = f", gradients no longer than {self.clip:g}" if self.clip else ""
        schedule = f", {self.schedule}" if self.schedule else ""
        return f"{seen:,} positions seen, {share}; batches of {self.batch}, {self.optimiser}{schedule}{clip}"


TINY = Learning(16, 0.0, 24, 8, validation=8, measurements=1)
"""Only to try it out."""


def small_scale(positions: int, test: int, **changes: int) -> Learning:
    """Learning on a small machine.

    With the papers' small first weights, plain gradient descent sees some hundred thousand positions before it learns
    anything; AdamW does not. It is used wherever there are fewer positions than in the papers.
    """
    batch = changes.pop("batch", 128)
    return Learning(positions, 0.0, test, batch, "adamw", "cosine:rate=0.002", 1.0, **changes)


class DeepStudy(Study):
    """A study of networks that learn from records."""

    symmetries: bool
    """Whether samples are turned by a random symmetry of the board."""
    legal: bool
    """Whether only legal moves are compared when a network is measured, however it was trained."""

    def learning(self) -> Learning:
        """How much is learnt."""
        found: Learning = self.settings
        return found

    def train(self, net: str, role: str, sizes: tuple[int, ...]) -> Imitation:
        """The run of a network on the train part of a dataset."""
        how, records = self.learning(), self.records[role]
        return Imitation(
            ImitationSettings(
                data=(records.digest,),
                sizes=sizes,
                net=net,
                steps=how.steps(records.count("train", sizes)),
                batch=how.batch,
                optimiser=how.optimiser,
                schedule=how.schedule,
                clip=how.clip,
                symmetries=self.symmetries,
                validation=how.validation,
                measurements=how.measurements,
                seed=self.seed,
            )
        )

    def test(self, run: Imitation, role: str, sizes: tuple[int, ...], split: str = "test") -> Prediction:
        """How a trained network predicts a part of a dataset; the same positions for every network."""
        digest = self.records[role].digest
        return Prediction(run, (digest,), self.learning().test, split, sizes, self.legal, self.seed)

    def measured_in_words(self) -> str:
        """How much is measured, and on which moves."""
        test = self.learning().test
        how_many = f"{test:,} positions drawn at random from" if test else "all positions of"
        moves = "only legal moves are compared" if self.legal else "all points are compared"
        rng = "one run of each network, so they do not tell how much another one would differ"
        return f"{how_many} the test part, the same for all networks; {moves}; 95 % intervals over games ({rng})"


def percent(interval: Interval) -> Interval:
    """A share in hundredths."""
    return Interval(100 * interval.value, 100 * interval.low, 100 * interval.high)


def points(interval: Interval) -> str:
    """A difference of percentages as text."""
    return f"{100 * interval.value:+.1f} [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}] points"


def less(interval: Interval, amount: float) -> Interval:
    """How far above an amount it is."""
    return Interval(interval.value - amount, interval.low - amount, interval.high - amount)


def apart(one: Interval, other: Interval) -> Interval:
    """The difference of two figures that were measured on different games, errors added as of independent samples."""
    value = one.value - other.value
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    return Interval(value, value - below, value + above)


def quality_rows(
    labels: dict[str, str], quality: "PredictionMetrics", paper: Sequence[float | None] = (None, None, None)
) -> list[Row]:
    """Accuracy, rank and probability as in C14's tables, beside the paper's."""
    accuracy, rank, probability = paper
    return [
        Row(labels, "accuracy, %", percent(quality.accuracy), accuracy),
        Row(labels, "rank", quality.rank, rank),
        Row(labels, "probability, %", percent(quality.probability), probability),
    ]


def gain_rows(
    labels: dict[str, str], gain: "PredictionMetrics", paper: Sequence[float | None] = (None, None, None)
) -> list[Row]:
    """Differences of the same figures; 0 would mean nothing."""
    accuracy, rank, probability = paper
    return [
        Row(labels, "accuracy, points", percent(gain.accuracy), accuracy, 0.0),
        Row(labels, "rank", gain.rank, rank, 0.0),
        Row(labels, "probability, points", percent(gain.probability), probability, 0.0),
    ]
