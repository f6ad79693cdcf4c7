"""Files of models: the one place that reads and writes them, and says what is wrong with one.

A model file is `.safetensors`: tensors, and in its header as text the format, the network's word, the size of board it
was made for, and the provenance as JSON. Reading one runs no code from it.
"""

import json
import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

import nobi
from nobi.errors import NobiError
from nobi.models import model_path, shipped
from nobi.tensors import save_tensors
from nobi.words import choices

COMPILED = "nobi-model-1"
"""A network of `nobi.networks` with its vector of weights."""
DEEP = "nobi-deep-2"
"""A network of `nobi.networks.deep` with its tensors."""
_FIRST_DEEP = "nobi-deep-1"
"""The same, where `nobi-net` is what is called `nobi-net-v1` now."""


def game_of(provenance: dict[str, Any]) -> str:
    """The game that a model was trained on; empty if that is not known."""
    training = provenance.get("training")
    game = training.get("game") if isinstance(training, dict) else None
    return game if isinstance(game, str) else ""


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds; whether network and tensors fit together is not known yet."""

    path: Path
    format: str
    network: str
    """The network's word, such as `mdlstm:hidden=3`."""
    size: int
    tensors: dict[str, NDArray[np.float32]]
    provenance: dict[str, Any]

    @property
    def game(self) -> str:
        """The game it was trained on; if that is not known, Go for a deep network, Atari-Go for another."""
        return game_of(self.provenance) or ("go" if self.format == DEEP else "atari-go")

    def unusable(self, why: object) -> NobiError:
        """The error that says why the network in the file cannot be made."""
        return NobiError(f"{str(self.path)!r} cannot be used: {why}")


def _renamed(header: dict[str, str]) -> dict[str, str]:
    """The header of a file of the first format, as one of the present format."""
    name, colon, settings = header.get("network", "").partition(":")
    name = "nobi-net-v1" if name == "nobi-net" else name
    return {**header, "format": DEEP, "network": name + colon + settings}


def _single(tensor: NDArray[Any]) -> NDArray[Any]:
    """Half precision, in which small models ship, as single precision."""
    return tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor


def write_model_file(
    path: Path, form: str, network: str, size: int, tensors: dict[str, NDArray[Any]], provenance: dict[str, Any]
) -> None:
    """Writes a model file; the version of the package joins the provenance."""
    header = {
        "format": form,
        "network": network,
        "size": str(size),
        "provenance": json.dumps({"nobi": nobi.__version__, **provenance}, sort_keys=True),
    }
    save_tensors(path, {name: np.ascontiguousarray(t, np.float32) for name, t in tensors.items()}, header)


def models_in(folder: str) -> list[str]:
    """The model files in the folder of a run; none if that is no folder."""
    if not os.path.isdir(folder):  # noqa: PTH112 (for a path that cannot be, pathlib raises)
        return []
    return sorted(str(file) for file in Path(folder).glob("*.safetensors") if file.stem != "checkpoint")


def folder_fault(folder: str) -> NobiError:
    """The error that says which model files there are in a folder that was named in place of one."""
    return NobiError(f"{folder!r} is a folder and no model file; {choices(models_in(folder))}.")


def read_model_file(path: Path) -> ModelFile:
    """Reads a model file of either format, or a shipped model by its name.

    Raises a NobiError of one sentence for whatever is wrong with the file.
    """
    path = model_path(path)
    if models_in(str(path)):
        raise folder_fault(str(path))
    if not os.path.isfile(path):  # noqa: PTH113 (as above)
        [near] = get_close_matches(str(path), shipped(), 1) or [""]
        raise NobiError(f"There is no model file {str(path)!r}{f'; did you mean {near!r}?' if near else '.'}")
    try:
        with safe_open(path, "numpy") as file:
            header = file.metadata() or {}
            if header.get("format") == _FIRST_DEEP:
                header = _renamed(header)
            known = header.get("format") in (COMPILED, DEEP)
            tensors = {name: _single(file.get_tensor(name)) for name in file.keys()} if known else {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError) as fault:
        raise NobiError(f"{str(path)!r} is not a whole .safetensors file: {fault}.") from None
    if not tensors:
        raise NobiError(f"{str(path)!r} is not a model of nobi (its format is {header.get('format', 'unknown')!r}).")
    try:
        found = ModelFile(
            path,
            header["format"],
            header["network"],
            int(header["size"]),
            tensors,
            dict(json.loads(header["provenance"])),
        )
    except (KeyError, ValueError, TypeError) as fault:
        raise NobiError(f"The header of {str(path)!r} is damaged: {fault}.") from None
    if any(t.dtype != np.float32 or not np.isfinite(t).all() for t in tensors.values()):
        raise NobiError(f"The weights in {str(path)!r} are not finite 32-bit numbers.")
    return found
