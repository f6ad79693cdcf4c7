"""The settings of `nobi imitate` and `nobi priors`; their fields are flags, and those of the first in config.json."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class ImitationSettings:
    """Everything that the result of a run depends on."""

    data: tuple[str, ...] = ()
    """Datasets to learn from, made by 'nobi data import'."""
    weights: tuple[float, ...] = ()
    """Weight of a position of each dataset; by default 1."""
    sizes: tuple[int, ...] = ()
    """The board sizes to use, by default all; a batch has one size, drawn in proportion to the number of positions."""
    net: str = "c14-small"
    """The network, with its settings: 'c14-small:size=9', c14-large, m15, 'nobi-net:width=32,blocks=4', mdlstm …"""
    start: str = ""
    """A model file or run folder with the initial weights; by default they are random. A nobi-net can start from one
    with fewer blocks."""
    epochs: float = 10.0
    """Length of the run in passes over the data; may be a fraction."""
    steps: int = 0
    """Length of the run in steps, instead of epochs."""
    batch: int = 128
    """Positions per step, over all processes."""
    optimiser: str = "sgd"
    """sgd (as in the papers), nesterov, adamw or muon; as in 'adamw:decay=0.05'."""
    schedule: str = ""
    """The learning rates: c14, m15, 'piecewise:rates=0.1/0.01,lengths=3/1', 'constant:rate=0.05',
    'cosine:rate=0.1,warmup=0.02' or 'wsd:rate=0.01,warmup=0.01,decay=0.2' (warm-up, stable, decay).

    By default that of the network's paper, or a cosine for nesterov, adamw and muon.
    """
    answer_weight: float = 0.15
    """Weight of the loss of the opponent's next move, for networks that predict it."""
    value_weight: float = 0.1
    """Weight of the loss of the game's result, for networks that predict it."""
    frozen: float = 0.0
    """Share of the run, at its end, in which the statistics of batch normalisation are constant."""
    convolution: str = "auto"
    """winograd (our own, on CPUs) or torch; auto: winograd if the network has it."""
    clip: float = 0.0
    """Maximum norm of the gradient, to which it is scaled down; 0: no limit."""
    symmetries: bool = True
    """Apply a random symmetry of the board to each sample; --no-symmetries: none, as in C14."""
    validation: int = 1000
    """Positions of the validation split to measure, always the same; 0: none."""
    measurements: int = 20
    """Number of measurements, each a line of metrics, over the whole run."""
    seed: int = 0
    """Seed of all random numbers."""

    def __post_init__(self) -> None:
        if self.weights and len(self.weights) != len(self.data):
            raise ValueError(f"give one weight for each dataset: {len(self.data)}, not {len(self.weights)}")
        if not all(math.isfinite(weight) and weight > 0 for weight in self.weights):
            raise ValueError("the weights of datasets must be above 0")
        if not (math.isfinite(self.epochs) and self.epochs > 0):
            raise ValueError(f"`epochs` must be above 0, not {self.epochs:g}")
        for name, least in (("steps", 0), ("batch", 1), ("validation", 0), ("measurements", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"`{name}` must be {least} or more, not {getattr(self, name)}")
        for name in ("clip", "answer_weight", "value_weight"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise ValueError(f"`{name}` must be 0 or more, not {getattr(self, name):g}")
        if not 0 <= self.frozen <= 1:
            raise ValueError(f"`frozen` must be a share from 0 to 1, not {self.frozen:g}")
        if self.convolution not in ("auto", "winograd", "torch"):
            raise ValueError(f"`convolution` must be auto, winograd or torch, not {self.convolution!r}")


@dataclass(frozen=True)
class PriorSettings:
    """How the move priors of the tree search are learnt."""

    positions: int = 20000
    """Positions of each set (boards up to 13x13, larger boards) that are learnt from."""
    test_positions: int = 4000
    """Positions of each set that the result is measured on."""
    sweeps: int = 12
    """Updates of all strengths."""
    shape_plays: int = 20
    """Minimum number of times that a shape was played, or would have been by chance, to have its own strength."""

    def __post_init__(self) -> None:
        for name in ("positions", "test_positions", "sweeps", "shape_plays"):
            if getattr(self, name) < 1:
                raise ValueError(f"`{name}` must be 1 or more, not {getattr(self, name)}")
