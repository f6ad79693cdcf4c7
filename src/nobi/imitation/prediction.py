"""Ranks of experts' moves by a deep network: `rank_moves` for positions, `open_evaluation` for a model and datasets.

`imitation/metrics.py` computes the metrics of the ranks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nobi.board.symmetry import SYMMETRIES, averaged
from nobi.errors import NobiError
from nobi.imitation.data import Batch, Positions, Reader, Sources, fixed_sample, open_sources, read_ahead
from nobi.imitation.metrics import MoveRankings, Prediction, prediction_of
from nobi.models.model import Model, load_model
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import Filters, only_legal
from nobi.records.collection import Collection

BATCH = 256
"""Positions per batch."""


def considered(logits: Tensor, batch: Batch, *, legal_only: bool) -> Tensor:
    """Return the values float[b, cells] of the moves to compare: all, or the legal ones.

    The expert's move counts as legal, since the rules of the record may differ.
    """
    return only_legal(logits, batch.legal.scatter(1, batch.target[:, None], True)) if legal_only else logits


def rank_targets(values: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the numbers of moves with higher and equal values, and the log probabilities of the targets: [b] each."""
    own = values.gather(1, target[:, None])
    log_probability = torch.log_softmax(values.double(), 1).gather(1, target[:, None])
    return (values > own).sum(1), (values == own).sum(1), log_probability[:, 0]


def batches_of(
    numbers: Sequence[NDArray[np.int64]], reader: Reader, device: torch.device, at_once: int = BATCH
) -> Iterator[tuple[int, NDArray[np.int64], Batch]]:
    """Yield batches of positions on a device, each with its source and the numbers of its positions.

    Args:
        numbers: int64[k] for each source of the reader, the numbers of its positions, sorted.
        reader: reads the positions.
        device: the device of the network.
        at_once: the size of a batch.
    """
    chunks = [
        (source, chunk)
        for source, chosen in enumerate(numbers)
        for chunk in np.array_split(chosen, -(-len(chosen) // at_once) or 1)
        if len(chunk)
    ]
    made = read_ahead(lambda i: reader.read(*chunks[i]), 0, len(chunks), device, reader.ahead(at_once))
    with made as next_batch:
        for source, chunk in chunks:
            yield source, chunk, next_batch().to(device)


def logits_of(network: DeepNetwork, batch: Batch, *, average: bool = False) -> Tensor:
    """Return the values float[b, cells] of all points, without gradients; raise a NobiError if they are not finite."""
    with torch.inference_mode():
        logits: Tensor = _averaged(network, batch) if average else network(batch.planes, batch.white)
    if not torch.isfinite(logits).all():
        raise NobiError("The network's values are NaN or infinite: its training has diverged; use a lower rate.")
    return logits


def rank_moves(
    network: DeepNetwork,
    sources: Sequence[Positions],
    numbers: Sequence[NDArray[np.int64]],
    reader: Reader,
    device: torch.device,
    *,
    legal_only: bool,
    average: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> MoveRankings:
    """Rank experts' moves in some positions.

    Args:
        network: on its device.
        sources: the positions.
        numbers: int64[k] for each source, the numbers of its positions, sorted.
        reader: of the same sources.
        device: that of the network.
        legal_only: whether only legal moves are compared.
        average: whether values are averaged over the eight images of a board.
        progress: called with the number of evaluated positions.
    """
    first_game = np.cumsum([0, *(len(source.games.size) for source in sources)])
    parts: list[list[NDArray[Any]]] = []
    done = 0
    for source, chunk, batch in batches_of(numbers, reader, device, BATCH // SYMMETRIES if average else BATCH):
        values = considered(logits_of(network, batch, average=average), batch, legal_only=legal_only)
        at, games = sources[source].locate(chunk), sources[source].games
        rank = np.where(at.white, games.white_rank[at.game], games.black_rank[at.game])
        parts.append(
            [
                at.game + first_game[source],
                at.ply,
                np.full(len(chunk), sources[source].size),
                rank.astype(np.int64),
                *(found.cpu().numpy() for found in rank_targets(values, batch.target)),
            ]
        )
        done += len(chunk)
        progress(done)
    if not parts:
        parts.append([np.zeros(0, np.int64)] * 6 + [np.zeros(0)])
    columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return MoveRankings(*columns)


def _averaged(network: DeepNetwork, batch: Batch) -> Tensor:
    white = np.tile(batch.white.cpu().numpy(), SYMMETRIES)
    values = averaged(lambda planes: network.evaluate(planes, white), batch.planes.cpu().numpy())
    return torch.from_numpy(values).to(batch.planes.device)


@dataclass(frozen=True)
class Evaluation:
    """A model, and positions to measure it on."""

    network: DeepNetwork
    sources: Sources
    numbers: list[NDArray[np.int64]]
    """The numbers of the positions of each source."""

    @property
    def count(self) -> int:
        """Number of positions."""
        return sum(map(len, self.numbers))

    def rankings(
        self,
        device: torch.device,
        *,
        legal: bool = False,
        average: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> MoveRankings:
        """Return the ranks of experts' moves, among legal moves if `legal` or if the network was trained with a mask.

        With `average`, values are averaged over the eight images of each board.
        """
        network = self.network.for_play().to(device)
        return rank_moves(
            network,
            self.sources.positions,
            self.numbers,
            Reader(self.sources.positions, network.planes, device),
            device,
            legal_only=legal or network.masked,
            average=average,
            progress=progress,
        )

    def legal_choices(self, device: torch.device) -> NDArray[np.bool_]:
        """Return whether the point with the highest value is a legal move, [position]."""
        network = self.network.for_play().to(device)
        reader = Reader(self.sources.positions, network.planes, device)
        found = [
            batch.legal.gather(1, logits_of(network, batch).argmax(1, keepdim=True))[:, 0].cpu().numpy()
            for _, _, batch in batches_of(self.numbers, reader, device)
        ]
        return np.concatenate(found) if found else np.zeros(0, np.bool_)

    def measure(
        self,
        device: torch.device,
        *,
        legal: bool = False,
        average: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Prediction:
        """Return the metrics of the model; the arguments are those of `rankings`."""
        return prediction_of(self.rankings(device, legal=legal, average=average, progress=progress))


def positions_with_ko(games: Collection, positions: int, seed: int) -> NDArray[np.bool_]:
    """Return whether simple ko forbids a move, [position], in a random sample of positions; 0: all positions."""
    source, device = Positions(games), torch.device("cpu")
    reader = Reader([source], "c14-3", device)
    plane = reader.planes.channels.index("ko")
    batches = batches_of(fixed_sample([source.count], positions, seed), reader, device)
    return np.concatenate([batch.planes[:, plane].amax((1, 2)).numpy() > 0 for _, _, batch in batches])


def first_filters(network: DeepNetwork) -> NDArray[np.float32] | None:
    """Return the filters of the first convolution, if there is one: float32[outputs, inputs, width, width]."""
    for part in network.modules():
        if isinstance(part, Filters):
            return np.asarray(part().detach().cpu().numpy(), np.float32)
    return None


def open_evaluation(
    model: Model | Path, data: Sequence[str], split: str, sizes: Sequence[int] = (), positions: int = 0, seed: int = 0
) -> Evaluation:
    """Open a model, or its file, and a split of datasets; `positions` is the size of a random sample, 0: all."""
    network = (model if isinstance(model, Model) else load_model(model)).module()
    sources = open_sources(data, split, sizes, network)
    return Evaluation(network, sources, fixed_sample(sources.counts, positions, seed))
