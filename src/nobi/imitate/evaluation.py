"""The measurement of a model on a part of some datasets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from nobi.imitate.batches import Reader
from nobi.imitate.metrics import Prediction, prediction_of
from nobi.imitate.sampling import fixed_sample
from nobi.imitate.sources import Sources, open_sources
from nobi.imitate.verdicts import Verdicts, give_verdicts
from nobi.networks.deep.base import DeepNetwork
from nobi.networks.deep.layers import Filters
from nobi.networks.deep.store import DeepModel, load_deep


@dataclass(frozen=True)
class Evaluation:
    """A model, and the positions to measure it on."""

    model: DeepModel
    sources: Sources
    numbers: list[NDArray[np.int64]]
    """For each source, which of its positions."""

    @property
    def count(self) -> int:
        """How many positions."""
        return sum(map(len, self.numbers))

    def verdicts(
        self, device: torch.device, *, legal: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> Verdicts:
        """The verdicts on all positions; only legal moves count if `legal`, or if the network was trained so."""
        network = self.model.network.for_play().to(device)
        return give_verdicts(
            network,
            self.sources.positions,
            self.numbers,
            Reader(self.sources.positions, network.planes, device),
            device,
            legal_only=legal or network.masked,
            progress=progress,
        )

    def measure(
        self, device: torch.device, *, legal: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> Prediction:
        """How well the model predicts."""
        return prediction_of(self.verdicts(device, legal=legal, progress=progress))

    def filters(self) -> NDArray[np.float32] | None:
        """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
        return first_filters(self.model.network)


def first_filters(network: DeepNetwork) -> NDArray[np.float32] | None:
    """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
    for part in network.modules():
        if isinstance(part, Filters):
            return np.asarray(part().detach().cpu().numpy(), np.float32)
    return None


def open_evaluation(
    model: Path, data: Sequence[str], split: str, sizes: Sequence[int] = (), positions: int = 0, seed: int = 0
) -> Evaluation:
    """Readies the measurement of a model file on a part of datasets; a random sample of `positions`, 0 for all."""
    loaded = load_deep(model)
    sources = open_sources(data, split, sizes, loaded.network)
    return Evaluation(loaded, sources, fixed_sample(sources.counts, positions, seed))
