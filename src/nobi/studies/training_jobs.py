"""Jobs that use torch: training on expert moves, and prediction of expert moves.

A job identifies its datasets by the digests of their games. Its result is a deterministic function of its settings on
the same machine with the same number of threads; otherwise rounding may differ, and therefore the trained weights.
"""

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nobi.errors import NobiError
from nobi.imitation.settings import ImitationSettings
from nobi.models import shipped
from nobi.models.model import load_model
from nobi.statistics import Interval, share_interval
from nobi.studies.jobs import Arrays, Job, Progress
from nobi.studies.study import Claim, Row, Study
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.imitation.metrics import MoveRankings, PredictionMetrics
    from nobi.imitation.prediction import Evaluation
    from nobi.studies.cache import JobCache

CURVE = ("step", "positions", "epoch", "rate", "loss", "accuracy", "validation_loss", "validation_accuracy")
RANKING_TYPES = {
    "game": np.int32,
    "ply": np.int32,
    "size": np.uint8,
    "rank": np.int8,
    "better": np.int16,
    "equal": np.int16,
    "log_probability": np.float64,
}
"""The columns of `MoveRankings` and their types in files, which are smaller than those in memory."""


@dataclass(frozen=True)
class ImitationJob(Job):
    """A network trained on records: the learning curve, [measurement] for every name in CURVE, NaN if not measured.

    The trained network is the file `model(cache)`.
    """

    kind = "imitation"
    settings: ImitationSettings
    """The settings; `data` contains digests instead of paths, `steps` is the length."""

    def __post_init__(self) -> None:
        if not self.settings.steps or self.settings.start:
            raise ValueError("the length of an imitation job is given in steps, and it starts with new weights")

    @property
    def label(self) -> str:
        return f"imitate {self.settings.net} {self.positions} {self.settings.seed}"

    @property
    def net(self) -> str:
        """The spec of the network."""
        return self.settings.net

    @property
    def positions(self) -> int:
        """The number of positions used in training, including repetitions."""
        return self.settings.steps * self.settings.batch

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.imitation.run import ImitationRun
        from nobi.imitation.step import join_process_group, use_threads

        use_threads(cache.threads, usable_threads())
        paths = [str(cache.dataset(digest)) for digest in self.settings.data]
        with join_process_group() as group:
            run = ImitationRun(cache.run_folder(self), self.settings, resume=True, group=group, paths=paths)
            run.train(lambda run: progress(run.step_number / run.total))
        return {name: np.array([line.get(name, np.nan) for line in run.lines], np.float64) for name in CURVE}

    def model(self, cache: "JobCache") -> Path:
        """Return the file of the trained network."""
        path = cache.run_folder(self) / "model.safetensors"
        if not path.is_file():
            raise NobiError(
                f"The network {str(path)!r} is missing; delete {str(cache.path(self))!r} to train it again."
            )
        return path


@dataclass(frozen=True)
class ShippedNetwork:
    """A network that is part of nobi, used in place of one trained by a job."""

    net: str
    """The name of the network, such as `go-main`."""

    @property
    def name(self) -> str:
        """The name with the digest of the file, so that another version of the network is measured again."""
        digest = hashlib.sha256(shipped()[self.net].read_bytes()).hexdigest()
        return f"{self.net}-{digest[:16]}"

    def model(self, cache: "JobCache") -> Path:  # noqa: ARG002
        """Return the file of the network."""
        return shipped()[self.net]

    def describe(self) -> str:
        """Return the training of the network in one line."""
        provenance = load_model(shipped()[self.net]).provenance
        seen = sum(part["positions"] for part in [*provenance.get("earlier", []), provenance])
        return (
            f"{self.net}, the network that is part of nobi, after {seen:,} positions of KGS, professionals, Fox and "
            "small boards (docs/models.md)"
        )


MAIN = ShippedNetwork("go-main")
"""The strongest network of nobi, for testing the papers' claims with a fully trained network."""


def curve_lines(arrays: Arrays) -> list[dict[str, Any]]:
    """Return the learning curve of an imitation job as `nobi imitate` writes it, a dict per measurement."""
    rows = zip(*(arrays[name].tolist() for name in CURVE), strict=True)
    return [{name: value for name, value in zip(CURVE, row, strict=True) if not math.isnan(value)} for row in rows]


@dataclass(frozen=True)
class PredictionJob(Job):
    """The ranks of expert moves by a trained network: the columns of `MoveRankings`, [position] each.

    Networks measured on the same split with the same number of positions and seed are measured on the same positions.
    """

    kind = "prediction"
    run: ImitationJob | ShippedNetwork
    data: tuple[str, ...]
    """Digests of the datasets."""
    positions: int
    """The approximate size of a random sample; 0: all."""
    split: str = "test"
    sizes: tuple[int, ...] = ()
    """Board sizes; empty: all."""
    legal: bool = False
    """Compare only legal moves, also for networks that were trained on all points."""
    seed: int = 0
    """The seed of the sample."""

    def identity(self) -> dict[str, Any]:
        return {**vars(self), "run": self.run.name}

    @property
    def label(self) -> str:
        boards = "+".join(map(str, self.sizes)) or "all"
        return f"predict {self.run.net} {self.split} {boards} {self.positions}"

    def evaluation(self, cache: "JobCache") -> "Evaluation":
        """Return the model with the positions for its measurement."""
        from nobi.imitation.prediction import open_evaluation
        from nobi.imitation.step import use_threads

        use_threads(cache.threads, usable_threads())
        paths = [str(cache.dataset(digest)) for digest in self.data]
        return open_evaluation(self.run.model(cache), paths, self.split, self.sizes, self.positions, self.seed)

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.imitation.step import choose_device

        work = self.evaluation(cache)
        found = work.rankings(
            choose_device("auto"), legal=self.legal, progress=lambda done: progress(done / work.count)
        )
        return {name: getattr(found, name).astype(kind) for name, kind in RANKING_TYPES.items()}


@dataclass(frozen=True)
class LegalChoicesJob(PredictionJob):
    """Whether the best point of a trained network is a legal move: `legal` [position]."""

    kind = "legal-choices"

    @property
    def label(self) -> str:
        return f"legal choices {self.run.net} {self.positions}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.imitation.step import choose_device

        found = self.evaluation(cache).legal_choices(choose_device("auto"))
        progress(1.0)
        return {"legal": found}


@dataclass(frozen=True)
class KoJob(Job):
    """Whether simple ko forbids a move in positions of records: `ko` [position] of a random sample."""

    kind = "ko"
    data: str
    """The digest of the dataset."""
    positions: int
    size: int
    split: str = "train"
    seed: int = 0

    @property
    def label(self) -> str:
        return f"ko {self.split} {self.size} {self.positions}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.imitation.prediction import positions_with_ko
        from nobi.records.dataset import Dataset

        games = Dataset.open(cache.dataset(self.data)).collection(self.split, self.size)
        found = positions_with_ko(games, self.positions, self.seed)
        progress(1.0)
        return {"ko": found}


@dataclass(frozen=True)
class BatchTimeJob(Job):
    """The time of an untrained network for a batch of 128 positions: `seconds` [repetition]; not reproducible."""

    kind = "batch-time"
    net: str
    size: int = 19
    batch: int = 128
    repetitions: int = 3

    @property
    def label(self) -> str:
        return f"time of a batch {self.net} {self.size}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        from nobi.features import plane_count
        from nobi.imitation.step import use_threads
        from nobi.networks.deep import make_deep

        use_threads(cache.threads, usable_threads())
        network = make_deep(self.net).for_play()
        shape = self.batch, plane_count(network.planes), self.size, self.size
        planes = np.random.default_rng(0).integers(0, 2, shape).astype(np.float32)
        white, seconds = np.zeros(self.batch, np.bool_), []
        network.evaluate(planes[:8], white[:8])
        for done in range(self.repetitions):
            start = time.perf_counter()
            network.evaluate(planes, white)
            seconds.append(time.perf_counter() - start)
            progress((done + 1) / self.repetitions)
        return {"seconds": np.array(seconds)}


def move_rankings(arrays: Arrays) -> "MoveRankings":
    """Return the result of a prediction job as `nobi.imitation.prediction` expects it."""
    from nobi.imitation.metrics import MoveRankings

    wide: Arrays = {name: array.astype(np.int64) for name, array in arrays.items() if name != "log_probability"}
    return MoveRankings(**wide, log_probability=arrays["log_probability"])


@dataclass(frozen=True)
class GradientTraining:
    """The amount and method of training, and the size of the test sample."""

    positions: int = 0
    """Positions used in training; 0: given by `epochs`."""
    epochs: float = 0.0
    """Positions used, as a multiple of the available ones."""
    test: int = 0
    """The size of a random sample of test positions; 0: all."""
    batch: int = 128
    optimiser: str = "sgd"
    schedule: str = ""
    """The schedule; empty: that of the network's paper, or of the optimiser."""
    clip: float = 0.0
    validation: int = 2000
    measurements: int = 20

    def steps(self, available: int) -> int:
        """Return the number of steps for this number of available positions."""
        return math.ceil((self.positions or self.epochs * available) / self.batch)

    def passes(self, available: int) -> float:
        """Return how often a position is used on average."""
        return self.steps(available) * self.batch / available

    def overfitting(self, text: str, gap: Interval, limit: float, available: int, evidence: str) -> Claim:
        """Return the claim that the gap between training and test split is below a limit.

        It is inconclusive if positions were used less than once on average, since such a training cannot overfit.
        """
        passes = self.passes(available)
        if passes < 1:
            evidence += f"; not decided, because the training saw only {100 * passes:.2g} % of the positions"
        return Claim(text, (-(gap - limit)).is_positive if passes >= 1 else None, evidence)

    def describe(self, available: int) -> str:
        """Return the training in one line."""
        seen = self.steps(available) * self.batch
        passes = self.passes(available)
        share = f"{100 * passes:.2g} % of those available" if passes < 1 else f"{passes:.3g} times those available"
        clip = f", gradients clipped at {self.clip:g}" if self.clip else ""
        schedule = f", {self.schedule}" if self.schedule else ""
        return f"{seen:,} positions seen, {share}; batches of {self.batch}, {self.optimiser}{schedule}{clip}"

    def describe_test(self, *, legal: bool) -> str:
        """Return the measurement in one line."""
        sample = f"{self.test:,} positions drawn at random from" if self.test else "all positions of"
        moves = "only legal moves are compared" if legal else "all points are compared"
        runs = "one run per network, so the intervals do not include the variation between runs"
        return f"{sample} the test split, the same for all networks; {moves}; 95 % intervals over games ({runs})"


TINY = GradientTraining(16, 0.0, 24, 8, validation=8, measurements=1)


def small_training(positions: int, test: int, **changes: int) -> GradientTraining:
    """Return training for a small machine.

    With the small initial weights of the papers, plain gradient descent needs some hundred thousand positions before
    the loss decreases; AdamW does not. It is used where there are fewer positions than in the papers.
    """
    batch = changes.pop("batch", 128)
    return GradientTraining(positions, 0.0, test, batch, "adamw", "cosine:rate=0.002", 1.0, **changes)


def imitation_run(
    study: Study, training: GradientTraining, net: str, role: str, sizes: tuple[int, ...], *, symmetries: bool
) -> ImitationJob:
    """Return the run of a network on the training split of a dataset; `symmetries`: random ones of the board."""
    dataset = study.datasets[role]
    copied = ("batch", "optimiser", "schedule", "clip", "validation", "measurements")
    return ImitationJob(
        ImitationSettings(
            data=(dataset.digest,),
            sizes=sizes,
            net=net,
            steps=training.steps(dataset.count("train", sizes)),
            symmetries=symmetries,
            seed=study.seed,
            **{name: getattr(training, name) for name in copied},
        )
    )


def prediction_job(
    study: Study,
    training: GradientTraining,
    run: ImitationJob | ShippedNetwork,
    role: str,
    sizes: tuple[int, ...],
    split: str = "test",
    *,
    legal: bool,
) -> PredictionJob:
    """Return the predictions of a trained network on a split of a dataset; the same positions for every network."""
    return PredictionJob(run, (study.datasets[role].digest,), training.test, split, sizes, legal, study.seed)


def learning_conditions(
    study: Study, training: GradientTraining, role: str, sizes: tuple[int, ...], *, symmetries: bool, legal: bool
) -> dict[str, str]:
    """Return the conditions of training and measurement on one dataset."""
    dataset = study.datasets[role]
    none, random = "no symmetries of the board, as in the paper", "a random symmetry of the board for each sample"
    return {
        "records": dataset.describe(sizes),
        "training": training.describe(dataset.count("train", sizes)),
        "samples": random if symmetries else none,
        "measured": training.describe_test(legal=legal),
    }


def weight_count(net: str) -> str:
    """Return the number of weights of a network, as text."""
    from nobi.networks.deep import make_deep

    return f"{make_deep(net).weight_count():,}"


def published_accuracy(percent: float, positions: int) -> Interval:
    """Return a paper's accuracy, with the interval that follows from the number of positions."""
    return 100 * share_interval(percent / 100 * positions, positions)


def prediction_rows(
    labels: dict[str, str],
    metrics: "PredictionMetrics",
    paper: Sequence[float | None] = (None, None, None),
    sample: int = 0,
    *,
    differences: bool = False,
) -> list[Row]:
    """Return accuracy, rank and probability as in the tables of C14, or differences of them.

    Args:
        labels: the labels of the rows.
        metrics: our numbers.
        paper: the paper's numbers.
        sample: the number of positions of the paper's accuracy; 0: unknown.
        differences: whether these are differences.
    """
    unit, neutral = ("points", 0.0) if differences else ("%", None)
    accuracy = published_accuracy(paper[0], sample) if paper[0] is not None and sample else paper[0]
    return [
        Row(labels, f"accuracy, {unit}", 100 * metrics.accuracy, accuracy, neutral),
        Row(labels, "rank", metrics.rank, paper[1], neutral),
        Row(labels, f"probability, {unit}", 100 * metrics.probability, paper[2], neutral),
    ]
