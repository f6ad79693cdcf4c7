"""Evaluation of a nobi-net without torch, and the interface of deep networks for players and search."""

from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from nobi.board.symmetry import SYMMETRIES, cell_orbits
from nobi.board.text import check_size
from nobi.features import check_planes, plane_count
from nobi.nn.residual import Evaluation, ResidualNetwork
from nobi.nn.simd import PANEL
from nobi.spec import format_spec

NOBI_NET = "nobi-net"


class PlayingNetwork(Protocol):
    """The methods of a deep network that players use, with torch or without."""

    @property
    def planes(self) -> str:
        """The name of its set of planes."""

    @property
    def images(self) -> int:
        """The default number of images of a board, 1 or 8, over which a player averages the values."""

    def check_size(self, size: int) -> None:
        """Raise a NobiError if the network does not support this board size."""

    def evaluate(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the logits of moves, [b, n·n], for planes [b, P, n, n] and colours [b]."""

    def evaluate_with_value(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> Evaluation:
        """Return the logits of moves, and the value if it was trained."""

    def for_play(self) -> "PlayingNetwork":
        """Return the network, or a copy of it, for inference."""


@dataclass(frozen=True)
class NobiNetSettings:
    """The settings of a nobi-net."""

    width: int = 64
    """Channels, a multiple of 16."""
    blocks: int = 6
    """Residual blocks of two convolutions; every second one has global pooling."""
    symmetric: bool = False
    """Whether filters are tied over all symmetries, which makes the network equivariant."""
    mask: bool = True
    """Masked training, as in C14."""
    planes: str = "nobi"
    """The set of planes."""

    def __post_init__(self) -> None:
        if not PANEL <= self.width <= 1024 or self.width % PANEL:
            raise ValueError(f"width must be a multiple of {PANEL} from {PANEL} to 1024, not {self.width}")
        if not 1 <= self.blocks <= 100:
            raise ValueError(f"blocks must be 1 to 100, not {self.blocks}")
        check_planes(self.planes)

    @property
    def head(self) -> int:
        """Channels of each half of the head: about a quarter of the width; both halves together fill whole panels."""
        return max(PANEL, -(-self.width // 32) * (PANEL // 2))

    @property
    def images(self) -> int:
        """See `PlayingNetwork.images`; 1 for an equivariant network, in which all images have the same values."""
        return 1 if self.symmetric else SYMMETRIES

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the tensors of a model file, by name."""
        width, half = self.width, self.head
        filters = (int(cell_orbits(3).max()) + 1,) if self.symmetric else (3, 3)
        norm = dict.fromkeys(("weight", "bias", "mean", "variance"), (width,))
        found: dict[str, tuple[int, ...]] = {"stem.weight": (width, plane_count(self.planes) + 1, *filters)}
        for i in range(self.blocks):
            for part in ("norm1", "norm2"):
                found |= {f"blocks.{i}.{part}.{name}": shape for name, shape in norm.items()}
            found |= {f"blocks.{i}.{part}.weight": (width, width, *filters) for part in ("first", "second")}
            if i % 2 == 1:
                found[f"blocks.{i}.pooling"] = (width, 2 * width)
        found |= {f"norm.{name}": shape for name, shape in norm.items()}
        return found | {
            "head.weight": (2 * half, width),
            "head.bias": (2 * half,),
            "head_pooling.weight": (half, 2 * half),
            "moves.weight": (2, half),
            "moves.bias": (2,),
            "value_hidden.weight": (2 * half, 2 * half),
            "value_hidden.bias": (2 * half,),
            "value.weight": (1, 2 * half),
            "value.bias": (1,),
        }


class CompiledNobiNet:
    """A nobi-net that is evaluated without torch."""

    def __init__(
        self,
        settings: NobiNetSettings,
        tensors: dict[str, NDArray[np.float32]],
        threads: int = 1,
        *,
        has_value: bool = True,
    ) -> None:
        """Transform the weights.

        Args:
            settings: the settings of the network.
            tensors: as in a model file.
            threads: the number of threads over which the boards of a batch are distributed.
            has_value: whether the value was trained.
        """
        self.settings = settings
        self.threads = threads
        self.has_value = has_value
        expanded = {name: _expanded(t) if settings.symmetric else t for name, t in tensors.items()}
        self._network = ResidualNetwork(expanded, plane_count(settings.planes))

    def __str__(self) -> str:
        return format_spec(NOBI_NET, self.settings)

    @property
    def planes(self) -> str:
        return self.settings.planes

    @property
    def images(self) -> int:
        return self.settings.images

    def check_size(self, size: int) -> None:
        check_size(size)

    def evaluate(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> NDArray[np.float32]:  # noqa: ARG002
        return self._network.evaluate(planes, self.threads).policy

    def evaluate_with_value(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> Evaluation:  # noqa: ARG002
        found = self._network.evaluate(planes, self.threads)
        return found if self.has_value else Evaluation(found.policy)

    def for_play(self) -> Self:
        return self

    def with_threads(self, threads: int) -> Self:
        """Return the network with the same weights, evaluated by this number of threads."""
        found = copy(self)
        found.threads = threads
        return found


def _expanded(tensor: NDArray[Any]) -> NDArray[Any]:
    """Expand tied filters [outputs, inputs, orbit] to [outputs, inputs, 3, 3]; return other tensors unchanged."""
    return tensor[:, :, cell_orbits(3)].reshape(*tensor.shape[:2], 3, 3) if tensor.ndim == 3 else tensor
