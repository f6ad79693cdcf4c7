"""A run: training in a folder that can be left and taken up again at any moment.

The folder holds

    config.json              the settings; `nobi evolve --resume` checks that they are the same
    checkpoint.safetensors   the fitness of every generation so far, and the champions' weights
    metrics.jsonl            a line a generation: mean and best fitness, the champion, the opponent's e
    champion.safetensors     the champion of the latest generation as a model that plays
    curve.png, curve.svg     the learning curve

Everything but the figure's date is a pure function of the settings. The checkpoint is written about once a second,
whole or not at all; what was played since is played again, to the same bits. The trainer is brought back by replaying
what it was told (`nobi.evolve.base.replay`).
"""

import dataclasses
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

import nobi
from nobi.errors import NobiError
from nobi.evolve import make_trainer
from nobi.evolve.base import fingerprint, replay
from nobi.evolve.curriculum import Curriculum, CurriculumSettings
from nobi.evolve.fitness import MEASURES, Fitness
from nobi.files import ready_folder, write_whole
from nobi.networks import make_network
from nobi.networks.model import Model, save_model
from nobi.words import choices, settings_from

FORMAT = "nobi-run-1"
SAVE_SECONDS = 1.0


@dataclass(frozen=True)
class EvolutionSettings:
    """What a run depends on, all of it."""

    game: str = "atari-go"
    """The game, with its settings: `atari-go`, `gomoku`, `pente`, `go:komi=5.5` …"""
    sizes: tuple[int, ...] = (7,)
    """The boards to train on."""
    net: str = "mdlstm"
    """The network, with its settings: `mdlstm:hidden=3`, `mdrnn:hidden=10`, `conv:features=3,width=5`, `mlp` …"""
    method: str = "cmaes"
    """The trainer, with its settings: `cmaes`, `es:parents=10,offspring=10`, `guess`, `nsga2` …"""
    opponents: tuple[str, ...] = ("naive",)
    """The players to train against."""
    generations: int = 200
    """How many generations."""
    games: int = 100
    """Games a candidate plays in a generation on every board against every opponent."""
    measures: tuple[str, ...] = ("points",)
    """What counts: points (mean outcome), score (S08's), black, white, length; several if the method takes them."""
    curriculum: str = ""
    """Train against the heuristic player with a falling share of random moves: `start=0.5,end=0.05,factor=0.8`."""
    seed: int = 0
    """Chooses everything that is random."""

    def check(self) -> None:
        """Refuses what makes no run."""
        if self.generations < 1:
            raise NobiError(f"generations must be 1 or more, not {self.generations}.")
        if self.games < 2 or self.games % 2:
            raise NobiError(f"games must be an even number, half for each colour, not {self.games}.")
        for name in ("sizes", "opponents", "measures"):
            if not getattr(self, name):
                raise NobiError(f"{name} must name at least one.")
        for measure in self.measures:
            if measure not in MEASURES:
                raise NobiError(f"There is no measure {measure!r}; {choices(MEASURES)}.")


class Run:
    """A run of evolution, in memory and in its folder."""

    def __init__(self, folder: Path, settings: EvolutionSettings, *, resume: bool, threads: int = 0) -> None:
        settings.check()
        self.folder = folder
        self.settings = settings
        self.network = make_network(settings.net)
        size = settings.sizes[0]
        if not self.network.scalable and len(set(settings.sizes)) > 1:
            raise NobiError(f"The network {settings.net!r} plays on one size of board only; give one size.")
        self.trainer = make_trainer(settings.method, self.network.weight_count(size), settings.seed)
        if len(settings.measures) > 1 and not self.trainer.objectives_wanted:
            raise NobiError(f"The method {settings.method!r} takes one measure, not {len(settings.measures)}.")
        given = dict(part.split("=", 1) for part in settings.curriculum.split(",")) if settings.curriculum else None
        self.curriculum = (
            None if given is None else Curriculum(settings_from(CurriculumSettings, given, settings.curriculum))
        )
        opponents = (f"heuristic:e={self.curriculum.level}",) if self.curriculum else settings.opponents
        self.fitness = Fitness(
            settings.game, settings.sizes, self.network, opponents, settings.games, settings.seed, threads
        )
        self.told: list[NDArray[np.float64]] = []
        self.champions: list[NDArray[np.float32]] = []
        self.levels: list[float] = []
        self._fingerprint = ""
        ready_folder(folder)
        self._open(resume)

    @property
    def generation(self) -> int:
        """How many generations are done."""
        return len(self.told)

    def step(self) -> None:
        """One generation."""
        candidates = self.trainer.ask()
        opponent = f"heuristic:e={self.curriculum.level!r}" if self.curriculum else None
        if self.trainer.objectives_wanted:
            told = self.fitness.objectives(candidates, self.generation, self.settings.measures, opponent)
        else:
            told = self.fitness.measure(candidates, self.generation, self.settings.measures[0], opponent)
        self.trainer.tell(told)
        self._note(candidates, told)

    def train(self, progress: Callable[["Run"], None] = lambda _: None) -> None:
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
        return [self.metrics_of(generation) for generation in range(self.generation)]

    def metrics_of(self, generation: int) -> dict[str, Any]:
        """The line of one generation; of several objectives their mean counts."""
        told = self.told[generation]
        fitness = told.mean(axis=1) if told.ndim == 2 else told
        line = {"generation": generation, "mean": float(fitness.mean()), "best": float(fitness.max())}
        return {**line, "e": self.levels[generation]} if self.curriculum else line

    def champion(self) -> Model:
        """The champion of the latest generation."""
        provenance = {"training": dataclasses.asdict(self.settings), "generation": self.generation}
        return Model(self.network, self.champions[-1], self.settings.sizes[0], provenance)

    def save(self) -> None:
        """Writes checkpoint, metrics and champion."""
        if not self.told:
            return
        tensors: dict[str, NDArray[Any]] = {"told": np.stack(self.told), "champions": np.stack(self.champions)}
        header = {"format": FORMAT, "fingerprint": self._fingerprint}
        write_whole(self.folder / "checkpoint.safetensors", save(tensors, header))
        lines = "".join(json.dumps(line) + "\n" for line in self.metrics())
        write_whole(self.folder / "metrics.jsonl", lines.encode())
        save_model(self.folder / "champion.safetensors", self.champion())

    def _note(self, candidates: NDArray[np.float32], told: NDArray[np.float64]) -> None:
        self.told.append(told)
        self.champions.append(candidates[self.trainer.champion])
        self._fingerprint = fingerprint(candidates)
        if self.curriculum:
            self.levels.append(self.curriculum.level)
            self.curriculum.tell(told)

    def _open(self, resume: bool) -> None:
        config = json.dumps({"nobi": nobi.__version__, **dataclasses.asdict(self.settings)}, indent=2) + "\n"
        path = self.folder / "config.json"
        if not path.exists():
            write_whole(path, config.encode())
            return
        if not resume:
            raise NobiError(f"The folder {str(self.folder)!r} holds a run already; add --resume or choose another.")
        before, now = json.loads(path.read_text()), json.loads(config)
        different = [key for key in now if before.get(key) != now[key] and key not in ("generations", "nobi")]
        if different:
            raise NobiError(f"The run in {str(self.folder)!r} has another {different[0]}; resume it with the same.")
        write_whole(path, config.encode())
        self._restore()

    def _restore(self) -> None:
        path = self.folder / "checkpoint.safetensors"
        if not path.exists():
            return
        try:
            with safe_open(path, "numpy") as file:
                header, told = file.metadata() or {}, file.get_tensor("told")
        except (SafetensorError, OSError) as fault:
            raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
        if header.get("format") != FORMAT:
            raise NobiError(f"{str(path)!r} is not a checkpoint of this version.")
        replay(self.trainer, told, header["fingerprint"], self._note)
