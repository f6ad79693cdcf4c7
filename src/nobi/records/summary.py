"""Summary of a dataset: counts of games, moves, sizes, ranks, years and results."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.records.collection import PASS_CODE, Collection
from nobi.records.dataset import SPLITS, Dataset
from nobi.records.properties import rank_name


@dataclass(frozen=True)
class SplitSummary:
    """The counts of one split, or of all splits together."""

    games: int
    moves: int
    """Number of moves, including passes."""
    positions: int
    """Number of moves that place a stone, that is, of training positions."""
    sizes: dict[str, int]
    """Games by board size."""
    ranks: dict[str, int]
    """Players by rank, the strongest first: each game has two."""
    years: dict[str, int]
    """Games by year; `?` if unknown."""
    handicaps: dict[str, int]
    """Games by handicap stones."""
    results: dict[str, int]
    """Games by winner: black, white or `?`."""
    lengths: dict[str, float]
    """Moves per game: minimum, quartiles, maximum and mean."""


@dataclass(frozen=True)
class Summary:
    """The summary of a dataset."""

    path: str
    version: int
    settings: dict[str, Any]
    sources: list[dict[str, Any]]
    records: int
    rejected: dict[str, int]
    """Rejected records, by kind."""
    bytes: int
    """Bytes of all array files."""
    bytes_per_move: float
    splits: dict[str, SplitSummary]
    total: SplitSummary


def summarise(dataset: Dataset) -> Summary:
    """Summarise a dataset."""
    parts = {split: dataset.collection(split) for split in SPLITS}
    manifest = dataset.manifest
    stored = sum(file["bytes"] for name, file in manifest["files"].items() if name.endswith(".npy"))
    total = _summarise(list(parts.values()))
    return Summary(
        path=str(dataset.path),
        version=manifest["version"],
        settings=manifest["settings"],
        sources=manifest["sources"],
        records=manifest["records"],
        rejected=manifest["rejected"],
        bytes=stored,
        bytes_per_move=stored / max(total.moves, 1),
        splits={split: _summarise([games]) for split, games in parts.items()},
        total=total,
    )


def _summarise(collections: list[Collection]) -> SplitSummary:
    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(games, name) for games in collections])

    lengths = np.concatenate([np.diff(games.start) for games in collections])
    ranks = _counts(np.concatenate([column("black_rank"), column("white_rank")]))
    return SplitSummary(
        games=len(lengths),
        moves=int(lengths.sum()),
        positions=sum(int(((games.moves & PASS_CODE) != PASS_CODE).sum()) for games in collections),
        sizes={str(size): count for size, count in _counts(column("size")).items()},
        ranks={rank_name(rank): ranks[rank] for rank in sorted(ranks, key=lambda rank: (rank == 0, -rank))},
        years={str(year or "?"): count for year, count in _counts(column("year")).items()},
        handicaps={str(stones): count for stones, count in _counts(column("handicap")).items()},
        results={
            {1: "black", -1: "white", 0: "?"}[winner]: count
            for winner, count in sorted(_counts(column("result")).items(), reverse=True)
        },
        lengths=_spread(lengths),
    )


def _counts(values: NDArray[Any]) -> dict[int, int]:
    found, counts = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def _spread(lengths: NDArray[np.int64]) -> dict[str, float]:
    if not len(lengths):
        return {}
    least, lower, median, upper, most = np.percentile(lengths, [0, 25, 50, 75, 100]).tolist()
    return {
        "least": least,
        "lower quartile": lower,
        "median": median,
        "upper quartile": upper,
        "most": most,
        "mean": float(lengths.mean()),
    }
