"""From values to probabilities of moves, and how surprised a network is by the expert's move."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


def only_legal(logits: Tensor, legal: Tensor) -> Tensor:
    """Logits float[b, cells] with −∞ where legal bool[b, cells] is false: such moves get the probability 0."""
    return logits.masked_fill(~legal, -torch.inf)


def move_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The mean negative log likelihood of the experts' moves, the cells int64[b], by logits float[b, cells].

    In masked training (C14 section 2.3.2) the logits are `only_legal`: softmax and gradient heed the legal moves alone.
    """
    return cross_entropy(logits, target)
