"""What a run of imitation depends on."""

import math
from dataclasses import dataclass

from nobi.errors import NobiError


@dataclass(frozen=True)
class ImitationSettings:
    """What a run depends on, all of it."""

    data: tuple[str, ...] = ()
    """The datasets to learn from."""
    weights: tuple[float, ...] = ()
    """How much a position of each dataset counts; 1 each unless given."""
    sizes: tuple[int, ...] = ()
    """The board sizes to take; all unless given."""
    net: str = "c14-small"
    """The network, with its settings."""
    start: str = ""
    """A model file whose weights to begin with, in place of fresh ones."""
    epochs: float = 10.0
    """How often the run sees as many positions as there are."""
    steps: int = 0
    """The length of the run in steps, in place of epochs."""
    batch: int = 128
    """Positions of a step, over all processes."""
    optimiser: str = "sgd"
    """`sgd`, `nesterov` or `adamw`, with their settings."""
    schedule: str = ""
    """`c14`, `m15`, `pieces`, `constant` or `cosine`, with their settings; chosen by network and optimiser if empty."""
    clip: float = 0.0
    """The longest gradient; a longer one is shortened. 0 for no limit."""
    symmetries: bool = True
    """Whether each sample is turned by one of the 8 symmetries of the board at random."""
    validation: int = 1000
    """Positions of the validation part that are measured, always the same; 0 for none."""
    measurements: int = 20
    """How often the run measures itself and writes a line of metrics."""
    seed: int = 0
    """Chooses everything that is random."""

    def check(self) -> None:
        """Refuses what makes no run."""
        if not self.data:
            raise NobiError("Name at least one dataset with --data; 'nobi data import' makes datasets.")
        if self.weights and len(self.weights) != len(self.data):
            raise NobiError(f"There are {len(self.data)} datasets but {len(self.weights)} weights; give one for each.")
        if not all(math.isfinite(weight) and weight > 0 for weight in self.weights):
            raise NobiError("The weights of datasets must be above 0.")
        if not (math.isfinite(self.epochs) and self.epochs > 0):
            raise NobiError(f"epochs must be above 0, not {self.epochs:g}.")
        for name, least in (("steps", 0), ("batch", 1), ("validation", 0), ("measurements", 1)):
            if getattr(self, name) < least:
                raise NobiError(f"{name} must be {least} or more, not {getattr(self, name)}.")
        if not (math.isfinite(self.clip) and self.clip >= 0):
            raise NobiError(f"clip must be 0 or more, not {self.clip:g}.")
