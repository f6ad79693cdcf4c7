"""The networks of Clark & Storkey 2014: convolutions, then a fully connected layer; each idea is a setting.

`c14-small` is the network of the paper's ablation study (section 4.1), `c14-large` its best network (section 4.2).
Further settings are the alternatives that the paper tried and rejected (section 2.2).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from nobi.board.text import check_size
from nobi.features import plane_count
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import BoardConv, BoardDense, EdgeConv, channels_last

LIBERTIES, STONES = "c14-7", "c14-3"
"""The sets of planes with and without liberties; the last plane is ko."""
ENEMY_PLANE = {LIBERTIES: 5, STONES: 1}
"""The plane of enemy stones that is padded with ones with `enemy_edge`; of the planes by liberties it is that of 3 or
more, since the edge cannot be captured."""
FIRST_WIDTH, WIDTH, TOP_WIDTH = 7, 5, 5
MAX_FILTERS, MAX_WIDTH, MAX_LAYERS = 1024, 19, 64


def parse_numbers(text: str, what: str, most: int) -> tuple[int, ...]:
    """Parse numbers such as `48/32/32`; raise a ValueError if the text is invalid."""
    parts = text.split("/") if text else []
    if len(parts) > MAX_LAYERS or not all(part.isdecimal() and 1 <= int(part) <= most for part in parts):
        raise ValueError(f"{what} must be numbers from 1 to {most} separated by slashes, not {text!r}")
    return tuple(map(int, parts))


@dataclass(frozen=True)
class C14Settings:
    """The ideas of the paper, which are removed one by one in its table 1, and the alternatives that it rejected."""

    size: int = 19
    """The only supported board size, because of the fully connected layer."""
    liberties: bool = True
    """Planes of stones by their liberties: 1, 2, 3 or more (section 2.1)."""
    ko: bool = True
    """A plane for the point that simple ko forbids (section 2.1)."""
    edge: bool = True
    """Edge encoding (section 2.3.1)."""
    mask: bool = True
    """Masked training (section 2.3.2)."""
    reflection: bool = True
    """Weights tied to preserve reflections (section 2.3.3)."""
    enemy_edge: bool = False
    """Pad a plane of enemy stones with ones at the edge, instead of the edge encoding."""
    latest: bool = False
    """A plane for the previous move."""
    unit: Literal["relu", "tanh"] = "relu"
    """The activation function of hidden units."""
    top: Literal["dense", "conv"] = "dense"
    """The last layer: fully connected, or a convolution with one filter."""
    dense: int = 1
    """Fully connected layers at the top, 1 or 2."""
    filters: str = ""
    """The filters of each convolution, as in 48/32/32; by default the paper's."""
    widths: str = ""
    """The widths of the filters of each convolution, odd, as in 7/5/5; by default 7 for the first, 5 for the others."""

    def __post_init__(self) -> None:
        check_size(self.size)
        if self.enemy_edge and self.edge:
            raise ValueError("enemy_edge needs edge=false: the edge is encoded once")
        if self.dense not in (1, 2) or (self.dense == 2 and self.top == "conv"):
            raise ValueError("dense must be 1 or 2, and 1 with top=conv")
        filters = parse_numbers(self.filters, "filters", MAX_FILTERS)
        widths = parse_numbers(self.widths, "widths", MAX_WIDTH)
        if any(width % 2 == 0 for width in widths):
            raise ValueError(f"widths must be odd, not {self.widths!r}")
        if widths and len(widths) != len(filters):
            raise ValueError("widths needs filters, with as many numbers")


class C14(DeepNetwork):
    """Convolutions, the first 7x7 and the others 5x5, with rectifiers, then a fully connected layer."""

    settings_type = C14Settings
    filters: ClassVar[tuple[int, ...]]
    """The number of filters of each convolution."""

    settings: C14Settings

    def __init__(self, settings: C14Settings | None = None) -> None:
        super().__init__(settings)
        s, tied = self.settings, self.settings.reflection
        filters = parse_numbers(s.filters, "filters", MAX_FILTERS) or self.filters
        widths = parse_numbers(s.widths, "widths", MAX_WIDTH) or (FIRST_WIDTH, *[WIDTH] * (len(filters) - 1))
        inputs = plane_count(self.planes) - (not s.ko)
        if s.edge or s.enemy_edge:
            plane = ENEMY_PLANE[self.planes.partition(":")[0]] if s.enemy_edge else None
            first: BoardConv = EdgeConv(inputs, filters[0], widths[0], tied=tied, plane=plane)
        else:
            first = BoardConv(inputs, filters[0], widths[0], tied=tied)
        more = zip(pairwise(filters), widths[1:], strict=True)
        self.convolutions = nn.ModuleList([first, *(BoardConv(a, b, width, tied=tied) for (a, b), width in more)])
        if s.top == "dense":
            self.top: nn.Module = BoardDense(filters[-1], s.size, tied=tied)
        else:
            self.top = BoardConv(filters[-1], 1, TOP_WIDTH, tied=tied)
        self.second = BoardDense(1, s.size, tied=tied) if s.dense == 2 else None

    @property
    def planes(self) -> str:
        name = LIBERTIES if self.settings.liberties else STONES
        return f"{name}:latest=true" if self.settings.latest else name

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.settings.size,)

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:  # noqa: ARG002
        self.check_size(int(planes.shape[-1]))
        unit = torch.relu if self.settings.unit == "relu" else torch.tanh
        x = channels_last(planes if self.settings.ko else planes[:, :-1])
        for convolution in self.convolutions:
            x = unit(convolution(x))
        values: Tensor = self.top(x).flatten(1)
        if self.second is not None:
            values = self.second(unit(values).view(-1, 1, *x.shape[2:]))
        return values

    def draw(self, rng: torch.Generator) -> None:
        """Draw weights from N(0, 0.01²); set biases to 0 (section 3.2)."""
        for name, weights in self.named_parameters():
            if name.endswith("bias"):
                weights.zero_()
            else:
                weights.normal_(0.0, 0.01, generator=rng)


class C14Small(C14):
    """C14's medium scale network: 48 filters of 7x7, three layers of 32 of 5x5, one fully connected."""

    name = "c14-small"
    filters = (48, 32, 32, 32)


class C14Large(C14):
    """C14's full scale network: 64 filters of 7x7, layers of 64, 64, 48, 48, 32, 32 of 5x5, one fully connected."""

    name = "c14-large"
    filters = (64, 64, 64, 48, 48, 32, 32)
