"""Models, that is, networks with weights and provenance, and the reading and writing of model files.

A model file is a `.safetensors` file: tensors, and in its header as texts the format, the network's spec, the board
size it was trained on, and the provenance as JSON. Reading one executes no code from it. PyTorch is imported only for
networks that need it.
"""

import json
import os
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

import nobi
from nobi.board.text import check_size as check_board_size
from nobi.errors import NobiError, require_torch
from nobi.features import ONLY_STONES, plane_count
from nobi.models import model_path, predicts_moves, quality, shipped
from nobi.networks import make_network
from nobi.networks import names as network_names
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


class Model:
    """A network with its weights and provenance, whatever its architecture: what `nobi.load` returns.

    >>> network = nobi.network("mdlstm:hidden=3")
    >>> weights = network.random_weights(7, np.random.default_rng(0))
    >>> model = nobi.Model(network, weights, size=7, provenance={"training": {"game": "gomoku"}})
    >>> model
    <Model mdlstm, 93 weights, gomoku 7x7>
    >>> model.evaluate(np.zeros((1, 2, 9, 9))).shape
    (1, 81)
    """

    def __init__(
        self,
        network: "Network | str",
        weights: Weights | dict[str, NDArray[np.float32]],
        size: int,
        provenance: dict[str, Any] | None = None,
        path: Path | None = None,
    ) -> None:
        """Combine a network and weights.

        Args:
            network: the network or its spec, such as `mdlstm:hidden=3`.
            weights: the vector of weights of a compiled network, or the tensors of a deep network by name.
            size: the board size it was trained on; it may support others, see `sizes`.
            provenance: training settings, seed, package version etc.; any JSON values.
            path: the file it was read from.
        """
        self.spec = str(network)
        self.is_deep = isinstance(weights, dict)
        """Whether it is a network of `nobi.networks.deep` with its tensors, or a compiled one with a vector."""
        self.tensors = weights if isinstance(weights, dict) else {"weights": weights}
        self.size = size
        self.provenance = provenance or {}
        self.path = path
        if isinstance(network, Network):
            self.__dict__["network"] = network  # it may be of a class without a registry line

    @classmethod
    def from_module(cls, module: "DeepNetwork", size: int, provenance: dict[str, Any] | None = None) -> "Model":
        """Return the model of a torch module, with a copy of its weights in single precision."""
        state = {name: tensor.detach().cpu().numpy() for name, tensor in sorted(module.state_dict().items())}
        return cls(str(module), {name: np.array(t, np.float32) for name, t in state.items()}, size, provenance)

    def __repr__(self) -> str:
        return f"<Model {self.spec}, {self.weight_count:,} weights, {self.game} {self.size}x{self.size}>"

    @property
    def name(self) -> str:
        """The name of a shipped model, or the file it was read from, else the spec of its network."""
        if self.path and shipped().get(self.path.stem) == self.path:
            return self.path.stem
        return str(self.path or self.spec)

    @property
    def game(self) -> str:
        """The game it was trained on; if unknown, Go for a deep network and Atari-Go for a compiled one."""
        return game_of(self.provenance) or ("go" if self.is_deep else "atari-go")

    @property
    def weight_count(self) -> int:
        """The number of weights."""
        return sum(tensor.size for tensor in self.tensors.values())

    @property
    def weights(self) -> Weights:
        """The vector of weights of a compiled network."""
        if self.is_deep:
            raise self.unusable(f"{self.spec} is a deep network; give a network that is trained by evolution.")
        return self.tensors["weights"]

    @property
    def needs_torch(self) -> bool:
        """Whether its network can be evaluated only with PyTorch."""
        return self.is_deep and parse_spec(self.spec)[0] != NOBI_NET

    @cached_property
    def network(self) -> Any:
        """The network: a `Network`, to be used with `weights`, or a `PlayingNetwork`, which contains its weights."""
        self.check()
        if not self.is_deep:
            return make_network(self.spec)
        if self.needs_torch:
            return self.module().for_play()
        return CompiledNobiNet(self._nobi_net(), self.tensors, usable_threads(), has_value=self._has_value)

    @property
    def planes(self) -> str:
        """The name of its set of input planes; the compiled networks take own and enemy stones."""
        return str(self.network.planes) if self.is_deep else ONLY_STONES

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The board sizes that it plays on; None for all."""
        if self.is_deep:
            sizes: tuple[int, ...] | None = self.network.sizes if self.needs_torch else None
            return sizes
        return None if self.network.scalable else (self.size,)

    def check_size(self, size: int) -> None:
        """Raise a NobiError if it cannot play on this board size."""
        check_board_size(size)
        if self.sizes is not None and size not in self.sizes:
            supported = " or ".join(f"{n}x{n}" for n in self.sizes)
            raise NobiError(f"The network of {self.name!r} plays on {supported} only, not on {size}x{size}.")

    def evaluate(self, planes: NDArray[Any], white: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """Return the values of all points; the higher, the better the move.

        Args:
            planes: [b, P, n, n] the planes of positions, from the view of the player to move.
            white: [b] whether White is to move, for networks that depend on it; by default Black is.

        Returns:
            float32[b, n·n], row by row from the top.
        """
        count, shape = plane_count(self.planes), np.shape(planes)
        if len(shape) != 4 or shape[1] != count or shape[2] != shape[3]:
            raise NobiError(f"The planes must have the shape (boards, {count}, n, n), not {shape}.")
        if not self.is_deep:
            values: NDArray[np.float32] = self.network.evaluate(self.weights, planes[:, 0], planes[:, 1])
            return values.reshape(len(planes), -1)
        colours = np.zeros(len(planes), np.bool_) if white is None else white
        logits: NDArray[np.float32] = self.network.evaluate(np.ascontiguousarray(planes, np.float32), colours)
        return logits

    def module(self) -> "DeepNetwork":
        """Return the network as a new torch module, for gradients; a compiled swiping network as its torch twin."""
        require_torch(repr(self.name))
        import torch

        if not self.is_deep:
            return self._twin()
        try:
            network = make_deep(self.spec)
            network.check_size(self.size)
        except NobiError as error:
            raise self.unusable(error) from None
        self._check_shapes({name: tuple(tensor.shape) for name, tensor in network.state_dict().items()})
        network.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in self.tensors.items()})
        network.has_value = self._has_value
        return network

    def compiled(self) -> "Model | None":
        """Return the equal compiled model, which needs no torch, of a swiping network on stones; else None."""
        if not self.is_deep:
            return self
        name, given = parse_spec(self.spec)
        own = {key: text for key, text in given.items() if key not in ("mask", "planes")}
        if name not in network_names() or given.get("planes", ONLY_STONES) != ONLY_STONES:
            return None
        network = make_network(f"{name}:{','.join(f'{key}={text}' for key, text in own.items())}")
        if not isinstance(network, SwipingNetwork):
            return None
        weights = self.tensors.get("weights", np.zeros(0, np.float32))
        found = Model(network, weights, self.size, self.provenance, self.path)
        found.check()
        return found

    def unusable(self, reason: object) -> NobiError:
        """Return an error that names the model."""
        return NobiError(f"{self.name!r} cannot be used: {reason}")

    def check(self) -> None:
        """Raise a NobiError if network and tensors are inconsistent, as far as this is known without torch."""
        if self.needs_torch:
            return
        try:
            if not self.is_deep:
                make_network(self.spec).split(self.weights, self.size)
                return
            check_board_size(self.size)
            shapes = self._nobi_net().shapes()
        except NobiError as error:
            raise self.unusable(error) from None
        self._check_shapes(shapes)

    def _nobi_net(self) -> NobiNetSettings:
        return settings_from(NobiNetSettings, parse_spec(self.spec)[1], self.spec)

    @property
    def _has_value(self) -> bool:
        """Whether it was trained to predict the result."""
        training = self.provenance.get("training")
        weight = training.get("value_weight") if isinstance(training, dict) else None
        return isinstance(weight, int | float) and weight > 0

    def _twin(self) -> "DeepNetwork":
        from nobi.networks.deep.swiping import twin_of

        if not isinstance(self.network, SwipingNetwork) or self.network.features:
            raise self.unusable(f"there is no deep network equal to {self.spec}.")
        return twin_of(self.network, self.weights)

    def _check_shapes(self, expected: dict[str, tuple[int, ...]]) -> None:
        """Raise a NobiError that names the first tensor that is missing, unknown or of another shape."""
        for name in sorted(expected.keys() | self.tensors.keys()):
            shape = self.tensors[name].shape if name in self.tensors else None
            if shape != expected.get(name):
                raise self.unusable(
                    f"the tensor {name!r} of {self.spec} is {_shape_text(expected.get(name))}, "
                    f"not {_shape_text(shape)}."
                )


def game_of(provenance: dict[str, Any]) -> str:
    """Return the game that a model was trained on; empty if unknown."""
    training = provenance.get("training")
    game = training.get("game") if isinstance(training, dict) else None
    return game if isinstance(game, str) else ""


def save_model(path: Path, model: Model) -> None:
    """Write a model to a file: the same bytes for the same model."""
    header = {
        "format": DEEP if model.is_deep else COMPILED,
        "network": model.spec,
        "size": str(model.size),
        "provenance": json.dumps({"nobi": nobi.__version__, **model.provenance}, sort_keys=True),
    }
    save_tensors(path, {name: np.ascontiguousarray(t, np.float32) for name, t in model.tensors.items()}, header)


def models_in(folder: str) -> list[str]:
    """Return the model files in the folder of a run; none if it is not a folder."""
    if not os.path.isdir(folder):  # noqa: PTH112 (pathlib raises an error for invalid paths)
        return []
    return sorted(str(file) for file in Path(folder).glob("*.safetensors") if file.stem != "checkpoint")


def folder_error(folder: str) -> NobiError:
    """Return the error for a folder given instead of a model file; it lists the model files in the folder."""
    return NobiError(f"{folder!r} is a folder and not a model file; {choices(models_in(folder))}.")


def load_model(path: Path | str) -> Model:
    """Read a model file, or a shipped model by name; raise a NobiError if the file is invalid."""
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
        weights = tensors if header["format"] == DEEP else tensors.get("weights", np.zeros(0, np.float32))
        found = Model(header["network"], weights, size, provenance, path)
    except (KeyError, ValueError, TypeError) as error:
        raise NobiError(f"The header of {str(path)!r} is damaged: {error}.") from None
    if any(t.dtype != np.float32 or not np.isfinite(t).all() for t in tensors.values()):
        raise NobiError(f"The weights in {str(path)!r} are not finite 32-bit numbers.")
    found.check()
    return found


def _renamed(header: dict[str, str]) -> dict[str, str]:
    """Return the header of a file of the first deep format, converted to the current one."""
    name, colon, settings = header.get("network", "").partition(":")
    name = "nobi-net-v1" if name == "nobi-net" else name
    return {**header, "format": DEEP, "network": name + colon + settings}


def _single(tensor: NDArray[Any]) -> NDArray[Any]:
    """Convert half precision, used by small shipped models, to single precision."""
    return tensor.astype(np.float32) if tensor.dtype == np.float16 else tensor


def _shape_text(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else "x".join(map(str, shape)) or "one number"


def made_for(path: str | Path) -> tuple[str, int]:
    """Return the game that a model was trained on, and its board size; 0 for any size."""
    model = load_model(path)
    if model.is_deep:
        return "go", model.size
    return model.game, 0 if model.sizes is None else model.size


@cache
def best_model(game: str, size: int) -> str:
    """Return the name of the shipped model for the game and board that predicts moves best; empty if there is none."""
    able = (name for name in shipped() if predicts_moves(name) and _plays(name, game, size))
    return max(able, key=quality, default="")


def _plays(name: str, game: str, size: int) -> bool:
    """Return whether a shipped model plays the game on the board without PyTorch."""
    model = load_model(name)
    return model.game == game and not model.needs_torch and (model.sizes is None or size in model.sizes)
