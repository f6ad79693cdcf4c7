"""Evolution against fixed opponents, in a folder that can be left and taken up again (`nobi.evolve.folder`)."""

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
from nobi.evolve.settings import EvolutionSettings
from nobi.networks import make_network
from nobi.words import choices, settings_from, split_word


class Run(FolderRun):
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
