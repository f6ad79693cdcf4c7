"""From values to probabilities of moves, and how surprised a network is by the expert's move."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


def only_legal(logits: Tensor, legal: Tensor) -> Tensor:
    """Logits float[b, cells] with −∞ where legal bool[b, cells] is false: such moves get the probability 0."""
    return logits.masked_fill(~legal, -torch.inf)


def move_loss(logits: Tensor, target: Tensor, legal: Tensor | None = None) -> Tensor:
    """The mean negative log likelihood of the experts' moves.

    Args:
        logits: float[b, cells].
        target: int64[b] the cell of the move.
        legal: bool[b, cells] for masked training (C14 section 2.3.2): softmax and gradient over the legal moves only.
            The expert's move counts as legal whatever its rules were.
    """
    if legal is not None:
        logits = only_legal(logits, legal.scatter(1, target[:, None], True))
    return cross_entropy(logits, target)
