"""nobi-net: a network for Go on every board size, small enough to be trained on a CPU with few cores.

Pre-activation residual blocks of 3x3 convolutions (He et al., "Identity mappings in deep residual networks", 2016) with
batch normalisation, and global pooling as in KataGo (Wu, "Accelerating self-play learning in Go", 2019, section 4.1):
in every second block, mean and maximum of each channel over the whole board shift all channels. Neither these nor any
other part of the network depend on the number of cells, so the same weights can be used on every board size.

Besides the policy, the network predicts the opponent's answer to the expert's move (Tian and Zhu, 2016), which is used
only in training, and the result of the game for the player to move.

Batch normalisation uses the statistics of the batch in training, and their running means in play. Statistics differ
between board sizes; at the end of training they are therefore constant (`freeze_statistics`), so that all weights
adapt.

On a CPU the convolutions are those of `nobi.nn.winograd`, about three times as fast as torch's; `convolution` selects
torch's. Both give the same values up to rounding.
"""

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.functional import batch_norm, conv2d, pad

from nobi.features import plane_count
from nobi.networks.deep.base import DeepNetwork, Outputs
from nobi.networks.deep.compiled_nobi_net import NOBI_NET, NobiNetSettings
from nobi.nn.residual import EPSILON
from nobi.nn.simd import PANEL
from nobi.nn.torch_layers import Filters
from nobi.nn.winograd_torch import Block, Convolution, NormalisedRelu, Statistics, batch_statistics

MOMENTUM = 0.01
"""The share of a batch's statistics in the running means."""
_SET_PLANES = 10
"""The approximate number of planes that are 1 at a point: the fan-in for initialising the first filters."""


class BatchNorm(nn.Module):
    """Batch normalisation whose statistics can be frozen, for both implementations of convolutions."""

    mean: Tensor
    variance: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("variance", torch.ones(channels))
        self.frozen = False
        """Whether the running means are used in training as well."""

    def statistics(self, cells: int, sums: Tensor) -> Statistics:
        """Return mean and variance from a batch's sums [board, 2, channel]; update the running means in training."""
        if self.frozen or not self.training:
            return Statistics(self.mean.double().numpy(), self.variance.double().numpy(), 0)
        found = batch_statistics(sums, cells)
        unbiased = found.variance * (found.number / max(1, found.number - 1))
        self.mean.lerp_(torch.from_numpy(found.mean).float(), MOMENTUM)
        self.variance.lerp_(torch.from_numpy(unbiased).float(), MOMENTUM)
        return found

    def forward(self, x: Tensor) -> Tensor:
        """Normalise float[b, channels, n, n] by torch."""
        by_batch = self.training and not self.frozen
        return batch_norm(x, self.mean, self.variance, self.weight, self.bias, by_batch, MOMENTUM, EPSILON)


class ResidualBlock(nn.Module):
    """x + second(relu(norm2(first(relu(norm1(x)))) + pooled))."""

    def __init__(self, width: int, *, pools: bool, tied: bool) -> None:
        super().__init__()
        self.norm1 = BatchNorm(width)
        self.first = Filters(width, width, 3, tied=tied)
        self.norm2 = BatchNorm(width)
        self.second = Filters(width, width, 3, tied=tied)
        self.pooling = nn.Parameter(torch.zeros(width, 2 * width)) if pools else None

    def compiled(self, x: Tensor, sums: Tensor, threads: int) -> tuple[Tensor, Tensor]:
        """Return the block's output and its sums, by `nobi.nn`, for x float[b, n, n, width] with its sums."""
        cells = x.shape[1] * x.shape[2]
        statistics = (self.norm1.statistics(cells, sums), partial(self.norm2.statistics, cells))
        first, second = (self.norm1.weight, self.norm1.bias), (self.norm2.weight, self.norm2.bias)
        found: tuple[Tensor, Tensor] = Block.apply(  # type: ignore[no-untyped-call]
            x, self.first(), *first, self.second(), *second, self.pooling, statistics, threads
        )
        return found

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output, by torch, for x float[b, width, n, n]."""
        z = self.norm2(conv2d(torch.relu(self.norm1(x)), self.first(), padding=1))
        if self.pooling is not None:
            z = z + (global_pooling(torch.relu(z).flatten(2), 2) @ self.pooling.T)[:, :, None, None]
        return x + conv2d(torch.relu(z), self.second(), padding=1)


def global_pooling(x: Tensor, cells: int) -> Tensor:
    """Return mean and maximum over the axis of the cells, concatenated."""
    return torch.cat([x.mean(cells), x.amax(cells)], 1)


class NobiNet(DeepNetwork):
    """A residual network with global pooling that supports every board size with the same weights."""

    name = NOBI_NET
    settings_type = NobiNetSettings
    settings: NobiNetSettings

    def __init__(self, settings: NobiNetSettings | None = None) -> None:
        super().__init__(settings)
        s = self.settings
        # an additional plane of ones: without it, some sets of planes would not distinguish the edge from empty points
        self.stem = Filters(plane_count(s.planes) + 1, s.width, 3, tied=s.symmetric)
        self.blocks = nn.ModuleList(
            [ResidualBlock(s.width, pools=i % 2 == 1, tied=s.symmetric) for i in range(s.blocks)]
        )
        self.norm = BatchNorm(s.width)
        half = s.head
        self.head = nn.Linear(s.width, 2 * half)
        self.head_pooling = nn.Linear(2 * half, half, bias=False)
        self.moves = nn.Linear(half, 2)
        self.value_hidden = nn.Linear(2 * half, 2 * half)
        self.value = nn.Linear(2 * half, 1)

    @property
    def images(self) -> int:
        return self.settings.images

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:
        return self.outputs(planes, white).policy

    def outputs(self, planes: Tensor, white: Tensor | None = None) -> Outputs:  # noqa: ARG002
        """Return policy and answer, float[b, n·n], and value, float[b], for planes float[b, P, n, n]."""
        compiled = self.convolution == "winograd" and planes.device.type == "cpu" and planes.dtype == torch.float32
        x = self._compiled_trunk(planes) if compiled else self._torch_trunk(planes)
        half = self.moves.in_features
        y = self.head(x.flatten(1, 2))
        pooled = global_pooling(torch.relu(y[..., :half]), 1)
        moves = self.moves(torch.relu(y[..., half:] + self.head_pooling(pooled)[:, None]))
        value = self.value(torch.relu(self.value_hidden(pooled)))[:, 0]
        return Outputs(moves[..., 0], moves[..., 1], value)

    def _compiled_trunk(self, planes: Tensor) -> Tensor:
        """Return the rectified output of the trunk, float[b, n, n, width]."""
        boards, count, size, _ = planes.shape
        threads = torch.get_num_threads()
        channels = -(-(count + 1) // PANEL) * PANEL
        x = torch.zeros(boards, size, size, channels)
        x[..., :count] = planes.permute(0, 2, 3, 1)
        x[..., count] = 1.0
        filters = pad(self.stem(), (0, 0, 0, 0, 0, channels - count - 1))
        x, sums = Convolution.apply(x, filters, False, threads)  # type: ignore[no-untyped-call]
        for block in self.blocks:
            x, sums = block.compiled(x, sums, threads)  # type: ignore[operator]
        statistics = self.norm.statistics(size * size, sums)
        found: Tensor = NormalisedRelu.apply(  # type: ignore[no-untyped-call]
            x, self.norm.weight, self.norm.bias, statistics
        )
        return found

    def _torch_trunk(self, planes: Tensor) -> Tensor:
        x = torch.cat([planes, torch.ones_like(planes[:, :1])], 1).contiguous(memory_format=torch.channels_last)
        x = conv2d(x, self.stem(), padding=1)
        for block in self.blocks:
            x = block(x)
        return torch.relu(self.norm(x)).permute(0, 2, 3, 1).contiguous()

    def freeze_statistics(self, frozen: bool) -> None:
        for part in self.modules():
            if isinstance(part, BatchNorm):
                part.frozen = frozen

    def start_from(self, other: DeepNetwork) -> bool:
        """Copy weights, also from a network with fewer blocks.

        Additional blocks keep their initial weights, with which a block adds 0 to its input: the network computes the
        same function, so that a deeper network can continue the training of a shallower one.
        """
        if not isinstance(other, NobiNet) or replace(other.settings, blocks=self.settings.blocks) != self.settings:
            return False
        if other.settings.blocks > self.settings.blocks:
            return False
        self.load_state_dict({**self.state_dict(), **other.state_dict()})
        return True

    def draw(self, rng: torch.Generator) -> None:
        """Draw He et al.'s normal weights for rectifiers; set all pooling and the last convolutions of blocks to 0."""
        for part in self.modules():
            if isinstance(part, BatchNorm):
                part.weight.fill_(1.0)
                part.bias.zero_()
                part.mean.zero_()
                part.variance.fill_(1.0)
            elif isinstance(part, ResidualBlock):
                part.second.weight.zero_()
                if part.pooling is not None:
                    part.pooling.zero_()
            elif isinstance(part, nn.Linear):
                part.weight.normal_(0.0, (2 / part.in_features) ** 0.5, generator=rng)
                if part.bias is not None:
                    part.bias.zero_()
        firsts = [block.first for block in self.blocks if isinstance(block, ResidualBlock)]
        for filters, inputs in [(self.stem, _SET_PLANES), *((first, self.settings.width) for first in firsts)]:
            filters.weight.normal_(0.0, (2 / (9 * inputs)) ** 0.5, generator=rng)
        self.head_pooling.weight.zero_()
        self.moves.weight.mul_(0.3)
        self.value.weight.mul_(0.3)
