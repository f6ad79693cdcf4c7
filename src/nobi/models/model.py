"""Models, that is, networks with weights and provenance, and the reading and writing of model files.

A model file is a `.safetensors` file: tensors, and in its header as texts the format, the network's spec, the board
size it was trained on, and the provenance as JSON. Reading one executes no code from it. PyTorch is imported only for
networks that need it.
"""

import json
import os
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

import nobi
from nobi.errors import NobiError
from nobi.models import model_path, predicts_moves, quality, shipped
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
"""The format of a network of `nobi.networks` with its vector of weights."""

DEEP = "nobi-deep-2"
"""The format of a network of `nobi.networks.deep` with its tensors."""

_FIRST_DEEP = "nobi-deep-1"
"""The first version of this format, in which `nobi-net` is the network now called `nobi-net-v1`."""


@dataclass(frozen=True, repr=False)
class Model:
    """A compiled network with its weights."""

    network: Network
    weights: Weights
    size: int
    """The board size it was trained on; the only one it plays on unless the network is scalable."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Training settings, seed, package version etc.; any JSON values."""

    def __repr__(self) -> str:
        return f"<Model {self.network}, {len(self.weights)} weights, {self.game} {self.size}x{self.size}>"

    @property
    def game(self) -> str:
        """The game it was trained on; Atari-Go if unknown."""
        return game_of(self.provenance) or "atari-go"

    def check_size(self, size: int, name: str) -> None:
        """Raise a NobiError if the model `name` cannot play on this board size."""
        if not self.network.scalable and size != self.size:
            raise NobiError(f"The network of {name!r} plays on {self.size}x{self.size} only, not on {size}x{size}.")


@dataclass(frozen=True, repr=False)
class DeepModel:
    """A deep network with its weights."""

    network: "DeepNetwork"
    size: int
    """The board size it was trained on; it may support others."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """As in `Model`."""

    def __repr__(self) -> str:
        weights = sum(parameter.numel() for parameter in self.network.parameters())
        return f"<DeepModel {self.network}, {weights:,} weights, go {self.size}x{self.size}>"


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file; whether network and tensors are consistent is not checked yet."""

    path: Path
    format: str
    network: str
    """The network's spec, such as `mdlstm:hidden=3`."""
    size: int
    tensors: dict[str, NDArray[np.float32]]
    provenance: dict[str, Any]

    @property
    def game(self) -> str:
        """The game it was trained on; if unknown, Go for a deep network and Atari-Go for a compiled one."""
        return game_of(self.provenance) or ("go" if self.format == DEEP else "atari-go")

    def unusable(self, reason: object) -> NobiError:
        """Return an error that names the file."""
        return NobiError(f"{str(self.path)!r} cannot be used: {reason}")


def game_of(provenance: dict[str, Any]) -> str:
    """Return the game that a model was trained on; empty if unknown."""
    training = provenance.get("training")
    game = training.get("game") if isinstance(training, dict) else None
    return game if isinstance(game, str) else ""


def save_model(path: Path, model: Model | DeepModel) -> None:
    """Write a model to a file: the same bytes for the same model."""
    if isinstance(model, Model):
        form, tensors = COMPILED, {"weights": model.weights}
    else:
        state = sorted(model.network.state_dict().items())
        form, tensors = DEEP, {name: tensor.detach().cpu().numpy() for name, tensor in state}
    header = {
        "format": form,
        "network": str(model.network),
        "size": str(model.size),
        "provenance": json.dumps({"nobi": nobi.__version__, **model.provenance}, sort_keys=True),
    }
    save_tensors(path, {name: np.ascontiguousarray(t, np.float32) for name, t in tensors.items()}, header)


def load_model(path: Path) -> Model:
    """Read a compiled network from a file; raise a NobiError if the file is invalid."""
    return model_in(read_model_file(path))


def load_deep(path: Path) -> DeepModel:
    """Read a deep network, or a compiled swiping network as its torch twin; raise a NobiError for an invalid file."""
    return deep_model_in(read_model_file(path))


def models_in(folder: str) -> list[str]:
    """Return the model files in the folder of a run; none if it is not a folder."""
    if not os.path.isdir(folder):  # noqa: PTH112 (pathlib raises an error for invalid paths)
        return []
    return sorted(str(file) for file in Path(folder).glob("*.safetensors") if file.stem != "checkpoint")


def folder_error(folder: str) -> NobiError:
    """Return the error for a folder given instead of a model file; it lists the model files in the folder."""
    return NobiError(f"{folder!r} is a folder and not a model file; {choices(models_in(folder))}.")


def read_model_file(path: Path) -> ModelFile:
    """Read a model file of either format, or a shipped model by name; raise a NobiError if the file is invalid."""
    path = model_path(path)
    if models_in(str(path)):
        raise folder_error(str(path))
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
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise NobiError(f"{str(path)!r} is not a complete .safetensors file: {error}.") from None
    if not tensors:
        raise NobiError(f"{str(path)!r} is not a model of nobi (its format is {header.get('format', 'unknown')!r}).")
    try:
        size, provenance = int(header["size"]), dict(json.loads(header["provenance"]))
        found = ModelFile(path, header["format"], header["network"], size, tensors, provenance)
    except (KeyError, ValueError, TypeError) as error:
        raise NobiError(f"The header of {str(path)!r} is damaged: {error}.") from None
    if any(t.dtype != np.float32 or not np.isfinite(t).all() for t in tensors.values()):
        raise NobiError(f"The weights in {str(path)!r} are not finite 32-bit numbers.")
    return found


def _renamed(header: dict[str, str]) -> dict[str, str]:
    """Return the header of a file of the first deep format, converted to the current one."""
    name, colon, settings = header.get("network", "").partition(":")
    name = "nobi-net-v1" if name == "nobi-net" else name
    return {**header, "format": DEEP, "network": name + colon + settings}


def _single(tensor: NDArray[Any]) -> NDArray[Any]:
    """Convert half precision, used by small shipped models, to single precision."""
    return tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor


def model_in(file: ModelFile) -> Model:
    """Return the compiled network in a model file."""
    if file.format != COMPILED:
        raise file.unusable(f"{file.network} is a deep network; a compiled network is required.")
    if "weights" not in file.tensors:
        raise file.unusable("it has no weights.")
    try:
        network = make_network(file.network)
        network.split(file.tensors["weights"], file.size)
    except NobiError as error:
        raise file.unusable(error) from None
    return Model(network, file.tensors["weights"], file.size, file.provenance)


def deep_model_in(file: ModelFile) -> DeepModel:
    """Return the deep network in a model file, or the torch twin of a compiled swiping network."""
    import torch

    if file.format == COMPILED:
        return _twin_in(file)
    try:
        network = make_deep(file.network)
        network.check_size(file.size)
    except NobiError as error:
        raise file.unusable(error) from None
    _check_shapes(file, {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()})
    network.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in file.tensors.items()})
    network.has_value = _has_value(file)
    return DeepModel(network, file.size, file.provenance)


def compiled_in(file: ModelFile, threads: int = 0) -> CompiledNobiNet | None:
    """Return the network in a model file if it can be evaluated without torch, else None; `threads` 0: one per core."""
    name, given = parse_spec(file.network)
    if file.format != DEEP or name != NOBI_NET:
        return None
    try:
        settings: NobiNetSettings = settings_from(NobiNetSettings, given, file.network)
    except NobiError as error:
        raise file.unusable(error) from None
    _check_shapes(file, settings.shapes())
    return CompiledNobiNet(settings, file.tensors, threads or usable_threads(), has_value=_has_value(file))


def _has_value(file: ModelFile) -> bool:
    """Return whether the network in a file was trained to predict the result."""
    training = file.provenance.get("training")
    weight = training.get("value_weight") if isinstance(training, dict) else None
    return isinstance(weight, int | float) and weight > 0


def compiled_model(model: DeepModel) -> Model:
    """Return the compiled equivalent of a swiping network that was trained by gradient descent on stones only."""
    from nobi.networks.deep.swiping import SwipingTwin

    network = model.network
    if not isinstance(network, SwipingTwin):
        raise ValueError(f"{network} has no compiled form")
    return Model(network.compiled_network(), network.compiled_weights(), model.size, model.provenance)


def _twin_in(file: ModelFile) -> DeepModel:
    from nobi.networks.deep.swiping import twin_of

    model = model_in(file)
    if not isinstance(model.network, SwipingNetwork) or model.network.features:
        raise file.unusable(f"there is no deep network equal to {model.network}.")
    return DeepModel(twin_of(model.network, model.weights), model.size, model.provenance)


def _check_shapes(file: ModelFile, expected: dict[str, tuple[int, ...]]) -> None:
    """Raise a NobiError that names the first tensor of a model file that is missing, unknown or of another shape."""
    for name in sorted(expected.keys() | file.tensors.keys()):
        shape = file.tensors[name].shape if name in file.tensors else None
        if shape != expected.get(name):
            raise file.unusable(
                f"the tensor {name!r} of {file.network} is {_shape_text(expected.get(name))}, not {_shape_text(shape)}."
            )


def _shape_text(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else "x".join(map(str, shape)) or "one number"


def made_for(path: str | Path) -> tuple[str, int]:
    """Return the game that a model was trained on, and its board size; 0 for any size."""
    file = read_model_file(Path(path))
    if file.format == DEEP:
        return "go", file.size
    model = model_in(file)
    return model.game, 0 if model.network.scalable else model.size


@cache
def best_model(game: str, size: int) -> str:
    """Return the name of the shipped model for the game and board that predicts moves best; empty if there is none."""
    able = (name for name in shipped() if predicts_moves(name) and _plays(name, game, size))
    return max(able, key=quality, default="")


def _plays(name: str, game: str, size: int) -> bool:
    """Return whether a shipped model plays the game on the board without PyTorch."""
    trained, only_size = made_for(name)
    file = read_model_file(Path(name))
    if trained != game or file.format != DEEP:
        return trained == game and only_size in (0, size)
    network = compiled_in(file, 1)
    try:
        if network:
            network.check_size(size)
    except NobiError:
        return False
    return network is not None
