"""A curriculum: an opponent that errs less as the networks get better, which S09 proposes as future work.

MERGED evolve/folder.py: A run in a folder: training that can be left and taken up again at any moment.

The folder holds

    config.json              the settings; to resume checks that they are the same
    checkpoint.safetensors   what the trainer was told in every generation so far, and the champions' weights
    metrics.jsonl            a line a generation
    champion.safetensors     the champion of the latest generation as a model that plays; others may stand beside it

Everything is a pure function of the settings. The checkpoint is written about once a second, whole or not at all; what
was played since is played again, to the same bits. The trainer is brought back by replaying what it was told
(`nobi.trainers.base.replay`).

MERGED evolve/run.py: Evolution against fixed opponents, in a folder that can be left and taken up again (`nobi.evolution.run`).
"""

import dataclasses
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nobi.errors import NobiError
from nobi.evolution.fitness import MEASURES, Fitness
from nobi.evolution.settings import EvolutionSettings
from nobi.models.model import Model, save_model
from nobi.networks import make_network
from nobi.nn.network import Network, Weights
from nobi.spec import choices, parse_spec, settings_from
from nobi.storage import atomic_write, config_of, holds_run, save_tensors, write_config
from nobi.trainers import make_trainer
from nobi.trainers.base import Learner, fingerprint, replay

NEAR = 0.005
"""A step that would leave e so near its end takes it there; multiplying alone would never reach 0."""


@dataclass(frozen=True)
class CurriculumSettings:
    """From where to where the opponent goes, and when it takes a step."""

    start: float = 0.5
    """e at first: the share of the opponent's moves that are random."""
    end: float = 0.05
    """e at last."""
    threshold: float = 0.0
    """The mean fitness of a generation from which on the next meets a harder opponent; 0 is an even score."""
    factor: float = 0.8
    """What e is multiplied by in a step."""

    def __post_init__(self) -> None:
        if not 0 <= self.end <= self.start <= 1:
            raise ValueError(f"end must be 0 to start, and start at most 1, not {self.end} and {self.start}")
        if not 0 < self.factor < 1:
            raise ValueError(f"factor must be between 0 and 1, not {self.factor}")


class Curriculum:
    """The schedule of e. It is told what the trainer is told, and depends on nothing else, so it replays alike.

    The mean of a generation decides, not its best: of many noisy values the best is mostly the luckiest.
    """

    def __init__(self, settings: CurriculumSettings | None = None) -> None:
        self.settings = CurriculumSettings() if settings is None else settings
        self.level = self.settings.start
        """The e of the generation to come."""

    def tell(self, fitness: NDArray[np.float64]) -> None:
        """Takes the fitness of a generation, of any shape, measured at `level`."""
        if np.mean(fitness) >= self.settings.threshold:
            next_level = self.level * self.settings.factor
            self.level = next_level if next_level > self.settings.end + NEAR else self.settings.end


SAVE_SECONDS = 1.0


class RunSettings(Protocol):
    """What a run depends on, all of it: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def generations(self) -> int:
        """How many generations; the only setting that may change when a run is resumed."""


@dataclass(frozen=True)
class Generation:
    """What is kept of a generation."""

    told: NDArray[np.float64]
    """What the trainer was told; its last axis may differ in length from that of other generations."""
    champion: Weights
    fingerprint: str
    """Of what the trainer had asked."""
    line: dict[str, Any]
    """Its line of metrics.jsonl."""


class TrainingRun(ABC):
    """Training in memory and in its folder."""

    format: ClassVar[str]
    """Says what the checkpoint is."""

    def __init__(self, folder: Path, settings: RunSettings, learner: Learner, network: Network, size: int) -> None:
        """`size` is the board that the champions are said to be made for. `open` is to be called next."""
        self.folder = folder
        self.settings = settings
        self.learner = learner
        self.network = network
        self.size = size
        self.done: list[Generation] = []
        """[generation]; what is appended as one thing is never half there when Ctrl-C is pressed."""

    @abstractmethod
    def play(self, asked: Any) -> NDArray[np.float64]:
        """Plays the games of this generation: what the trainer is to be told of what it asked."""

    @abstractmethod
    def describe(self, asked: Any, told: NDArray[np.float64]) -> tuple[Weights, dict[str, Any]]:
        """The champion of the generation that has just been told, and its line of metrics, without the number."""

    def models(self) -> dict[str, Weights]:
        """The models to save, by the names of their files."""
        return {"champion": self.done[-1].champion}

    def more_tensors(self) -> dict[str, NDArray[Any]]:
        """What the checkpoint is to hold besides: what a replay alone cannot bring back."""
        return {}

    def take_tensors(self, tensors: dict[str, NDArray[Any]]) -> None:  # noqa: B027
        """Takes this back, before the replay."""

    @property
    def generation(self) -> int:
        """How many generations are done."""
        return len(self.done)

    def step(self) -> None:
        """One generation."""
        asked = self.learner.ask()
        told = self.play(asked)
        self.learner.tell(told)
        self._note(asked, told)

    def train(self, progress: Callable[[Self], None] = lambda _: None) -> None:
        """Trains to the last generation, saving about once a second; after Ctrl-C what is done is saved."""
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
        """A line for every generation."""
        return [one.line for one in self.done]

    def champion(self) -> Model:
        """The champion of the latest generation."""
        return self._model(self.done[-1].champion)

    def save(self) -> None:
        """Writes checkpoint, metrics and champions."""
        if not self.done:
            return
        tensors: dict[str, NDArray[Any]] = {
            "told": _stack([one.told for one in self.done]),
            "champions": np.stack([one.champion for one in self.done]),
            **self.more_tensors(),
        }
        header = {"format": self.format, "fingerprint": self.done[-1].fingerprint}
        save_tensors(self.folder / "checkpoint.safetensors", tensors, header)
        lines = "".join(json.dumps(line) + "\n" for line in self.metrics())
        atomic_write(self.folder / "metrics.jsonl", lines.encode())
        for name, weights in self.models().items():
            save_model(self.folder / f"{name}.safetensors", self._model(weights))

    def open(self, *, resume: bool) -> None:
        """Makes the folder ready, or goes on with the run that it holds."""
        config = config_of(self.settings)
        if holds_run(self.folder, config, resume=resume, may_change=("generations",)):
            self._restore()
        write_config(self.folder, config)

    def _restore(self) -> None:
        path = self.folder / "checkpoint.safetensors"
        if not path.exists():
            return
        try:
            with safe_open(path, "numpy") as file:
                header = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as fault:
            raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
        if header.get("format") != self.format:
            raise NobiError(f"{str(path)!r} is not a checkpoint of this version.")
        try:
            told, last = tensors["told"], header["fingerprint"]
            if told.ndim < 2:
                raise ValueError("it tells of no generations")
            self.take_tensors(tensors)
            replay(self.learner, (_cut(row) for row in told), last, self._note)
        except (KeyError, ValueError, IndexError) as fault:
            raise NobiError(f"{str(path)!r} is damaged: {fault}.") from None

    def _note(self, asked: Any, told: NDArray[np.float64]) -> None:
        champion, line = self.describe(asked, told)
        self.done.append(Generation(told, champion, fingerprint(asked), {"generation": self.generation, **line}))

    def _model(self, weights: Weights) -> Model:
        provenance = {"training": dataclasses.asdict(self.settings), "generation": self.generation}
        return Model(self.network, weights, self.size, provenance)


def _stack(arrays: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Arrays that differ in the length of the last axis only as one; what is missing is filled with not-a-number."""
    longest = max(array.shape[-1] for array in arrays)
    filled = np.full((len(arrays), *arrays[0].shape[:-1], longest), np.nan)
    for row, array in zip(filled, arrays, strict=True):
        row[..., : array.shape[-1]] = array
    return filled


def _cut(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """One of the arrays that were stacked."""
    return array[..., ~np.isnan(array.reshape(-1, array.shape[-1])).any(axis=0)]


class Run(TrainingRun):
    """A run of evolution, in memory and in its folder.

    A line of its metrics has the mean and the best fitness and, with a curriculum, the opponent's e.
    """

    format = "nobi-run-1"

    def __init__(self, folder: Path, settings: EvolutionSettings, *, resume: bool, threads: int = 0) -> None:
        settings.check()
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
            settings.game, settings.sizes, network, opponents, settings.games, settings.seed, threads
        )
        self.open(resume=resume)

    def play(self, asked: Weights) -> NDArray[np.float64]:
        """[candidate] or [candidate, objective] the fitness."""
        opponent = f"heuristic:e={self.curriculum.level!r}" if self.curriculum else None
        if self.trainer.objectives_wanted:
            return self.fitness.objectives(asked, self.generation, self._measures, opponent)
        return self.fitness.measure(asked, self.generation, self._measures[0], opponent)

    def describe(self, asked: Weights, told: NDArray[np.float64]) -> tuple[Weights, dict[str, Any]]:
        """The champion, and mean and best fitness; of several objectives their mean counts."""
        fitness = told.mean(axis=1) if told.ndim == 2 else told
        line = {"mean": float(fitness.mean()), "best": float(fitness.max())}
        if self.curriculum:
            line["e"] = self.curriculum.level
            self.curriculum.tell(told)
        return asked[self.trainer.champion], line
