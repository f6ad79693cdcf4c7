"""What a network thinks of the experts' moves, position by position."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nobi.errors import NobiError
from nobi.imitate.batches import Batch, Reader, in_turn
from nobi.imitate.positions import Positions
from nobi.networks.deep.base import DeepNetwork
from nobi.networks.deep.loss import only_legal

BATCH = 256
"""Positions that are measured at once."""


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on some positions, [i] each."""

    game: NDArray[np.int64]
    """Counted through all sources."""
    ply: NDArray[np.int64]
    """How many moves were made before."""
    size: NDArray[np.int64]
    rank: NDArray[np.int64]
    """Of the player to move, as in collections."""
    better: NDArray[np.int64]
    """How many moves the network prefers to the expert's."""
    equal: NDArray[np.int64]
    """How many it finds as good, the expert's among them: symmetric networks cannot tell symmetric moves apart."""
    log_probability: NDArray[np.float64]
    """Of the expert's move."""

    def __len__(self) -> int:
        return len(self.game)

    def select(self, chosen: NDArray[np.bool_]) -> "Verdicts":
        """Those that are chosen, bool[i]."""
        return Verdicts(*(getattr(self, field.name)[chosen] for field in fields(self)))


def considered(logits: Tensor, batch: Batch, *, legal_only: bool) -> Tensor:
    """The values float[b, cells] of the moves that count: all, or the legal ones.

    The expert's move is legal whatever his rules were.
    """
    return only_legal(logits, batch.legal.scatter(1, batch.target[:, None], True)) if legal_only else logits


def judge(values: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """How many moves are better than the targets, how many as good, and the targets' log probabilities: [b] each."""
    own = values.gather(1, target[:, None])
    log_probability = torch.log_softmax(values.double(), 1).gather(1, target[:, None])
    return (values > own).sum(1), (values == own).sum(1), log_probability[:, 0]


def give_verdicts(
    network: DeepNetwork,
    sources: Sequence[Positions],
    numbers: Sequence[NDArray[np.int64]],
    reader: Reader,
    device: torch.device,
    *,
    legal_only: bool,
    progress: Callable[[int], None] = lambda _: None,
) -> Verdicts:
    """Shows positions to a network.

    Args:
        network: on its device.
        sources: where positions come from.
        numbers: int64[k] for each source, which of its positions, sorted.
        reader: of the same sources.
        device: that of the network.
        legal_only: whether only legal moves are compared.
        progress: is told how many positions are done.
    """
    chunks = [
        (source, chunk)
        for source, chosen in enumerate(numbers)
        for chunk in np.array_split(chosen, -(-len(chosen) // BATCH) or 1)
        if len(chunk)
    ]
    first_game = np.cumsum([0, *(len(source.games.size) for source in sources)])
    parts: list[list[NDArray[Any]]] = []
    done = 0
    made = in_turn(lambda i: reader.read(*chunks[i]), 0, len(chunks), device, reader.ahead(BATCH))
    with made as next_batch, torch.inference_mode():
        for source, chunk in chunks:
            batch = next_batch().to(device)
            logits = network(batch.planes, batch.white)
            if not torch.isfinite(logits).all():
                raise NobiError("The network's values are no numbers: its training has diverged; use a lower rate.")
            values = considered(logits, batch, legal_only=legal_only)
            places, games = sources[source].places(chunk), sources[source].games
            rank = np.where(places.white, games.white_rank[places.game], games.black_rank[places.game])
            parts.append(
                [
                    places.game + first_game[source],
                    places.ply,
                    np.full(len(chunk), sources[source].size),
                    rank.astype(np.int64),
                    *(found.cpu().numpy() for found in judge(values, batch.target)),
                ]
            )
            done += len(chunk)
            progress(done)
    if not parts:
        parts.append([np.zeros(0, np.int64)] * 6 + [np.zeros(0)])
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Verdicts(*columns)
