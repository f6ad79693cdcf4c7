"""The planes that deep networks take, by name; `nobi.features` computes them.

MERGED networks/deep/base.py: What a deep network is: a torch module with settings, the planes it takes and the sizes of board it serves.
"""

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nobi.board.text import check_size
from nobi.errors import NobiError
from nobi.features import check_planes
from nobi.nn.torch_layers import Tied
from nobi.spec import format_spec

STONES = "own-enemy"
"""The two planes of the compiled networks: own stones, enemy stones."""


@dataclass(frozen=True)
class TwinChoices:
    """What a torch twin has to choose besides the settings of its compiled network; stands before them as a base."""

    mask: bool = True
    """Masked training, as in C14."""
    planes: str = STONES
    """The planes it takes; only with `own-enemy` is there a compiled network like it."""

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]  # that of the compiled network's settings
        check_planes(self.planes)


class Outputs(NamedTuple):
    """What a network computes of a batch of positions; only the policy is always there."""

    policy: Tensor
    """float[b, n·n] the logits of moves."""
    answer: Tensor | None = None
    """float[b, n·n] the logits of the opponent's next move."""
    value: Tensor | None = None
    """float[b] the logit of the probability that the player to move wins."""


class DeepNetwork(nn.Module, ABC):
    """A network trained by gradient to predict moves; its word, `str(network)`, makes it again."""

    name: ClassVar[str]
    settings_type: ClassVar[type]
    convolution: str = "winograd"
    """Which 3x3 convolutions to use on a processor: `winograd` (our own, where the network has them) or `torch`."""

    def __init__(self, settings: Any = None) -> None:
        super().__init__()
        self.settings = self.settings_type() if settings is None else settings

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    @property
    @abstractmethod
    def planes(self) -> str:
        """The name of the planes it takes (see `nobi.features`)."""

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The sizes of board it serves; None for all."""
        return None

    @property
    def masked(self) -> bool:
        """Whether it is trained on the legal moves alone: softmax and gradient over them only (C14 section 2.3.2)."""
        return bool(self.settings.mask)

    @property
    def takes_colour(self) -> bool:
        """Whether `forward` has to be told who is to move."""
        return False

    @abstractmethod
    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:
        """The value of every point, the logits of a softmax over moves.

        Args:
            planes: float[b, P, n, n].
            white: bool[b] whether white is to move; only needed, and only heeded, if `takes_colour`.

        Returns:
            float[b, n·n], row by row, row 0 at the top.
        """

    def outputs(self, planes: Tensor, white: Tensor | None = None) -> Outputs:
        """All that the network predicts; the arguments are those of `forward`."""
        return Outputs(self(planes, white))

    def freeze_statistics(self, frozen: bool) -> None:
        """Has batch normalisation, where there is some, keep its statistics constant in training."""

    @abstractmethod
    def draw(self, rng: torch.Generator) -> None:
        """Draws fresh weights."""

    def start_afresh(self, seed: int) -> None:
        """Fresh weights; the same for the same seed, on any number of threads."""
        with torch.no_grad():
            self.draw(torch.Generator().manual_seed(seed))

    def weight_count(self) -> int:
        """How many numbers are trained."""
        return sum(p.numel() for p in self.parameters())

    def check_serves(self, size: int) -> None:
        """Complains if the network cannot play on this size of board."""
        check_size(size)
        if self.sizes is not None and size not in self.sizes:
            served = " or ".join(f"{n}x{n}" for n in self.sizes)
            raise NobiError(f"The network {self} plays on {served} only, not on {size}x{size}.")

    def evaluate(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> NDArray[np.float32]:
        """`forward` without gradients, from and to plain arrays: [b, P, n, n] and [b] → [b, n·n]."""
        device = next(self.parameters()).device
        with torch.inference_mode():
            values: Tensor = self(torch.from_numpy(planes).to(device), torch.from_numpy(white).to(device))
        return np.asarray(values.cpu().numpy(), np.float32)

    def for_play(self) -> Self:
        """A copy with the same outputs that is not to be trained: tied weights are written out once, not every time."""
        copy = deepcopy(self).requires_grad_(False).eval()
        for part in copy.modules():
            if isinstance(part, Tied):
                part.untie()
        return copy
