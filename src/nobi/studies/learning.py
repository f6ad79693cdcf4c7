"""The pieces of work that torch does: networks trained on experts' moves, and how well they predict them.

A piece names its datasets by the digests of their games, so it is found again wherever they lie. It is a pure function
of its settings on the same machine with as many threads; on another, sums may be taken in another order, and the last
bits, and with them in time all weights, may differ.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nobi.cores import usable_threads
from nobi.errors import NobiError
from nobi.imitate.settings import ImitationSettings
from nobi.studies.pieces import Arrays, Piece

if TYPE_CHECKING:
    from nobi.imitate.metrics import Prediction as Predicted
    from nobi.imitate.verdicts import Verdicts
    from nobi.studies.workshop import Workshop

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
class Imitation(Piece):
    """A network trained on records: the measured curve, [measurement] for every name in CURVE, NaN where unmeasured.

    The trained network lies in a file, `model(workshop)`.
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

    def make(self, workshop: "Workshop", progress: Callable[[float], None]) -> Arrays:
        """Trains, or goes on training."""
        from nobi.imitate.run import ImitationRun
        from nobi.imitate.team import join_team, use_threads

        use_threads(workshop.threads, usable_threads())
        paths = [str(workshop.dataset(digest)) for digest in self.settings.data]
        with join_team() as team:
            run = ImitationRun(workshop.run_folder(self.name), self.settings, resume=True, team=team, paths=paths)
            run.train(lambda run: progress(run.step_number / run.total))
        return {name: np.array([line.get(name, np.nan) for line in run.lines], np.float64) for name in CURVE}

    def model(self, workshop: "Workshop") -> Path:
        """The file of the trained network; the piece must be made already."""
        path = workshop.run_folder(self.name) / "model.safetensors"
        if not path.is_file():
            raise NobiError(
                f"The network {str(path)!r} is gone; delete {str(workshop.path(self))!r} to have it trained again."
            )
        return path

    def lines(self, workshop: "Workshop") -> list[dict[str, Any]]:
        """The curve as `nobi imitate` writes it, a line a measurement."""
        arrays = workshop.arrays(self)
        return [
            {name: float(arrays[name][i]) for name in CURVE if not np.isnan(arrays[name][i])}
            for i in range(len(arrays["step"]))
        ]

    def filters(self, workshop: "Workshop") -> NDArray[np.float32] | None:
        """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
        from nobi.imitate.evaluation import first_filters
        from nobi.networks.deep.store import load_deep

        return first_filters(load_deep(self.model(workshop)).network)

    def plane_names(self) -> list[str]:
        """The names of its inputs."""
        from nobi.figures.prediction import plane_names
        from nobi.networks.deep import make_deep

        network = make_deep(self.settings.net)
        return plane_names(network.planes, network.settings)

    def weight_count(self) -> int:
        """How many numbers are trained."""
        from nobi.networks.deep import make_deep

        return make_deep(self.settings.net).weight_count()


@dataclass(frozen=True)
class Prediction(Piece):
    """What a trained network thinks of experts' moves: the columns of `Verdicts`, [position] each.

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

    def make(self, workshop: "Workshop", progress: Callable[[float], None]) -> Arrays:
        """Shows it the positions."""
        from nobi.imitate.evaluation import open_evaluation
        from nobi.imitate.team import choose_device, use_threads

        use_threads(workshop.threads, usable_threads())
        paths = [str(workshop.dataset(digest)) for digest in self.data]
        work = open_evaluation(self.run.model(workshop), paths, self.split, self.sizes, self.positions, self.seed)
        found = work.verdicts(
            choose_device("auto"), legal=self.legal, progress=lambda done: progress(done / work.count)
        )
        return {name: getattr(found, name).astype(kind) for name, kind in VERDICT_TYPES.items()}

    def verdicts(self, workshop: "Workshop") -> "Verdicts":
        """What was found, ready for `nobi.imitate.metrics`."""
        from nobi.imitate.verdicts import Verdicts

        arrays = workshop.arrays(self)
        log_probability = arrays["log_probability"]
        whole = {name: arrays[name].astype(np.int64) for name in VERDICT_TYPES if name != "log_probability"}
        return Verdicts(**whole, log_probability=log_probability)

    def predicted(self, workshop: "Workshop") -> "Predicted":
        """How well it predicts, in all and in parts, with intervals over games."""
        from nobi.imitate.metrics import prediction_of

        return prediction_of(self.verdicts(workshop))


@lru_cache
def multiplications(net: str, size: int) -> float:
    """How many multiplications a network needs for a position on a board of this size, roughly."""
    from nobi.networks.deep import make_deep
    from nobi.networks.deep.layers import BoardDense, Filters

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
