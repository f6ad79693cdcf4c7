"""Models: a network with its weights, and where they come from; saved as `.safetensors`.

The header of the file holds the architecture and the provenance as text. Loading a model runs no code from it.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

import nobi
from nobi.errors import NobiError
from nobi.networks import make_network
from nobi.networks.base import Network, Weights
from nobi.tensors import save_tensors

FORMAT = "nobi-model-1"


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
        return self.provenance.get("training", {}).get("game") or "atari-go"


def save_model(path: Path, model: Model) -> None:
    """Writes a model to a file."""
    provenance = {"nobi": nobi.__version__, **model.provenance}
    header = {
        "format": FORMAT,
        "network": str(model.network),
        "size": str(model.size),
        "provenance": json.dumps(provenance, sort_keys=True),
    }
    save_tensors(path, {"weights": np.ascontiguousarray(model.weights, np.float32)}, header)


def load_model(path: Path) -> Model:
    """Reads a model from a file; whatever is wrong with it is told in one sentence."""
    if not path.is_file():
        raise NobiError(f"There is no model file {str(path)!r}.")
    try:
        with safe_open(path, "numpy") as file:
            header = file.metadata() or {}
            weights = file.get_tensor("weights") if "weights" in file.keys() else None  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as fault:
        raise NobiError(f"{str(path)!r} is not a whole .safetensors file: {fault}.") from None
    if header.get("format") != FORMAT or weights is None:
        raise NobiError(f"{str(path)!r} is not a model of nobi (its format is {header.get('format', 'unknown')!r}).")
    try:
        size = int(header["size"])
        provenance = json.loads(header["provenance"])
        network = make_network(header["network"])
        network.split(weights, size)
    except (KeyError, ValueError) as fault:
        raise NobiError(f"The header of {str(path)!r} is damaged: {fault}.") from None
    except NobiError as fault:
        raise NobiError(f"{str(path)!r} cannot be used: {fault}") from None
    if weights.dtype != np.float32 or not np.isfinite(weights).all():
        raise NobiError(f"The weights in {str(path)!r} are not finite 32-bit numbers.")
    return Model(network, weights, size, provenance)
