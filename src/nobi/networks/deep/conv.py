"""The torch twin of S09's network `conv`, for training by gradient."""

from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d

from nobi.features import ONLY_STONES
from nobi.networks.conv import Conv, ConvSettings
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.network import Weights


@dataclass(frozen=True)
class ConvTwinSettings(ConvSettings):
    """The settings of the compiled network."""

    mask: bool = True
    """Masked training, as in C14."""


class ConvTwin(DeepNetwork):
    """One layer of feature maps with trainable padding, equal to the compiled network with the same weights."""

    name = "conv"
    settings_type = ConvTwinSettings
    settings: ConvTwinSettings

    def __init__(self, settings: ConvTwinSettings | None = None) -> None:
        super().__init__(settings)
        self.weights = nn.Parameter(torch.empty(self.compiled_network().weight_count(0)))

    @property
    def planes(self) -> str:
        return ONLY_STONES

    def compiled_network(self) -> Conv:
        """Return the compiled network with the same settings."""
        s = self.settings
        return Conv(ConvSettings(s.features, s.width, s.planes))

    def compiled_weights(self) -> Weights:
        """Return the weights as a vector, for `compiled_network`."""
        weights: Weights = self.weights.detach().cpu().to(torch.float32).numpy().copy()
        return weights

    def split(self) -> dict[str, Tensor]:
        """Return the groups of weights, as views of the vector."""
        groups = self.compiled_network().groups(0)
        parts = torch.split(self.weights, [prod(shape) for shape in groups.values()])
        return {name: part.view(shape) for (name, shape), part in zip(groups.items(), parts, strict=True)}

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:  # noqa: ARG002
        groups = self.split()
        x = planes[:, :1] - planes[:, 1:] if self.settings.planes == 1 else planes
        boards, size, margin = len(x), x.shape[-1], self.settings.width // 2
        around = size + 2 * margin
        inside = torch.zeros(around, around, dtype=torch.bool, device=x.device)
        inside[margin : margin + size, margin : margin + size] = True
        padded = nn.functional.pad(x, (margin,) * 4)
        padded = torch.where(inside, padded, groups["padding"][:, None, None].expand(-1, around, around))
        maps = torch.tanh(conv2d(padded, groups["filters"]))
        return torch.einsum("k,bkij->bij", groups["output"], maps).reshape(boards, size * size)

    def draw(self, rng: torch.Generator) -> None:
        """Draw small weights suited to gradient descent: N(0, 1/√(number of inputs of the unit))."""
        s = self.settings
        for name, part in self.split().items():
            fan_in = {"filters": s.planes * s.width**2, "output": s.features, "padding": 1}[name]
            part.normal_(0.0, fan_in**-0.5, generator=rng)
