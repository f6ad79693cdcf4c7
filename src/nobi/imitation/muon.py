"""Muon: momentum SGD whose update matrices are orthogonalised.

Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024); the size of a step is matched to
AdamW's as in Liu et al., "Muon is scalable for LLM training" (2025), so that both can use one schedule. Filters
[outputs, inputs, …] are matrices with one row per output. AdamW updates all other weights (biases, normalisation, small
matrices).
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

if TYPE_CHECKING:
    from nobi.imitation.optimiser import MuonSettings


ITERATIONS = 5
"""Newton-Schulz iterations: the resulting singular values are between about 0.7 and 1.2, close enough to 1."""
COEFFICIENTS = 3.4445, -4.7750, 2.0315
"""The coefficients of the iterated polynomial a x + b x³ + c x⁵."""
MIN_ROWS = 8
"""Minimum number of outputs and inputs of filters; AdamW updates smaller ones."""


class Muon(Optimizer):
    """Muon for filters, AdamW for the rest."""

    def __init__(self, weights: Iterable[nn.Parameter], settings: "MuonSettings") -> None:
        self._settings = settings
        weights = list(weights)
        filters = [w for w in weights if w.ndim >= 3 and min(w.shape[:2]) >= MIN_ROWS]
        chosen = {id(w) for w in filters}
        others = [w for w in weights if id(w) not in chosen]
        groups: list[dict[str, Any]] = [{"params": filters, "muon": True}, {"params": others, "muon": False}]
        super().__init__([group for group in groups if group["params"]], {"lr": 1.0})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        del closure
        for group in self.param_groups:
            weights = [w for w in group["params"] if w.grad is not None]
            if group["muon"]:
                self._step_filters(weights, group["lr"])
            else:
                for weight in weights:
                    self._step_adamw(weight, group["lr"] * self._settings.others)

    def _step_filters(self, filters: list[Tensor], rate: float) -> None:
        momentum = self._settings.momentum
        by_shape: dict[tuple[int, int], list[tuple[Tensor, Tensor]]] = {}
        for weight in filters:
            gradient: Any = weight.grad
            state = self.state[weight]
            if not state:
                state["momentum"] = torch.zeros_like(weight)
            state["momentum"].mul_(momentum).add_(gradient)
            update = gradient + momentum * state["momentum"]  # Nesterov momentum
            matrix = update.reshape(len(weight), -1)
            by_shape.setdefault((matrix.shape[0], matrix.shape[1]), []).append((weight, matrix))
        for (rows, columns), found in by_shape.items():
            updates = orthogonal(torch.stack([matrix for _, matrix in found]))
            size = 0.2 * max(rows, columns) ** 0.5  # 0.2 is the usual root mean square of AdamW's updates
            for (weight, _), update in zip(found, updates, strict=True):
                weight.mul_(1 - rate * self._settings.decay)
                weight.add_(update.view_as(weight), alpha=-rate * size)

    def _step_adamw(self, weight: Tensor, rate: float) -> None:
        beta1, beta2, gradient = self._settings.beta1, self._settings.beta2, weight.grad
        assert gradient is not None  # noqa: S101
        state = self.state[weight]
        if not state:
            state["step"] = torch.zeros(())
            state["mean"], state["square"] = torch.zeros_like(weight), torch.zeros_like(weight)
        state["step"] += 1
        step = float(state["step"])
        state["mean"].lerp_(gradient, 1 - beta1)
        state["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        deviation = (state["square"] / (1 - beta2**step)).sqrt_().add_(1e-8)
        weight.mul_(1 - rate * self._settings.decay)
        weight.addcdiv_(state["mean"], deviation, value=-rate / (1 - beta1**step))


def orthogonal(matrices: Tensor) -> Tensor:
    """Return nearly orthogonal matrices with the same singular vectors, float[m, r, c].

    The iteration uses the Gram matrix of the shorter side: all factors are polynomials of it.
    """
    wide = matrices.shape[1] <= matrices.shape[2]
    x = matrices if wide else matrices.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    a, b, c = COEFFICIENTS
    gram = x @ x.mT
    identity = torch.eye(gram.shape[-1], device=x.device)
    factor = identity.expand_as(gram)
    for _ in range(ITERATIONS):
        polynomial = torch.baddbmm(gram, gram, gram, beta=b, alpha=c) + a * identity
        factor = polynomial @ factor
        gram = polynomial @ gram @ polynomial
    x = factor @ x
    return x if wide else x.mT
