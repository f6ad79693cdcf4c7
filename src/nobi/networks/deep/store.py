"""Deep networks in files."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from nobi.errors import NobiError
from nobi.networks.deep import make_deep
from nobi.networks.deep.base import DeepNetwork
from nobi.networks.deep.playing import check_shapes
from nobi.networks.model import model_in
from nobi.networks.modelfile import COMPILED, DEEP, ModelFile, read_model_file, write_model_file
from nobi.networks.swiping import SwipingNetwork


@dataclass(frozen=True)
class DeepModel:
    """A deep network with its weights, and where they come from."""

    network: DeepNetwork
    size: int
    """The size of board it was made for; it may serve others."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """How it came about: training settings, seed, version of the package; anything that JSON can hold."""


def save_deep(path: Path, model: DeepModel) -> None:
    """Writes a deep model to a file: the same bytes for the same model."""
    tensors = {name: tensor.detach().cpu().numpy() for name, tensor in sorted(model.network.state_dict().items())}
    write_model_file(path, DEEP, str(model.network), model.size, tensors, model.provenance)


def load_deep(path: Path) -> DeepModel:
    """Reads a deep model, or a compiled swiping network as its torch twin; faults are told in one sentence."""
    return deep_model_in(read_model_file(path))


def deep_model_in(file: ModelFile) -> DeepModel:
    """The deep model that a file holds."""
    if file.format == COMPILED:
        return _twin_in(file)
    try:
        network = make_deep(file.network)
        network.check_serves(file.size)
    except NobiError as fault:
        raise file.unusable(fault) from None
    check_shapes(file, {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()})
    network.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in file.tensors.items()})
    return DeepModel(network, file.size, file.provenance)


def _twin_in(file: ModelFile) -> DeepModel:
    from nobi.networks.deep.swiping import twin_of

    model = model_in(file)
    if not isinstance(model.network, SwipingNetwork):
        raise file.unusable(f"there is no deep network like {model.network}.")
    return DeepModel(twin_of(model.network, model.weights), model.size, model.provenance)
