"""The checkpoint of a run: all that the next step depends on, in one file that is whole or not there.

    network.NAME          the weights
    optimiser.NUMBER.NAME what the optimiser remembers
    tally                 float64[2], the sums of loss and hits since the last line of metrics

The header holds the number of the step, the fingerprint of the data, and the lines of metrics. There is no pickle.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nobi.errors import NobiError
from nobi.tensors import save_tensors

FORMAT = "nobi-imitation-1"
_NETWORK, _OPTIMISER, _TALLY = "network.", "optimiser.", "tally"


@dataclass(frozen=True)
class Checkpoint:
    """What is kept of a run."""

    step: int
    network: dict[str, NDArray[Any]]
    optimiser: dict[str, NDArray[Any]]
    tally: NDArray[np.float64]
    lines: list[dict[str, Any]]
    data: str
    """The fingerprint of the datasets."""


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Writes it, whole or not at all."""
    tensors = {
        **{_NETWORK + name: tensor for name, tensor in checkpoint.network.items()},
        **{_OPTIMISER + name: tensor for name, tensor in checkpoint.optimiser.items()},
        _TALLY: checkpoint.tally,
    }
    texts = {
        "format": FORMAT,
        "step": str(checkpoint.step),
        "lines": json.dumps(checkpoint.lines),
        "data": checkpoint.data,
    }
    save_tensors(path, tensors, texts)


def read_checkpoint(path: Path) -> Checkpoint:
    """Reads it; whatever is wrong with it is told in one sentence."""
    try:
        with safe_open(path, "numpy") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
    if header.get("format") != FORMAT:
        raise NobiError(f"{str(path)!r} is not a checkpoint of this version.")
    try:
        return Checkpoint(
            int(header["step"]),
            _below(tensors, _NETWORK),
            _below(tensors, _OPTIMISER),
            tensors[_TALLY],
            list(json.loads(header["lines"])),
            header["data"],
        )
    except (KeyError, ValueError, TypeError) as fault:
        raise NobiError(f"{str(path)!r} is damaged: {fault}.") from None


def _below(tensors: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
