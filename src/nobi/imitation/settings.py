"""What a run of imitation depends on."""

import math
from dataclasses import dataclass

from nobi.errors import NobiError


@dataclass(frozen=True)
class ImitationSettings:
    """What a run depends on, all of it; the flags of `nobi imitate` among them."""

    data: tuple[str, ...] = ()
    """The datasets to learn from."""
    weights: tuple[float, ...] = ()
    """How much a position of each dataset counts; 1 each unless given."""
    sizes: tuple[int, ...] = ()
    """The board sizes to take, all unless given; a batch has one size, drawn in proportion."""
    net: str = "c14-small"
    """The network, with its settings."""
    start: str = ""
    """A model file whose weights to begin with, in place of fresh ones."""
    epochs: float = 10.0
    """How often to see as many positions as there are; may be a fraction."""
    steps: int = 0
    """The length of the run in steps, in place of epochs."""
    batch: int = 128
    """Positions of a step, over all processes."""
    optimiser: str = "sgd"
    """sgd (as in the papers), nesterov, adamw or muon; as in 'adamw:decay=0.05'."""
    schedule: str = ""
    """The rates: c14, m15, 'pieces:rates=0.1/0.01,lengths=3/1', 'constant:rate=0.05', 'cosine:rate=0.1,warmup=0.02' or
    'wsd:rate=0.01,warmup=0.01,decay=0.2' (warm-up, stable, decay).

    Unless given, that of the network's paper, or a cosine for nesterov, adamw and muon.
    """
    answer_weight: float = 0.15
    """The weight of the loss of the opponent's next move, for networks that predict it."""
    value_weight: float = 0.1
    """The weight of the loss of the game's result, for networks that predict it."""
    frozen: float = 0.0
    """The last share of the run in which batch normalisation keeps its statistics constant."""
    convolution: str = "auto"
    """winograd (our own, on processors) or torch; auto takes winograd where the network has it."""
    clip: float = 0.0
    """The longest gradient, a longer one being shortened; 0 for no limit."""
    symmetries: bool = True
    """Turn each sample by one of the 8 symmetries of the board at random."""
    validation: int = 1000
    """Positions of the validation part to measure, always the same; 0 for none."""
    measurements: int = 20
    """How often to measure, and write a line of metrics, in the course of the run."""
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
        for name in ("clip", "answer_weight", "value_weight"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise NobiError(f"{name} must be 0 or more, not {getattr(self, name):g}.")
        if not 0 <= self.frozen <= 1:
            raise NobiError(f"frozen must be a share from 0 to 1, not {self.frozen:g}.")
        if self.convolution not in ("auto", "winograd", "torch"):
            raise NobiError(f"convolution must be auto, winograd or torch, not {self.convolution!r}.")
