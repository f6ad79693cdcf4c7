"""Models: a network with its weights, and where they come from; saved as `.safetensors` (see `modelfile`)."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nobi.errors import NobiError
from nobi.networks import make_network
from nobi.networks.base import Network, Weights
from nobi.networks.modelfile import COMPILED, ModelFile, game_of, read_model_file, write_model_file


@dataclass(frozen=True)
class Model:
    """A network that can play."""

    network: Network
    weights: Weights
    size: int
    """The size of board it was made for; the only one it can play on unless the network is scalable."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """How it came about: training settings, seed, version of the package; anything that JSON can hold."""

    @property
    def game(self) -> str:
        """The game it was trained on, or Atari-Go if that is not known."""
        return game_of(self.provenance) or "atari-go"


def save_model(path: Path, model: Model) -> None:
    """Writes a model to a file."""
    write_model_file(path, COMPILED, str(model.network), model.size, {"weights": model.weights}, model.provenance)


def load_model(path: Path) -> Model:
    """Reads a model from a file; whatever is wrong with it is told in one sentence."""
    return model_in(read_model_file(path))


def model_in(file: ModelFile) -> Model:
    """The model that a file holds."""
    if file.format != COMPILED:
        raise file.unusable(f"{file.network} is a deep network; this takes one that was evolved.")
    if "weights" not in file.tensors:
        raise file.unusable("it has no weights.")
    try:
        network = make_network(file.network)
        network.split(file.tensors["weights"], file.size)
    except NobiError as fault:
        raise file.unusable(fault) from None
    return Model(network, file.tensors["weights"], file.size, file.provenance)
