"""Evolution against fixed opponents, in a folder that can be left and taken up again (`nobi.evolve.folder`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.evolve import make_trainer
from nobi.evolve.base import Weights
from nobi.evolve.curriculum import Curriculum, CurriculumSettings
from nobi.evolve.fitness import MEASURES, Fitness
from nobi.evolve.folder import FolderRun
from nobi.networks import make_network
from nobi.words import choices, settings_from, split_word


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


class Run(FolderRun):
    """A run of evolution, in memory and in its folder.

    A line of its metrics has the mean and the best fitness and, with a curriculum, the opponent's e.
    """

    format = "nobi-run-1"

    def __init__(self, folder: Path, settings: EvolutionSettings, *, resume: bool, threads: int = 0) -> None:
        settings.check()
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
            word = f"curriculum:{settings.curriculum}"
            self.curriculum = Curriculum(settings_from(CurriculumSettings, split_word(word)[1], word))
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
