"""What the studies of deep networks share: how much is learnt, how, and how what came of it is put into rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nobi.arena.summary import Interval
from nobi.imitate.settings import ImitationSettings
from nobi.studies.base import Row, Study
from nobi.studies.learning import Imitation, Prediction

if TYPE_CHECKING:
    from nobi.imitate.metrics import Quality


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
        chance = "one run of each network, so they do not tell how much another one would differ"
        return f"{how_many} the test part, the same for all networks; {moves}; 95 % intervals over games ({chance})"


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
    labels: dict[str, str], quality: "Quality", paper: Sequence[float | None] = (None, None, None)
) -> list[Row]:
    """Accuracy, rank and probability as in C14's tables, beside the paper's."""
    accuracy, rank, probability = paper
    return [
        Row(labels, "accuracy, %", percent(quality.accuracy), accuracy),
        Row(labels, "rank", quality.rank, rank),
        Row(labels, "probability, %", percent(quality.probability), probability),
    ]


def gain_rows(labels: dict[str, str], gain: "Quality", paper: Sequence[float | None] = (None, None, None)) -> list[Row]:
    """Differences of the same figures; 0 would mean nothing."""
    accuracy, rank, probability = paper
    return [
        Row(labels, "accuracy, points", percent(gain.accuracy), accuracy, 0.0),
        Row(labels, "rank", gain.rank, rank, 0.0),
        Row(labels, "probability, points", percent(gain.probability), probability, 0.0),
    ]
