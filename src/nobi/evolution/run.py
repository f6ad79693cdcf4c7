"""Evolution in a folder: training that can be interrupted and resumed at any time.

The folder contains

    config.json              the settings; resuming requires the same
    checkpoint.safetensors   the results of every generation so far, and the champions' weights
    metrics.jsonl            one line per generation
    champion.safetensors     the champion of the latest generation as a model; subclasses may add others

A run is a pure function of its settings. The checkpoint is written atomically about once a second; generations after it
are played again, with identical results. The state of the trainer is restored by replaying its results
(`nobi.trainers.base.replay`).
"""

import dataclasses
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.evolution.fitness import MEASURES, Fitness
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.frames import frame_of
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.nn.network import Network, Weights
from nobi.spec import choices, parse_spec, settings_from
from nobi.storage import atomic_write, config_of, holds_run, read_tensors, save_tensors, write_config
from nobi.trainers import make_trainer
from nobi.trainers.base import Learner, Population, fingerprint, replay
from nobi.workers import Executor

if TYPE_CHECKING:
    import pandas

SAVE_SECONDS = 1.0


@dataclass(frozen=True)
class Generation:
    """The record of one generation."""

    results: NDArray[np.float64]
    """The argument of `Learner.tell`; the length of its last axis may differ between generations."""
    champion: Weights
    fingerprint: str
    """A hash of the candidates."""
    line: dict[str, Any]
    """The generation's line of metrics.jsonl."""


class TrainingRun(ABC):
    """Training in a folder."""

    format: ClassVar[str]
    """The format of the checkpoint."""

    def __init__(
        self,
        folder: Path,
        settings: EvolutionSettings | CoevolutionSettings,
        learner: Learner,
        network: Network,
        size: int,
    ) -> None:
        """`size` is the board size stored in the champions' model files. Subclasses call `open` next."""
        self.folder = folder
        self.settings = settings
        self.learner = learner
        self.network = network
        self.size = size
        self.done: list[Generation] = []
        """[generation] The records; each is appended as one object, so that Ctrl-C leaves no incomplete generation."""

    @abstractmethod
    def play(self, candidates: Any) -> NDArray[np.float64]:
        """Play the games of this generation; return the results of the candidates."""

    @abstractmethod
    def describe(self, candidates: Any, results: NDArray[np.float64]) -> tuple[Weights, dict[str, Any]]:
        """Return the champion of the latest generation, and the line of metrics without the generation number."""

    def models(self) -> dict[str, Weights]:
        """Return the models to save, by file name."""
        return {"champion": self.done[-1].champion}

    def extra_tensors(self) -> dict[str, NDArray[Any]]:
        """Return additional tensors of the checkpoint, which a replay alone cannot restore."""
        return {}

    def restore_extra(self, tensors: dict[str, NDArray[Any]]) -> None:  # noqa: B027
        """Restore the additional tensors, before the replay."""

    @property
    def generation(self) -> int:
        """The number of finished generations."""
        return len(self.done)

    def step(self) -> None:
        """Train for one generation."""
        candidates = self.learner.ask()
        results = self.play(candidates)
        self.learner.tell(results)
        self._append(candidates, results)

    def train(self, progress: Callable[[Self], None] = lambda _: None) -> None:
        """Train to the last generation; save about once a second, and after Ctrl-C."""
        saved = time.monotonic()
        try:
            while self.generation < self.settings.generations:
                self.step()
                progress(self)
                if time.monotonic() - saved > SAVE_SECONDS:
                    self.save()
                    saved = time.monotonic()
        finally:
            self.save()

    def metrics(self) -> list[dict[str, Any]]:
        """Return one line per generation."""
        return [one.line for one in self.done]

    def to_frame(self) -> "pandas.DataFrame":
        """Return a row per generation: the lines of `metrics`."""
        return frame_of(self.metrics())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.network}: {self.generation} generations>"

    def champion(self) -> Model:
        """Return the champion of the latest generation."""
        return self._model(self.done[-1].champion)

    def save(self) -> None:
        """Write the checkpoint, the metrics and the champions."""
        if not self.done:
            return
        tensors: dict[str, NDArray[Any]] = {
            "told": _stack([one.results for one in self.done]),
            "champions": np.stack([one.champion for one in self.done]),
            **self.extra_tensors(),
        }
        header = {"format": self.format, "fingerprint": self.done[-1].fingerprint}
        save_tensors(self.folder / "checkpoint.safetensors", tensors, header)
        lines = "".join(json.dumps(line) + "\n" for line in self.metrics())
        atomic_write(self.folder / "metrics.jsonl", lines.encode())
        for name, weights in self.models().items():
            save_model(self.folder / f"{name}.safetensors", self._model(weights))

    def open(self, *, resume: bool) -> None:
        """Create the folder, or resume the run in it."""
        config = config_of(self.settings)
        if holds_run(self.folder, config, resume=resume, may_change=("generations",)):
            self._restore()
        write_config(self.folder, config)

    def _restore(self) -> None:
        path = self.folder / "checkpoint.safetensors"
        if not path.exists():
            return
        tensors, header = read_tensors(path)
        if header.get("format") != self.format:
            raise NobiError(f"{str(path)!r} is not a checkpoint of this version.")
        try:
            told, last = tensors["told"], header["fingerprint"]
            if told.ndim < 2:
                raise ValueError("it has no generations")
            self.restore_extra(tensors)
            replay(self.learner, (_unpad(row) for row in told), last, self._append)
        except (KeyError, ValueError, IndexError) as error:
            raise NobiError(f"{str(path)!r} is damaged: {error}.") from None

    def _append(self, candidates: Any, results: NDArray[np.float64]) -> None:
        champion, line = self.describe(candidates, results)
        line = {"generation": self.generation, **line}
        self.done.append(Generation(results, champion, fingerprint(candidates), line))

    def _model(self, weights: Weights) -> Model:
        provenance = {"training": dataclasses.asdict(self.settings), "generation": self.generation}
        return Model(self.network, weights, self.size, provenance)


def _stack(arrays: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Stack arrays that differ only in the length of the last axis, padded with NaN."""
    longest = max(array.shape[-1] for array in arrays)
    filled = np.full((len(arrays), *arrays[0].shape[:-1], longest), np.nan)
    for row, array in zip(filled, arrays, strict=True):
        row[..., : array.shape[-1]] = array
    return filled


def _unpad(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one of the stacked arrays without its padding."""
    return array[..., ~np.isnan(array.reshape(-1, array.shape[-1])).any(axis=0)]


NEAR = 0.005
"""The distance at which e is set to its end; multiplication alone would never reach 0."""


@dataclass(frozen=True)
class CurriculumSettings:
    """The range of e, and when it decreases."""

    start: float = 0.5
    """e at the start: the share of the opponent's moves that are random."""
    end: float = 0.05
    """e at the end."""
    threshold: float = 0.0
    """e decreases after a generation whose mean fitness is at least this; 0 is an even score."""
    factor: float = 0.8
    """The factor by which e is multiplied."""

    def __post_init__(self) -> None:
        if not 0 <= self.end <= self.start <= 1:
            raise ValueError(f"end must be 0 to start, and start at most 1, not {self.end} and {self.start}")
        if not 0 < self.factor < 1:
            raise ValueError(f"factor must be between 0 and 1, not {self.factor}")


class Curriculum:
    """An opponent that makes fewer random moves as the networks improve, which S09 proposes as future work.

    It depends only on the results of the generations, so a replay restores it. It uses the mean fitness of a
    generation, not the best, because the best of many noisy values is biased.
    """

    def __init__(self, settings: CurriculumSettings | None = None) -> None:
        self.settings = CurriculumSettings() if settings is None else settings
        self.level = self.settings.start
        """e of the next generation."""

    def tell(self, fitness: NDArray[np.float64]) -> None:
        """Update `level` with the fitness of a generation, an array of any shape."""
        if np.mean(fitness) >= self.settings.threshold:
            next_level = self.level * self.settings.factor
            self.level = next_level if next_level > self.settings.end + NEAR else self.settings.end


class EvolutionRun(TrainingRun):
    """Evolution against fixed opponents.

    Each line of metrics has the mean and the best fitness and, with a curriculum, the opponent's e.
    """

    format = "nobi-run-1"

    def __init__(
        self,
        folder: Path,
        settings: EvolutionSettings,
        *,
        resume: bool,
        executor: Executor | None = None,
    ) -> None:
        """`executor` plays the games; by default threads of this process, one per core."""
        for measure in settings.measures:
            if measure not in MEASURES:
                raise NobiError(f"There is no measure {measure!r}; {choices(MEASURES, measure)}.")
        network, size = make_network(settings.net), settings.sizes[0]
        if not network.scalable and len(set(settings.sizes)) > 1:
            raise NobiError(f"The network {settings.net!r} plays on one size of board only; give one size.")
        self.trainer = make_trainer(settings.method, network.weight_count(size), settings.seed)
        if len(settings.measures) > 1 and not self.trainer.objectives_wanted:
            raise NobiError(f"The method {settings.method!r} takes one measure, not {len(settings.measures)}.")
        super().__init__(folder, settings, self.trainer, network, size)
        self._measures = settings.measures
        self.curriculum: Curriculum | None = None
        if settings.curriculum:
            spec = f"curriculum:{settings.curriculum}"
            self.curriculum = Curriculum(settings_from(CurriculumSettings, parse_spec(spec)[1], spec))
        opponents = (f"heuristic:e={self.curriculum.level}",) if self.curriculum else settings.opponents
        self.fitness = Fitness(
            settings.game, settings.sizes, network, opponents, settings.games, settings.seed, executor
        )
        self.open(resume=resume)

    def play(self, candidates: Population) -> NDArray[np.float64]:
        opponent = f"heuristic:e={self.curriculum.level!r}" if self.curriculum else None
        if self.trainer.objectives_wanted:
            return self.fitness.objectives(candidates, self.generation, self._measures, opponent)
        return self.fitness.measure(candidates, self.generation, self._measures[0], opponent)

    def describe(self, candidates: Population, results: NDArray[np.float64]) -> tuple[Weights, dict[str, Any]]:
        fitness = results.mean(axis=1) if results.ndim == 2 else results  # the mean of several objectives
        line = {"mean": float(fitness.mean()), "best": float(fitness.max())}
        if self.curriculum:
            line["e"] = self.curriculum.level
            self.curriculum.tell(results)
        return candidates[self.trainer.champion], line
