"""The networks of Clark & Storkey 2014: convolutions, then one fully connected layer; each of their ideas a switch.

MERGED networks/deep/c14_small.py: C14's network of its ablation study (section 4.1).

MERGED networks/deep/c14_large.py: C14's best network (section 4.2).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn

from nobi.board.text import check_size
from nobi.errors import NobiError
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import BoardConv, BoardDense, EdgeConv, channels_last

LIBERTIES, STONES = ("c14-7", 7), ("c14-3", 3)
"""The planes with and without liberties, and how many they are; the last is the point that ko forbids."""


@dataclass(frozen=True)
class C14Settings:
    """The ideas of the paper that its table 1 leaves out one by one."""

    size: int = 19
    """The only size of board it serves: the fully connected layer fits one."""
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
        try:
            check_size(self.size)
        except NobiError as fault:
            raise ValueError(str(fault).rstrip(".")) from None


class C14(DeepNetwork):
    """Convolutions, the first 7x7 and the others 5x5, with rectifiers, then a fully connected layer."""

    settings_type = C14Settings
    filters: ClassVar[tuple[int, ...]]
    """How many filters each convolution has."""

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
        """The paper's 7 planes or 3."""
        return (LIBERTIES if self.settings.liberties else STONES)[0]

    @property
    def sizes(self) -> tuple[int, ...]:
        """One."""
        return (self.settings.size,)

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """float[b, P, n, n] → float[b, n·n]."""
        self.check_serves(int(planes.shape[-1]))
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
