"""What a network thinks of the experts' moves, position by position.

MERGED imitate/metrics.py: How well a network predicts experts' moves, with 95 % intervals.

The positions of a game resemble each other, so games, not positions, are what varies independently: standard errors are
those of a ratio of sums over games (cluster-robust), which are larger than if positions were independent.

MERGED imitate/evaluation.py: The measurement of a model on a part of some datasets.
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
from nobi.imitation.data import Batch, Positions, Reader, Sources, fixed_sample, in_turn, open_sources
from nobi.models.model import DeepModel, load_deep
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import Filters, only_legal
from nobi.statistics import CONFIDENCE, Interval, share_interval

BATCH = 256
"""Positions that are measured at once."""


@dataclass(frozen=True)
class MoveRankings:
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

    def select(self, chosen: NDArray[np.bool_]) -> "MoveRankings":
        """Those that are chosen, bool[i]."""
        return MoveRankings(*(getattr(self, field.name)[chosen] for field in fields(self)))


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
) -> MoveRankings:
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
    return MoveRankings(*columns)


MOVES_A_GROUP = 10
"""So many moves of a game are a group of the accuracy by move number."""
FEWEST_GAMES = 10
"""Of a group that is worth showing in a figure."""
MOST_GUESSES = 50
"""How far the curve of guesses goes (C14 figure 8)."""


@dataclass(frozen=True)
class PredictionMetrics:
    """How well moves are predicted in some positions."""

    positions: int
    games: int
    accuracy: Interval
    """The share of experts' moves that the network likes best. Of k moves it likes equally, each counts as 1/k."""
    rank: Interval
    """The mean place of the expert's move in the network's order, the first being 1."""
    probability: Interval
    """The mean probability of the expert's move."""
    loss: Interval
    """The mean negative log likelihood of the expert's move."""


@dataclass(frozen=True)
class Prediction:
    """How well a network predicts, in all and in parts."""

    all: PredictionMetrics
    top: list[Interval]
    """top[n − 1]: how often the expert's move is among the network's n best."""
    by_move: dict[int, PredictionMetrics]
    """By how many moves were made before; the key is the first of MOVES_A_GROUP."""
    by_rank: dict[int, PredictionMetrics]
    """By the rank of the player to move: kyu below 0, 1 to 9 dan, professionals 10, unknown 0 at the end."""
    by_size: dict[int, PredictionMetrics]


def within(outcomes: MoveRankings, guesses: int) -> NDArray[np.float64]:
    """[i] the chance that the expert's move is among so many guesses, equal moves being guessed in random order."""
    found: NDArray[np.float64] = np.clip((guesses - outcomes.better) / outcomes.equal, 0.0, 1.0)
    return found


def quality_of(outcomes: MoveRankings) -> PredictionMetrics:
    """The quality in all these positions."""
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
    """How much one network is ahead of another on the same positions: every figure is the mean difference.

    Positions that are hard for one network are so for the other, so the difference is known better than either.
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
    """How much more often the expert's move is among so many guesses of one than among those of another network.

    The positions must be the same; the networks may be, too.
    """
    return _clusters_of_all(one, other).mean(within(one, guesses) - within(other, its_guesses))


def gains_apart(one: tuple[MoveRankings, MoveRankings], other: tuple[MoveRankings, MoveRankings]) -> Interval:
    """How much more accuracy the first of one pair of networks gains on the second than in another pair.

    All four have to be shown the same positions.
    """
    clusters = _clusters_of_all(*one, *other)
    first, second = (within(ahead, 1) - within(behind, 1) for ahead, behind in (one, other))
    return clusters.mean(first - second)


def _clusters_of_all(first: MoveRankings, *others: MoveRankings) -> "_Clusters":
    for other in others:
        if not (np.array_equal(first.game, other.game) and np.array_equal(first.ply, other.ply)):
            raise ValueError("the positions are not the same")
    return _Clusters(first.game)


def prediction_of(outcomes: MoveRankings) -> Prediction:
    """The quality in all and in parts."""
    clusters = _Clusters(outcomes.game)
    most = min(MOST_GUESSES, int(outcomes.size.max(initial=1)) ** 2)
    return Prediction(
        quality_of(outcomes),
        [clusters.share(within(outcomes, n)) for n in range(1, most + 1)],
        dict(_parts(outcomes, outcomes.ply // MOVES_A_GROUP * MOVES_A_GROUP)),
        dict(sorted(_parts(outcomes, outcomes.rank), key=lambda part: part[0] or math.inf)),
        dict(_parts(outcomes, outcomes.size)),
    )


def large_enough(groups: dict[int, PredictionMetrics]) -> dict[int, PredictionMetrics]:
    """The groups of FEWEST_GAMES games or more; all if there are none."""
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
        """The mean of values between two bounds, with Student's interval over games."""
        mean, error = self._estimate(values)
        spread = self._quantile * error
        return Interval(mean, max(least, mean - spread), min(most, mean + spread))

    def share(self, hits: NDArray[np.float64]) -> Interval:
        """The share of hits, with Wilson's interval for as many independent trials as would be as uncertain.

        A few games may agree by chance; the error is never taken for less than that of independent positions.
        """
        share, error = self._estimate(hits)
        if not 0 < share < 1 or self.count == 1:
            return share_interval(share * self.count, self.count)  # all the same: no more trials than games
        variance = share * (1 - share)
        spread = self._quantile * max(error, math.sqrt(variance / len(hits)))
        trials = variance * (float(ndtri((1 + CONFIDENCE) / 2)) / spread) ** 2
        return share_interval(share * trials, trials)

    @property
    def _quantile(self) -> float:
        """Student's, for as many degrees of freedom as there are games but one."""
        return float(stdtrit(self.count - 1, (1 + CONFIDENCE) / 2)) if self.count > 1 else math.inf

    def _estimate(self, values: NDArray[np.float64]) -> tuple[float, float]:
        """The mean over positions and its standard error: the spread over games of sum minus mean times positions."""
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
    """A model, and the positions to measure it on."""

    model: DeepModel
    sources: Sources
    numbers: list[NDArray[np.int64]]
    """For each source, which of its positions."""

    @property
    def count(self) -> int:
        """How many positions."""
        return sum(map(len, self.numbers))

    def outcomes(
        self, device: torch.device, *, legal: bool = False, progress: Callable[[int], None] = lambda _: None
    ) -> MoveRankings:
        """The verdicts on all positions; only legal moves count if `legal`, or if the network was trained so."""
        network = self.model.network.for_play().to(device)
        return give_verdicts(
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
        """How well the model predicts."""
        return prediction_of(self.outcomes(device, legal=legal, progress=progress))

    def filters(self) -> NDArray[np.float32] | None:
        """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
        return first_filters(self.model.network)


def first_filters(network: DeepNetwork) -> NDArray[np.float32] | None:
    """float32[outputs, inputs, width, width] the filters of the first convolution, if there is one."""
    for part in network.modules():
        if isinstance(part, Filters):
            return np.asarray(part().detach().cpu().numpy(), np.float32)
    return None


def open_evaluation(
    model: Path, data: Sequence[str], split: str, sizes: Sequence[int] = (), positions: int = 0, seed: int = 0
) -> Evaluation:
    """Readies the measurement of a model file on a part of datasets; a random sample of `positions`, 0 for all."""
    loaded = load_deep(model)
    sources = open_sources(data, split, sizes, loaded.network)
    return Evaluation(loaded, sources, fixed_sample(sources.counts, positions, seed))
