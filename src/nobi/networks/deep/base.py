"""The interface of deep networks: torch modules with settings, input planes (by name) and supported board sizes."""

from abc import ABC, abstractmethod
from copy import deepcopy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from nobi.board.text import check_size
from nobi.errors import NobiError
from nobi.nn.residual import Evaluation, sigmoid
from nobi.nn.torch_layers import Tied
from nobi.spec import format_spec


class Outputs(NamedTuple):
    """The outputs of a network for a batch of positions; only the policy is always present."""

    policy: Tensor  # float[b, n·n] the logits of moves
    answer: Tensor | None = None  # float[b, n·n] the logits of the opponent's next move
    value: Tensor | None = None  # float[b] the logit of the probability that the player to move wins


class DeepNetwork(nn.Module, ABC):
    """A network trained by gradient to predict moves; `make_deep(str(network))` has the same structure."""

    name: ClassVar[str]
    settings_type: ClassVar[type]
    convolution: str = "winograd"
    """The 3x3 convolutions on a CPU: `winograd` (our own, if the network supports them) or `torch`."""

    has_value: bool = True
    """Whether the value output, if there is one, was trained."""

    def __init__(self, settings: Any = None) -> None:
        super().__init__()
        self.settings = self.settings_type() if settings is None else settings

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    @property
    def planes(self) -> str:
        """The name of its set of planes (see `nobi.features`)."""
        return str(self.settings.planes)

    @property
    def images(self) -> int:
        """The number of images of a board over which a player averages; 1, as in the papers."""
        return 1

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The supported board sizes; None for all."""
        return None

    @property
    def masked(self) -> bool:
        """Whether softmax and gradient in training are restricted to the legal moves (C14 section 2.3.2)."""
        return bool(self.settings.mask)

    @property
    def takes_colour(self) -> bool:
        """Whether `forward` needs the colour of the player to move."""
        return False

    @abstractmethod
    def forward(self, planes: Tensor, white: Tensor | None = None) -> Tensor:
        """Return the value of every point, the logits of a softmax over moves.

        Args:
            planes: float[b, P, n, n].
            white: bool[b] whether white is to move; only used if `takes_colour`.

        Returns:
            float[b, n·n], row by row, row 0 at the top.
        """

    def outputs(self, planes: Tensor, white: Tensor | None = None) -> Outputs:
        """Return all outputs of the network; the arguments are those of `forward`."""
        return Outputs(self(planes, white))

    def freeze_statistics(self, frozen: bool) -> None:
        """Set whether batch normalisation, if any, uses constant statistics in training."""

    @abstractmethod
    def draw(self, rng: torch.Generator) -> None:
        """Draw initial weights."""

    def init_weights(self, seed: int) -> None:
        """Draw initial weights by a seed; the result does not depend on the number of threads."""
        with torch.no_grad():
            self.draw(torch.Generator().manual_seed(seed))

    def start_from(self, other: "DeepNetwork") -> bool:
        """Copy the weights of a network of the same structure; return False if the structures are incompatible."""
        if str(other) != str(self):
            return False
        self.load_state_dict(other.state_dict())
        return True

    def weight_count(self) -> int:
        """Return the number of trained weights."""
        return sum(p.numel() for p in self.parameters())

    def check_size(self, size: int) -> None:
        """Raise a NobiError if the network does not support this board size."""
        check_size(size)
        if self.sizes is not None and size not in self.sizes:
            supported = " or ".join(f"{n}x{n}" for n in self.sizes)
            raise NobiError(f"The network {self} plays on {supported} only, not on {size}x{size}.")

    def evaluate(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Apply `forward` to NumPy arrays without gradients: [b, P, n, n] and [b] → [b, n·n]."""
        return self.evaluate_with_value(planes, white).policy

    def evaluate_with_value(self, planes: NDArray[np.float32], white: NDArray[np.bool_]) -> Evaluation:
        """Apply `outputs` to NumPy arrays without gradients."""
        device = next(self.parameters()).device
        with torch.inference_mode():
            found = self.outputs(torch.from_numpy(planes).to(device), torch.from_numpy(white).to(device))
        value = sigmoid(found.value.cpu().numpy()) if found.value is not None and self.has_value else None
        return Evaluation(np.asarray(found.policy.cpu().numpy(), np.float32), value)

    def for_play(self) -> Self:
        """Return a copy for inference with the same outputs, in which tied weights are expanded."""
        copy = deepcopy(self).requires_grad_(False).eval()
        for part in copy.modules():
            if isinstance(part, Tied):
                part.untie()
        return copy
