"""How networks that were trained on one board play on others (S08 sections V-B and V-E, S09 section 4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nobi.arena.summary import Interval, mean_interval, outcome_interval
from nobi.errors import NobiError
from nobi.evolve.fitness import MEASURES, Fitness
from nobi.evolve.measures import Transfer, transfer
from nobi.networks.base import Network, Weights
from nobi.networks.model import Model, load_model


@dataclass(frozen=True)
class SizeResult:
    """How the models did on one board against one opponent."""

    size: int
    opponent: str
    fitness: Interval
    """Of one model the mean over its games, of several the mean over the models."""
    per_model: list[float]


@dataclass(frozen=True)
class PairResult:
    """How performance on a small board tells that on a large one."""

    small: int
    large: int
    opponent: str
    transfer: Transfer


@dataclass(frozen=True)
class TransferReport:
    """All sizes and, of three models or more, all pairs with the first size and of neighbouring sizes."""

    sizes: list[SizeResult]
    pairs: list[PairResult]


def load_models(paths: Sequence[Path]) -> tuple[Network, Weights]:
    """The network that all these model files and run folders share, and all their weights: float32[model, weight].

    Of a run folder the champions of all generations are taken.
    """
    models: list[Model] = []
    rows: list[Weights] = []
    for path in paths:
        if path.is_dir():
            models.append(load_model(path / "champion.safetensors"))
            rows.extend(_champions(path / "checkpoint.safetensors"))
        else:
            models.append(load_model(path))
            rows.append(models[-1].weights)
    kinds = {str(model.network) for model in models}
    if len(kinds) > 1:
        raise NobiError(f"The models are of different kinds: {', '.join(sorted(kinds))}; measure them apart.")
    if not models[0].network.scalable:
        raise NobiError(f"A network {models[0].network} plays on {models[0].size}x{models[0].size} only.")
    return models[0].network, np.stack(rows)


def _champions(path: Path) -> Weights:
    try:
        with safe_open(path, "numpy") as file:
            champions: Weights = file.get_tensor("champions")
    except (SafetensorError, OSError) as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
    return champions


def measure_transfer(
    network: Network,
    weights: Weights,
    game: str,
    sizes: Sequence[int],
    opponents: Sequence[str],
    games: int,
    seed: int,
    *,
    measure: str = "points",
    threads: int = 0,
    progress: Callable[[int], None] = lambda _: None,
) -> TransferReport:
    """Lets every model play on every size against every opponent."""
    results: list[SizeResult] = []
    found: dict[tuple[int, str], NDArray[np.float64]] = {}
    for size in sizes:
        for opponent in opponents:
            played = Fitness(game, (size,), network, (opponent,), games, seed, threads).play(weights, 0)
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
