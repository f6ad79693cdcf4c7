"""Two sections on game records: their import over all cores, and planes of Go positions out of them on one core.

The records of the second are made by the playout player and cut at the length of human games. Positions in random order
cost a replay from the start of their game, half a game on average.
"""

import lzma
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nobi.arena.play import play_games
from nobi.bench.measure import Measurement, rate_figure, rates
from nobi.board.stones import PASS
from nobi.features import make_planes
from nobi.games import variant
from nobi.players import make_player
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection
from nobi.records.encoder import Encoder
from nobi.records.importing import import_records
from nobi.workers import usable_threads

IMPORTED_GAMES, SIZE = 16384, 19
LEAST_IMPORTED = 1000
_LETTERS = "abcdefghijklmnopqrstuvwxy"


def records_as_sgf(games: Collection) -> list[bytes]:
    """The games as plain records, a root and one move a node."""
    texts = []
    for i in range(len(games.size)):
        size = int(games.size[i])
        nodes = []
        for code in games.moves[games.start[i] : games.start[i + 1]].tolist():
            row, column = divmod(code & PASS_CODE, size)
            point = "" if code & PASS_CODE == PASS_CODE else _LETTERS[column] + _LETTERS[row]
            nodes.append(f";{'W' if code & WHITE_BIT else 'B'}[{point}]")
        texts.append(f"(;GM[1]FF[4]SZ[{size}]KM[6.5]BR[5d]WR[3d]RE[B+R]{''.join(nodes)})".encode())
    return texts


def _import_rates(source: Path, folder: Path, repeats: int = 3) -> list[float]:
    """Games a second, the start of the processes included."""
    found = []
    for i in range(repeats):
        start = time.perf_counter()
        manifest = import_records([source], folder / f"data{i}", workers=usable_threads())
        found.append(manifest["records"] / (time.perf_counter() - start))
    return found


def dataset_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:  # noqa: ARG001 (an import takes as long as it takes)
    """The figures of this section, each measured when called."""

    def figure(what: str, write: Callable[[Path, list[bytes]], Path]) -> Measurement:
        with tempfile.TemporaryDirectory() as folder:
            source = write(Path(folder), records_as_sgf(playout_records(SIZE, IMPORTED_GAMES)))
            found = _import_rates(source, Path(folder))
        note = f"{IMPORTED_GAMES:,} games of about 220 moves, {usable_threads()} processes"
        return rate_figure(f"import of {what}", "games/s", found, at_least=LEAST_IMPORTED, peer=note)

    def packed() -> Measurement:
        def write(folder: Path, texts: list[bytes]) -> Path:
            path = folder / "games.sgfl.xz"
            path.write_bytes(lzma.compress(b"\n".join(texts)))
            return path

        return figure("a packed file, a record a line", write)

    def files() -> Measurement:
        def write(folder: Path, texts: list[bytes]) -> Path:
            source = folder / "games"
            source.mkdir()
            for i, text in enumerate(texts):
                (source / f"{i:05}.sgf").write_bytes(text)
            return source

        return figure("a folder of files", write)

    yield from (packed, files)


GAMES, BATCH = 256, 256

LENGTHS = {9: 60, 13: 120, 19: 220}
"""Moves of a game, about those of human ones."""
LEAST = {"c14-3": 100_000, "c14-7": 100_000, "m15": 20_000}


@cache
def playout_records(size: int, games: int = GAMES) -> Collection:
    """Random games, cut at the length of human ones."""
    where = variant("go:ko=simple", size)
    player = make_player("playout", where)
    played = play_games(where, player, player, games, keep_moves=True)
    lengths = np.minimum(played.length, LENGTHS[size])
    kept = np.arange(played.moves.shape[1]) < lengths[:, None]
    rows, columns = np.divmod(played.moves.astype(np.int64), size + 1)
    codes = np.where(played.moves == PASS, PASS_CODE, (rows - 1) * size + columns - 1)
    codes |= np.where(np.arange(codes.shape[1]) % 2, WHITE_BIT, 0)
    nothing: Any = np.zeros(games, np.int8)
    return Collection(
        size=np.full(games, size, np.uint8),
        start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        moves=codes[kept].astype(np.uint16),
        setup_start=np.zeros(games + 1, np.int64),
        setup=np.zeros(0, np.uint16),
        black_rank=nothing + 5,
        white_rank=nothing + 3,
        komi=nothing.astype(np.float32),
        handicap=nothing.astype(np.uint8),
        result=nothing,
        year=nothing.astype(np.int16),
    )


def position_rate(spec: str, size: int, seconds: float, *, in_order: bool, dtype: Any = np.float32) -> list[float]:
    """Positions per second, in several repeats; one thread, batches of 256, a random symmetry each."""
    records = playout_records(size)
    planes = make_planes(spec)
    encoder = Encoder(records, planes)
    lengths = np.diff(records.start)
    all_games = np.repeat(np.arange(GAMES), lengths)
    all_plies = np.concatenate([np.arange(length) for length in lengths])
    rng = np.random.default_rng(0)
    found = np.empty((BATCH, planes.count, size, size), dtype)
    target, legal = np.empty(BATCH, np.int64), np.empty((BATCH, size * size), np.bool_)
    at = 0

    def work(positions: int) -> int:
        nonlocal at
        batches = max(1, positions // BATCH)
        for _ in range(batches):
            symmetry = rng.integers(0, 8, BATCH).astype(np.uint8)
            if in_order:
                at = (at + BATCH) % (len(all_games) - BATCH)
                game, ply = all_games[at : at + BATCH], all_plies[at : at + BATCH]
            else:
                game = np.arange(GAMES)
                ply = (rng.random(BATCH) * lengths).astype(np.int64)
            encoder.fill(game, ply, symmetry, found, target, legal)
        return batches * BATCH

    return rates(work, seconds)


def feature_figures(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """The figures of this section, each measured when called."""
    for spec, least in LEAST.items():
        for size in LENGTHS:
            for in_order in (True, False):

                def speed(
                    spec: str = spec, least: int = least, size: int = size, in_order: bool = in_order
                ) -> Measurement:
                    found = position_rate(spec, size, seconds, in_order=in_order)
                    how = "whole games in order" if in_order else "positions here and there"
                    note = f"{1e6 / max(found):.1f} µs a position at best"
                    asked = float(least) if size == 19 else None
                    what = f"{spec} {size}x{size}, {how}"
                    return rate_figure(what, "positions/s", found, at_least=asked, peer=note)

                yield speed

    def small() -> Measurement:
        found = position_rate("m15", 19, seconds, in_order=False, dtype=np.uint8)
        return rate_figure("m15 19x19, positions here and there, as bytes", "positions/s", found)

    yield small
