"""One step of gradient training."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.nn.utils import clip_grad_norm_

from nobi.imitate.batches import Batch
from nobi.imitate.optimiser import make_optimiser, set_rate
from nobi.imitate.positions import NO_ANSWER
from nobi.imitate.team import Team
from nobi.imitate.verdicts import considered
from nobi.networks.deep.base import DeepNetwork, Outputs
from nobi.networks.deep.loss import move_loss


class LossWeights(NamedTuple):
    """How much other losses count beside that of the moves."""

    answer: float = 0.0
    value: float = 0.0


class StepResult(NamedTuple):
    """What a step tells, of the whole batch over all processes, before the weights were changed."""

    loss: float
    accuracy: float
    stop: bool
    """Whether a process was asked to stop."""


class Trainer:
    """A network that is changed step by step."""

    def __init__(
        self,
        network: DeepNetwork,
        optimiser: str,
        batch: int,
        clip: float = 0.0,
        team: Team | None = None,
        weights: LossWeights | None = None,
    ) -> None:
        """`batch` counts the positions of a step over all processes; `clip` is the longest gradient, 0 for any."""
        self.network = network
        self.optimiser = make_optimiser(optimiser, network)
        self._batch = batch
        self._clip = clip
        self._team = team or Team()
        self._weights = weights or LossWeights()

    def step(self, batch: Batch, rate: float, *, stop: bool = False) -> StepResult:
        """Learns from this process's part of a batch, which is on the network's device."""
        outputs = self.network.outputs(batch.planes, batch.white)
        values = considered(outputs.policy, batch, legal_only=self.network.masked)
        loss = move_loss(values, batch.target) * (len(batch.target) / self._batch)
        self.optimiser.zero_grad(set_to_none=True)
        (loss + self._other_losses(outputs, batch) * (len(batch.target) / self._batch)).backward()  # type: ignore[no-untyped-call]
        hits = (values.detach().argmax(1) == batch.target).sum() / self._batch
        told = torch.stack([loss.detach(), hits, torch.full_like(hits, float(stop))]).double()
        self._team.sum_gradients(self.network, told)
        if self._clip:
            clip_grad_norm_(self.network.parameters(), self._clip)
        set_rate(self.optimiser, rate)
        self.optimiser.step()
        mean_loss, accuracy, stopping = told.tolist()
        return StepResult(mean_loss, accuracy, stopping > 0)

    def _other_losses(self, outputs: Outputs, batch: Batch) -> Tensor:
        """The weighted losses of what a network predicts besides moves."""
        loss = torch.zeros((), device=batch.planes.device)
        if outputs.answer is not None and self._weights.answer:
            total = cross_entropy(outputs.answer, batch.answer, ignore_index=NO_ANSWER, reduction="sum")
            loss = loss + self._weights.answer * total / len(batch.answer)
        if outputs.value is not None and self._weights.value:
            won, known = (batch.result + 1) / 2, (batch.result != 0).float()
            surprise = binary_cross_entropy_with_logits(outputs.value, won, known, reduction="sum")
            loss = loss + self._weights.value * surprise / len(known)
        return loss
