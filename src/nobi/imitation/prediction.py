"""How well a network predicts experts' moves, with 95 % intervals.

`rank_moves` finds the rank of the expert's move in every position, `prediction_of` the metrics of all. The positions of
a game are correlated, so games are the independent units: standard errors are those of a ratio of sums over games
(cluster-robust), which are larger than if positions were independent.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit
from torch import Tensor

from nobi.errors import NobiError
from nobi.imitation.data import Batch, Positions, Reader, Sources, fixed_sample, open_sources, read_ahead
from nobi.models.model import DeepModel, load_deep
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import Filters, only_legal
from nobi.statistics import CONFIDENCE, Interval, share_interval

BATCH = 256
"""Positions that are evaluated at once."""


@dataclass(frozen=True)
class MoveRankings:
    """The ranks of experts' moves among the moves of a network, [i] each."""

    game: NDArray[np.int64]
    """Numbered over all sources."""
    ply: NDArray[np.int64]
    """Number of moves before."""
    size: NDArray[np.int64]
    rank: NDArray[np.int64]
    """Of the player to move, as in `Collection`."""
    better: NDArray[np.int64]
    """Number of moves with higher values than the expert's."""
    equal: NDArray[np.int64]
    """Number of moves with the same value, the expert's included: symmetric networks give symmetric moves one value."""
    log_probability: NDArray[np.float64]
    """Of the expert's move."""

    def __len__(self) -> int:
        return len(self.game)

    def select(self, chosen: NDArray[np.bool_]) -> "MoveRankings":
        """The positions with chosen[i]."""
        return MoveRankings(*(getattr(self, field.name)[chosen] for field in fields(self)))


def considered(logits: Tensor, batch: Batch, *, legal_only: bool) -> Tensor:
    """The values float[b, cells] of the moves to compare: all, or the legal ones.

    The expert's move counts as legal, whatever the rules of the record were.
    """
    return only_legal(logits, batch.legal.scatter(1, batch.target[:, None], True)) if legal_only else logits


def rank_targets(values: Tensor, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers of moves with higher and with equal values, and log probabilities of the targets: [b] each."""
    own = values.gather(1, target[:, None])
    log_probability = torch.log_softmax(values.double(), 1).gather(1, target[:, None])
    return (values > own).sum(1), (values == own).sum(1), log_probability[:, 0]


def rank_moves(
    network: DeepNetwork,
    sources: Sequence[Positions],
    numbers: Sequence[NDArray[np.int64]],
    reader: Reader,
    device: torch.device,
    *,
    legal_only: bool,
    progress: Callable[[int], None] = lambda _: None,
) -> MoveRankings:
    """The ranks of experts' moves in some positions.

    Args:
        network: on its device.
        sources: the positions.
        numbers: int64[k] for each source, the numbers of its positions, sorted.
        reader: of the same sources.
        device: that of the network.
        legal_only: whether only legal moves are compared.
        progress: called with the number of positions done.
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
    made = read_ahead(lambda i: reader.read(*chunks[i]), 0, len(chunks), device, reader.ahead(BATCH))
    with made as next_batch, torch.inference_mode():
        for source, chunk in chunks:
            batch = next_batch().to(device)
            logits = network(batch.planes, batch.white)
            if not torch.isfinite(logits).all():
                raise NobiError(
                    "The network's values are NaN or infinite: its training has diverged; use a lower rate."
                )
            values = considered(logits, batch, legal_only=legal_only)
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


MOVES_A_GROUP = 10
"""Number of moves of a group, for the accuracy by move number."""
FEWEST_GAMES = 10
"""Of a group that is shown in a figure."""
MAX_GUESSES = 50
"""The largest n of top-n accuracy (C14 figure 8)."""


@dataclass(frozen=True)
class PredictionMetrics:
    """How well moves are predicted in some positions."""

    positions: int
    games: int
    accuracy: Interval
    """The share of experts' moves with the highest value; of k moves with this value, each counts 1/k."""
    rank: Interval
    """The mean rank of the expert's move, from 1."""
    probability: Interval
    """The mean probability of the expert's move."""
    loss: Interval
    """The mean negative log likelihood of the expert's move."""


@dataclass(frozen=True)
class Prediction:
    """How well a network predicts, in total and by groups."""

    all: PredictionMetrics
    top: list[Interval]
    """top[n − 1]: how often the expert's move is among the network's n best."""
    by_move: dict[int, PredictionMetrics]
    """By the number of moves before; the key is the first of MOVES_A_GROUP."""
    by_rank: dict[int, PredictionMetrics]
    """By the rank of the player to move: kyu below 0, 1 to 9 dan, professionals 10, unknown 0 at the end."""
    by_size: dict[int, PredictionMetrics]


def within(outcomes: MoveRankings, guesses: int) -> NDArray[np.float64]:
    """[i] the probability that the expert's move is among the best `guesses`, ties in random order."""
    found: NDArray[np.float64] = np.clip((guesses - outcomes.better) / outcomes.equal, 0.0, 1.0)
    return found


def quality_of(outcomes: MoveRankings) -> PredictionMetrics:
    """The metrics of these positions."""
    clusters = _Clusters(outcomes.game)
    return PredictionMetrics(
        len(outcomes),
        clusters.count,
        clusters.share(within(outcomes, 1)),
        clusters.mean(1.0 + outcomes.better + (outcomes.equal - 1) / 2, 1.0),
        clusters.mean(np.exp(outcomes.log_probability), 0.0, 1.0),
        clusters.mean(-outcomes.log_probability, 0.0),
    )


def gain_of(one: MoveRankings, other: MoveRankings) -> PredictionMetrics:
    """The mean differences of the metrics of two networks on the same positions.

    Positions that are hard for one network are hard for the other, so the difference is more precise than either.
    """
    clusters = _clusters_of_all(one, other)

    def gain(value: Callable[[MoveRankings], NDArray[np.float64]]) -> Interval:
        return clusters.mean(value(one) - value(other))

    return PredictionMetrics(
        len(one),
        clusters.count,
        gain(lambda v: within(v, 1)),
        gain(lambda v: 1.0 + v.better + (v.equal - 1) / 2),
        gain(lambda v: np.exp(v.log_probability)),
        gain(lambda v: -v.log_probability),
    )


def guesses_gain(one: MoveRankings, guesses: int, other: MoveRankings, its_guesses: int) -> Interval:
    """The difference of top-n accuracies of two networks, or of one, on the same positions."""
    return _clusters_of_all(one, other).mean(within(one, guesses) - within(other, its_guesses))


def gains_apart(one: tuple[MoveRankings, MoveRankings], other: tuple[MoveRankings, MoveRankings]) -> Interval:
    """The difference of two differences of accuracy, each of a pair of networks; all four on the same positions."""
    clusters = _clusters_of_all(*one, *other)
    first, second = (within(a, 1) - within(b, 1) for a, b in (one, other))
    return clusters.mean(first - second)


def _clusters_of_all(first: MoveRankings, *others: MoveRankings) -> "_Clusters":
    for other in others:
        if not (np.array_equal(first.game, other.game) and np.array_equal(first.ply, other.ply)):
            raise ValueError("the positions are not the same")
    return _Clusters(first.game)


def prediction_of(outcomes: MoveRankings) -> Prediction:
    """The metrics in total and by groups."""
    clusters = _Clusters(outcomes.game)
    most = min(MAX_GUESSES, int(outcomes.size.max(initial=1)) ** 2)
    return Prediction(
        quality_of(outcomes),
        [clusters.share(within(outcomes, n)) for n in range(1, most + 1)],
        dict(_parts(outcomes, outcomes.ply // MOVES_A_GROUP * MOVES_A_GROUP)),
        dict(sorted(_parts(outcomes, outcomes.rank), key=lambda part: part[0] or math.inf)),
        dict(_parts(outcomes, outcomes.size)),
    )


def large_enough(groups: dict[int, PredictionMetrics]) -> dict[int, PredictionMetrics]:
    """The groups with FEWEST_GAMES games or more; all if there are none."""
    return {key: one for key, one in groups.items() if one.games >= FEWEST_GAMES} or groups


def _parts(outcomes: MoveRankings, key: NDArray[np.int64]) -> Iterator[tuple[int, PredictionMetrics]]:
    for value in np.unique(key).tolist():
        yield value, quality_of(outcomes.select(key == value))


class _Clusters:
    """Positions by game."""

    def __init__(self, game: NDArray[np.int64]) -> None:
        games, self._index = np.unique(game, return_inverse=True)
        self.count = len(games)
        self._sizes = np.bincount(self._index, minlength=self.count)

    def mean(self, values: NDArray[np.float64], least: float = -math.inf, most: float = math.inf) -> Interval:
        """The mean, with Student's interval over games, limited to the range of the values."""
        mean, error = self._estimate(values)
        spread = self._quantile * error
        return Interval(mean, max(least, mean - spread), min(most, mean + spread))

    def share(self, hits: NDArray[np.float64]) -> Interval:
        """The share of hits, with Wilson's interval for the effective number of independent trials.

        A few games may agree by chance; the standard error is at least that of independent positions.
        """
        share, error = self._estimate(hits)
        if not 0 < share < 1 or self.count == 1:
            return share_interval(share * self.count, self.count)  # all equal: one trial per game
        variance = share * (1 - share)
        spread = self._quantile * max(error, math.sqrt(variance / len(hits)))
        trials = variance * (float(ndtri((1 + CONFIDENCE) / 2)) / spread) ** 2
        return share_interval(share * trials, trials)

    @property
    def _quantile(self) -> float:
        """Student's, with one degree of freedom less than games."""
        return float(stdtrit(self.count - 1, (1 + CONFIDENCE) / 2)) if self.count > 1 else math.inf

    def _estimate(self, values: NDArray[np.float64]) -> tuple[float, float]:
        """The mean over positions and its standard error, from the residuals of the games."""
        total = len(values)
        if total == 0:
            return math.nan, math.inf
        mean = float(values.mean())
        if self.count == 1:
            return mean, math.inf
        residuals = np.bincount(self._index, values, self.count) - mean * self._sizes
        error = math.sqrt(self.count / (self.count - 1) * float(residuals @ residuals)) / total
        return mean, error


@dataclass(frozen=True)
class Evaluation:
    """A model, and positions to measure it on."""

    model: DeepModel
    sources: Sources
    numbers: list[NDArray[np.int64]]
    """For each source the numbers of its positions."""

    @property
    def count(self) -> int:
        """Number of positions."""
        return sum(map(len, self.numbers))

    def outcomes(
        self, device: torch.device, *, legal: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> MoveRankings:
        """The ranks of all experts' moves; among legal moves if `legal`, or if the network was trained so."""
        network = self.model.network.for_play().to(device)
        return rank_moves(
            network,
            self.sources.positions,
            self.numbers,
            Reader(self.sources.positions, network.planes, device),
            device,
            legal_only=legal or network.masked,
            progress=progress,
        )

    def measure(
        self, device: torch.device, *, legal: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> Prediction:
        """The metrics of the model."""
        return prediction_of(self.outcomes(device, legal=legal, progress=progress))


def first_filters(network: DeepNetwork) -> NDArray[np.float32] | None:
    """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
    for part in network.modules():
        if isinstance(part, Filters):
            return np.asarray(part().detach().cpu().numpy(), np.float32)
    return None


def open_evaluation(
    model: Path, data: Sequence[str], split: str, sizes: Sequence[int] = (), positions: int = 0, seed: int = 0
) -> Evaluation:
    """Open a model file and a split of datasets; `positions` is the size of a random sample, 0: all."""
    loaded = load_deep(model)
    sources = open_sources(data, split, sizes, loaded.network)
    return Evaluation(loaded, sources, fixed_sample(sources.counts, positions, seed))
