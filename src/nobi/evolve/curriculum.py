"""A curriculum: an opponent that errs less as the networks get better, which S09 proposes as future work."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
