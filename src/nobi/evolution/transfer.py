"""Play of networks on board sizes on which they were not trained, and dominance tournaments (S08 sections V-A to V-E,
S09 section 4).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.evolution.fitness import MEASURES, Fitness
from nobi.frames import frame_of
from nobi.models.model import Model, load_model
from nobi.nn.network import Network, Weights
from nobi.statistics import Interval, correlation, mean_interval, outcome_interval, share_interval
from nobi.storage import read_tensors
from nobi.trainers.base import Population
from nobi.workers import Executor

if TYPE_CHECKING:
    import pandas

Score = Callable[[int, int], float]
"""Function (i, j) → the score of champion i against champion j, −1 to 1; above 0 is a win."""


def dominance_tournament(score: Score, champions: int) -> list[int]:
    """Return the dominant champions: the first, and every later one that beats *all* dominant ones before it (S08 V-D).

    The length of the list is the dominance number. A champion plays against the newest dominant champion first and
    stops at the first game that it does not win, so that few pairs are played.

    Args:
        score: the score of one champion against another.
        champions: how many there are, in the order of their generations.
    """
    dominant: list[int] = []
    for champion in range(champions):
        if all(score(champion, member) > 0 for member in reversed(dominant)):
            dominant.append(champion)
    return dominant


@dataclass(frozen=True)
class Transfer:
    """The relation of the fitness of networks on a small and a larger board: S08's tables I and III."""

    networks: int
    correlation: Interval
    """Pearson's correlation; NaN if either fitness is constant or there are fewer than 3 networks."""
    higher: Interval
    """S08's p: the share of networks with strictly higher fitness on the larger board."""


def transfer(small: NDArray[np.float64], large: NDArray[np.float64]) -> Transfer:
    """Compare the fitness of the same networks on two boards.

    Args:
        small: [network] the fitness on the smaller board.
        large: [network] the fitness on the larger.
    """
    if small.ndim != 1 or small.shape != large.shape:
        raise ValueError(f"both need one fitness per network, not {list(small.shape)} and {list(large.shape)}")
    if not (np.isfinite(small).all() and np.isfinite(large).all()):
        raise ValueError("the fitness must be finite")
    return Transfer(len(small), correlation(small, large), share_interval(int((large > small).sum()), len(small)))


@dataclass(frozen=True)
class SizeResult:
    """The fitness of models on one board against one opponent."""

    size: int
    opponent: str
    fitness: Interval
    """For one model the mean over its games, for several models the mean over the models."""
    per_model: list[float]


@dataclass(frozen=True)
class PairResult:
    """The relation of the fitness on two boards."""

    small: int
    large: int
    opponent: str
    transfer: Transfer


@dataclass(frozen=True, repr=False)
class TransferReport:
    """All sizes and, for three models or more, the pairs of the first size with all others and of adjacent sizes."""

    sizes: list[SizeResult]
    pairs: list[PairResult]

    def __repr__(self) -> str:
        return f"<TransferReport {', '.join(f'{row.size}x{row.size}: {row.fitness:.2f}' for row in self.sizes)}>"

    def to_frame(self) -> "pandas.DataFrame":
        """Return a row per board size and opponent."""
        return frame_of({"size": row.size, "opponent": row.opponent, "fitness": row.fitness} for row in self.sizes)

    def __str__(self) -> str:
        return "\n".join(f"{row.size}x{row.size} against {row.opponent}: {row.fitness}" for row in self.sizes)


def load_models(paths: Sequence[Path | Model]) -> tuple[Model, Population]:
    """Load models of one network; return the first, and the weights of all, float32[model, weight].

    A run folder is expanded to the champions of all its generations.
    """
    if not paths:
        raise NobiError("Give at least one model file or run folder.")
    models: list[Model] = []
    rows: list[Weights] = []
    for path in paths:
        if isinstance(path, Path) and path.is_dir():
            models.append(load_model(path / "champion.safetensors"))
            rows.extend(read_tensors(path / "checkpoint.safetensors")[0]["champions"])
        else:
            models.append(path if isinstance(path, Model) else load_model(path))
            rows.append(models[-1].weights)
    kinds = {str(model.network) for model in models}
    if len(kinds) > 1:
        raise NobiError(f"The models have different networks: {', '.join(sorted(kinds))}; measure them separately.")
    if not models[0].network.scalable:
        raise NobiError(f"A network {models[0].network} plays on {models[0].size}x{models[0].size} only.")
    return models[0], np.stack(rows)


def measure_transfer(
    network: Network,
    weights: Population,
    game: str,
    sizes: Sequence[int],
    opponents: Sequence[str],
    games: int,
    seed: int,
    *,
    measure: str = "points",
    executor: Executor | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> TransferReport:
    """Let every model play on every size against every opponent."""
    if not (sizes and opponents):
        raise NobiError(f"Give at least one {'opponent' if sizes else 'board size'}.")
    results: list[SizeResult] = []
    found: dict[tuple[int, str], NDArray[np.float64]] = {}
    for size in sizes:
        for opponent in opponents:
            played = Fitness(game, (size,), network, (opponent,), games, seed, executor=executor).play(weights, 0)
            values = [MEASURES[measure](row[0]) for row in played]
            fitness = np.array([value.mean() for value in values])
            found[size, opponent] = fitness
            interval = mean_interval(fitness)
            if len(weights) == 1:  # over its games
                outcomes = measure in ("points", "black", "white")
                interval = outcome_interval(values[0]) if outcomes else mean_interval(values[0])
            results.append(SizeResult(size, opponent, interval, fitness.tolist()))
            progress(len(results))
    pairs = []
    if len(weights) >= 3:
        wanted = dict.fromkeys([*((sizes[0], size) for size in sizes[1:]), *pairwise(sizes)])
        for opponent in opponents:
            for small, large in wanted:
                value = transfer(found[small, opponent], found[large, opponent])
                pairs.append(PairResult(small, large, opponent, value))
    return TransferReport(results, pairs)
