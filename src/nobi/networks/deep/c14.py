"""The networks of Clark & Storkey 2014: convolutions, then one fully connected layer; each of their ideas is a setting.

`c14-small` is the network of the paper's ablation study (section 4.1), `c14-large` its best network (section 4.2).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn

from nobi.networks.deep.base import DeepNetwork, check_board_size
from nobi.nn.torch_layers import BoardConv, BoardDense, EdgeConv, channels_last

LIBERTIES, STONES = ("c14-7", 7), ("c14-3", 3)
"""The sets of planes with and without liberties, and their numbers of planes; the last plane is ko."""


@dataclass(frozen=True)
class C14Settings:
    """The ideas of the paper, which its table 1 removes one by one."""

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

    def __post_init__(self) -> None:
        check_board_size(self.size)


class C14(DeepNetwork):
    """Convolutions, the first 7x7 and the others 5x5, with rectifiers, then a fully connected layer."""

    settings_type = C14Settings
    filters: ClassVar[tuple[int, ...]]
    """The number of filters of each convolution."""

    settings: C14Settings

    def __init__(self, settings: C14Settings | None = None) -> None:
        super().__init__(settings)
        tied = self.settings.reflection
        inputs = (LIBERTIES if self.settings.liberties else STONES)[1] - (not self.settings.ko)
        first = EdgeConv if self.settings.edge else BoardConv
        convolutions = [first(inputs, self.filters[0], 7, tied=tied)]
        convolutions += [BoardConv(before, after, 5, tied=tied) for before, after in pairwise(self.filters)]
        self.convolutions = nn.ModuleList(convolutions)
        self.top = BoardDense(self.filters[-1], self.settings.size, tied=tied)

    @property
    def planes(self) -> str:
        return (LIBERTIES if self.settings.liberties else STONES)[0]

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.settings.size,)

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:  # noqa: ARG002
        self.check_size(int(planes.shape[-1]))
        x = channels_last(planes if self.settings.ko else planes[:, :-1])
        for convolution in self.convolutions:
            x = torch.relu(convolution(x))
        return self.top(x)

    def draw(self, rng: torch.Generator) -> None:
        """Weights from N(0, 0.01²), biases 0 (section 3.2)."""
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
