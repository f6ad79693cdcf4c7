"""Models, a network with its weights and where they come from, and the one place that reads and writes their files.

A model file is `.safetensors`: tensors, and in its header as text the format, the network's spec, the size of board it
was made for, and the provenance as JSON. Reading one runs no code from it. PyTorch is loaded only for a network that
needs it.
"""

import json
import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

import nobi
from nobi.errors import NobiError
from nobi.models import model_path, shipped
from nobi.networks import make_network
from nobi.networks.deep import make_deep
from nobi.networks.deep.compiled_nobi_net import NOBI_NET, CompiledNobiNet, NobiNetSettings
from nobi.nn.network import Network, Weights
from nobi.nn.swiping import SwipingNetwork
from nobi.spec import choices, parse_spec, settings_from
from nobi.storage import save_tensors
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.networks.deep.base import DeepNetwork

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


@dataclass(frozen=True)
class DeepModel:
    """A deep network with its weights, and where they come from."""

    network: "DeepNetwork"
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
    import torch

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


def compiled_model(model: DeepModel) -> Model:
    """A swiping network that was trained by gradient on stones alone, as the equal compiled network."""
    from nobi.networks.deep.swiping import SwipingTwin

    network = model.network
    if not isinstance(network, SwipingTwin):
        raise ValueError(f"{network} has no compiled form")
    return Model(network.compiled_network(), network.compiled_weights(), model.size, model.provenance)


def _twin_in(file: ModelFile) -> DeepModel:
    from nobi.networks.deep.swiping import twin_of

    model = model_in(file)
    if not isinstance(model.network, SwipingNetwork):
        raise file.unusable(f"there is no deep network like {model.network}.")
    return DeepModel(twin_of(model.network, model.weights), model.size, model.provenance)


def compiled_in(file: ModelFile, threads: int = 0) -> CompiledNobiNet | None:
    """The network in a model file if it can be evaluated without torch, else None; `threads` 0 for one per core."""
    name, given = parse_spec(file.network)
    if file.format != DEEP or name != NOBI_NET:
        return None
    try:
        settings: NobiNetSettings = settings_from(NobiNetSettings, given, file.network)
    except NobiError as fault:
        raise file.unusable(fault) from None
    check_shapes(file, settings.shapes())
    return CompiledNobiNet(settings, file.tensors, threads or usable_threads())


def check_shapes(file: ModelFile, expected: dict[str, tuple[int, ...]]) -> None:
    """Raises a NobiError that names the first tensor of a model file that is missing, unknown or of another shape."""
    for name in sorted(expected.keys() | file.tensors.keys()):
        shape = file.tensors[name].shape if name in file.tensors else None
        if shape != expected.get(name):
            raise file.unusable(
                f"the tensor {name!r} of {file.network} is {_shape_text(expected.get(name))}, not {_shape_text(shape)}."
            )


def _shape_text(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else "x".join(map(str, shape)) or "one number"
