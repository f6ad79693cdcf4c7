"""The networks of Maddison et al. 2015 (section 4): convolutions only, with biases for every position."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nobi.board.text import check_size
from nobi.errors import NobiError
from nobi.features import check_planes, plane_count
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import BoardConv, channels_last


@dataclass(frozen=True)
class M15Settings:
    """The choices of an M15 network. The paper's best: 12 layers of 128 filters."""

    layers: int = 12
    """Hidden layers, the first of 5x5 filters, the others of 3x3."""
    filters: int = 128
    """Filters of each hidden layer."""
    position: bool = True
    """Whether biases depend on the position; then the network serves one size of board, else all."""
    size: int = 19
    """That size."""
    colours: bool = True
    """Whether there is a softmax for black's turn and another for white's."""
    symmetric: bool = False
    """Whether filters and biases are the same under all symmetries (section 5.1)."""
    mask: bool = False
    """Masked training, as in C14."""
    planes: str = "m15"
    """The planes it takes."""

    def __post_init__(self) -> None:
        if not 1 <= self.layers <= 64:
            raise ValueError(f"layers must be 1 to 64, not {self.layers}")
        if not 1 <= self.filters <= 1024:
            raise ValueError(f"filters must be 1 to 1024, not {self.filters}")
        try:
            check_size(self.size)
        except NobiError as fault:
            raise ValueError(str(fault).rstrip(".")) from None
        check_planes(self.planes)


class M15(DeepNetwork):
    """M15's network: convolutions with rectifiers, and two filters on top, one for each colour to move.

    The planes say which stones are the mover's own. What differs between the colours beyond that, such as who gets
    komi, is left to the two filters of the output, and `forward` has to be told whose turn it is.
    """

    name = "m15"
    settings_type = M15Settings
    settings: M15Settings

    def __init__(self, settings: M15Settings | None = None) -> None:
        super().__init__(settings)
        s = self.settings
        bias_size = s.size if s.position else None

        def convolution(inputs: int, outputs: int, width: int) -> BoardConv:
            return BoardConv(inputs, outputs, width, tied=s.symmetric, bias_size=bias_size)

        hidden = [convolution(plane_count(s.planes), s.filters, 5)]
        hidden += [convolution(s.filters, s.filters, 3) for _ in range(s.layers - 1)]
        self.hidden = nn.ModuleList(hidden)
        self.top = convolution(s.filters, 2 if s.colours else 1, 3)

    @property
    def planes(self) -> str:
        """Those of its settings."""
        return self.settings.planes

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """One, if its biases depend on the position."""
        return (self.settings.size,) if self.settings.position else None

    @property
    def takes_colour(self) -> bool:
        """With a softmax for each colour."""
        return self.settings.colours

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:
        """float[b, P, n, n] → float[b, n·n], by the softmax of the player to move."""
        self.check_serves(int(planes.shape[-1]))
        x = channels_last(planes)
        for layer in self.hidden:
            x = torch.relu(layer(x))
        values = self.top(x).flatten(2)
        if not self.settings.colours:
            return values[:, 0]
        if white is None:
            raise ValueError("this network has a softmax for each colour: tell forward whether white is to move")
        return torch.where(white[:, None], values[:, 1], values[:, 0])

    def draw(self, rng: torch.Generator) -> None:
        """All weights and biases uniformly from ±0.05."""
        for weights in self.parameters():
            weights.uniform_(-0.05, 0.05, generator=rng)
