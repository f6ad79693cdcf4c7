"""nobi-net-v1: the first version of nobi-net, kept for loading its models; new networks are `nobi-net`.

Residual blocks of 3x3 convolutions, and global pooling as in KataGo (Wu 2019, "Accelerating Self-Play Learning in Go",
section 4.1): in every second block some channels are pooled over the whole board, by mean and by maximum, and a linear
function of the results is added as a bias to all channels. Mean and maximum do not depend on the number of cells, and
there is neither a fully connected layer over cells nor a bias per point, so the same weights can be used on every board
size. There is no batch normalisation; instead the last convolution of each block is initialised with 0, so that every
block is initially the identity.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nobi.features import check_planes, plane_count
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import BoardConv, channels_last


@dataclass(frozen=True)
class NobiNetV1Settings:
    """The settings of a nobi-net-v1."""

    width: int = 64
    """Channels."""
    blocks: int = 6
    """Residual blocks of two convolutions; every second one has global pooling."""
    symmetric: bool = False
    """Whether filters are tied over all symmetries, which makes the network equivariant."""
    mask: bool = True
    """Masked training, as in C14."""
    planes: str = "m15-norank"
    """The set of planes."""

    def __post_init__(self) -> None:
        if not 4 <= self.width <= 1024 or self.width % 4:
            raise ValueError(f"width must be a multiple of 4 from 4 to 1024, not {self.width}")
        if not 1 <= self.blocks <= 100:
            raise ValueError(f"blocks must be 1 to 100, not {self.blocks}")
        check_planes(self.planes)


class GlobalBias(nn.Module):
    """A bias for some channels from other channels that are pooled over the board."""

    def __init__(self, pooled: int, biased: int) -> None:
        super().__init__()
        self.linear = nn.Linear(2 * pooled, biased)

    def forward(self, x: Tensor) -> Tensor:
        """Return the bias float[b, biased, 1, 1] for x float[b, pooled, n, n]."""
        cells = torch.relu(x).flatten(2)
        return self.linear(torch.cat([cells.mean(2), cells.amax(2)], 1))[:, :, None, None]


class Block(nn.Module):
    """x + conv(relu(conv(relu(x)))), with a global bias between the convolutions if `pools`."""

    def __init__(self, width: int, *, pools: bool, tied: bool) -> None:
        super().__init__()
        self.pooled = width // 4 if pools else 0
        self.first = BoardConv(width, width + self.pooled, 3, tied=tied)
        self.bias = GlobalBias(self.pooled, width) if pools else None
        self.second = BoardConv(width, width, 3, tied=tied)

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output for x float[b, width, n, n]."""
        y = self.first(torch.relu(x))
        if self.bias is not None:
            y = y[:, self.pooled :] + self.bias(y[:, : self.pooled])
        return x + self.second(torch.relu(y))


class NobiNetV1(DeepNetwork):
    """A residual network with global pooling that supports every board size with the same weights."""

    name = "nobi-net-v1"
    settings_type = NobiNetV1Settings
    settings: NobiNetV1Settings

    def __init__(self, settings: NobiNetV1Settings | None = None) -> None:
        super().__init__(settings)
        s = self.settings
        # an additional plane of ones: without it, some sets of planes would not distinguish the edge from empty points
        self.stem = BoardConv(plane_count(s.planes) + 1, s.width, 5, tied=s.symmetric)
        self.blocks = nn.ModuleList([Block(s.width, pools=i % 2 == 1, tied=s.symmetric) for i in range(s.blocks)])
        self.head = BoardConv(s.width, s.width // 2, 1, tied=s.symmetric)
        self.head_bias = GlobalBias(s.width // 4, s.width // 4)
        self.top = BoardConv(s.width // 4, 1, 1, tied=s.symmetric)

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:  # noqa: ARG002
        x = self.stem(channels_last(torch.cat([planes, torch.ones_like(planes[:, :1])], 1)))
        for block in self.blocks:
            x = block(x)
        y = self.head(torch.relu(x))
        pooled = self.settings.width // 4
        return self.top(torch.relu(y[:, pooled:] + self.head_bias(y[:, :pooled]))).flatten(1)

    def draw(self, rng: torch.Generator) -> None:
        """Draw He et al.'s normal weights for rectifiers; set biases and last convolutions of blocks to 0."""
        for weights in self.parameters():
            weights.zero_()
        blocks = [block.first for block in self.blocks if isinstance(block, Block)]
        for convolution in [self.stem, *blocks, self.head, self.top]:
            filters = convolution.filters
            _, inputs, width, _ = filters.shape
            filters.weight.normal_(0.0, (2 / (inputs * width * width)) ** 0.5, generator=rng)
