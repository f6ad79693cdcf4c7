"""The networks of Maddison et al. 2015 (section 4): convolutions only, with biases for every point.

On a CPU the 3x3 convolutions are those of `nobi.nn.winograd`, if the number of filters is a multiple of 16; the first
layer, of 5x5, is torch's.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from nobi.board.text import check_size
from nobi.features import check_planes, make_planes, plane_count
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.simd import PANEL
from nobi.nn.torch_layers import BoardConv, channels_last
from nobi.nn.winograd_torch import Convolution


@dataclass(frozen=True)
class M15Settings:
    """The settings of an M15 network. The paper's best network has 12 layers of 128 filters."""

    layers: int = 12
    """Hidden layers; the first has 5x5 filters, the others 3x3."""
    filters: int = 128
    """Filters of each hidden layer."""
    position: bool = True
    """Whether biases depend on the point; the network then supports a single board size."""
    size: int = 19
    """The board size with biases that depend on the point."""
    colours: bool = True
    """Whether there are separate outputs for black and for white to move."""
    symmetric: bool = False
    """Whether filters and biases are the same under all symmetries (section 5.1)."""
    mask: bool = False
    """Masked training, as in C14."""
    planes: str = "m15"
    """The set of planes."""
    absolute: bool = False
    """Whether the first two planes are black and white stones, as in the paper, instead of own and enemy stones."""

    def __post_init__(self) -> None:
        if not 1 <= self.layers <= 64:
            raise ValueError(f"layers must be 1 to 64, not {self.layers}")
        if not 1 <= self.filters <= 1024:
            raise ValueError(f"filters must be 1 to 1024, not {self.filters}")
        check_size(self.size)
        check_planes(self.planes)
        if self.absolute and make_planes(self.planes).channels[:2] != ("own", "enemy"):
            raise ValueError(f"absolute needs planes that begin with own and enemy stones, not {self.planes!r}")


class M15(DeepNetwork):
    """M15's network: convolutions with rectifiers, and two output filters, one for each colour to move.

    The planes encode stones as own and enemy, or as black and white with `absolute`, as in the paper. Other differences
    between the colours, such as komi, are represented only by the two output filters. In both cases `forward` needs the
    colour to move.
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
    def sizes(self) -> tuple[int, ...] | None:
        return (self.settings.size,) if self.settings.position else None

    @property
    def takes_colour(self) -> bool:
        return self.settings.colours or self.settings.absolute

    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:
        """Return the values float[b, n·n] of the output filter of the player to move, for planes float[b, P, n, n]."""
        self.check_size(int(planes.shape[-1]))
        s = self.settings
        if white is None and self.takes_colour:
            raise ValueError("this network depends on the colour to move: forward needs `white`")
        if s.absolute and white is not None:
            swapped = torch.cat([planes[:, 1:2], planes[:, :1], planes[:, 2:]], 1)
            planes = torch.where(white[:, None, None, None], swapped, planes)
        fits = s.filters % PANEL == 0 and planes.device.type == "cpu" and planes.dtype == torch.float32
        values = self._compiled(planes) if fits and self.convolution == "winograd" else self._torch(planes)
        if not s.colours or white is None:
            return values[:, 0]
        return torch.where(white[:, None], values[:, 1], values[:, 0])

    def _torch(self, planes: Tensor) -> Tensor:
        """Return the outputs float[b, 2, n·n], or float[b, 1, n·n] without colours."""
        x = channels_last(planes)
        for layer in self.hidden:
            x = torch.relu(layer(x))
        values: Tensor = self.top(x).flatten(2)
        return values

    def _compiled(self, planes: Tensor) -> Tensor:
        """Return the same outputs by the compiled convolutions, which include the preceding rectifiers."""
        first, *others = self.hidden
        x = first(channels_last(planes)).permute(0, 2, 3, 1)
        threads = torch.get_num_threads()
        for layer in (*others, self.top):
            filters, bias = layer.filters(), layer.bias()  # type: ignore[operator]
            outputs = len(filters)
            filters = pad(filters, (0, 0, 0, 0, 0, 0, 0, -outputs % PANEL))
            x, _ = Convolution.apply(x, filters, True, threads)  # type: ignore[no-untyped-call]
            x = x[..., :outputs] + bias.permute(1, 2, 0)
        return x.permute(0, 3, 1, 2).flatten(2)

    def draw(self, rng: torch.Generator) -> None:
        """Draw all weights and biases uniformly from ±0.05."""
        for weights in self.parameters():
            weights.uniform_(-0.05, 0.05, generator=rng)
