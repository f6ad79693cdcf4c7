"""Speed of importing game records, on all cores, and of encoding their positions, on one core.

The records are games of the playout player, truncated to the length of human games. A position in random order requires
a replay from the start of its game, half a game on average.
"""

import lzma
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from nobi.arena.play import play_games
from nobi.bench.measure import Case, Measurement, rate_measurement, rates
from nobi.board.stones import PASS
from nobi.features import make_planes
from nobi.games import variant
from nobi.players import make_player
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection
from nobi.records.encoder import Encoder
from nobi.records.importing import import_records
from nobi.workers import usable_threads

IMPORTED_GAMES, SIZE = 16384, 19
IMPORT_REPEATS = 3
GAMES, BATCH = 256, 256
LENGTHS = {9: 60, 13: 120, 19: 220}
"""Range of the numbers of moves per game, similar to human games."""
_LETTERS = "abcdefghijklmnopqrstuvwxy"


@cache
def playout_records(size: int, games: int = GAMES) -> Collection:
    """Return random games, truncated to the length of human games."""
    where = variant("go:ko=simple", size)
    player = make_player("playout", where)
    played = play_games(where, player, player, games, keep_moves=True)
    lengths = np.minimum(played.length, LENGTHS[size])
    kept = np.arange(played.moves.shape[1]) < lengths[:, None]
    rows, columns = np.divmod(played.moves.astype(np.int64), size + 1)
    codes = np.where(played.moves == PASS, PASS_CODE, (rows - 1) * size + columns - 1)
    codes |= np.where(np.arange(codes.shape[1]) % 2, WHITE_BIT, 0)
    zeros: Any = np.zeros(games, np.int8)
    return Collection(
        size=np.full(games, size, np.uint8),
        start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        moves=codes[kept].astype(np.uint16),
        setup_start=np.zeros(games + 1, np.int64),
        setup=np.zeros(0, np.uint16),
        black_rank=zeros + 5,
        white_rank=zeros + 3,
        komi=zeros.astype(np.float32),
        handicap=zeros.astype(np.uint8),
        result=zeros,
        year=zeros.astype(np.int16),
    )


def position_rate(spec: str, size: int, seconds: float, *, in_order: bool, dtype: Any = np.float32) -> list[float]:
    """Measure the encoder's positions per second in several repeats: one thread, batches of 256, random symmetries."""
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


def records_as_sgf(games: Collection) -> list[bytes]:
    """Return the games as plain records: a root, and one node per move."""
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


def import_speed(what: str, write: Callable[[Path, list[bytes]], Path], seconds: float) -> Measurement:  # noqa: ARG001
    """Measure the records per second of an import, including the start of its processes."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write(folder, records_as_sgf(playout_records(SIZE, IMPORTED_GAMES)))
        for i in range(IMPORT_REPEATS):
            start = time.perf_counter()
            manifest = import_records([source], folder / f"data{i}", workers=usable_threads())
            found.append(manifest["records"] / (time.perf_counter() - start))
    note = f"{IMPORTED_GAMES:,} games of about 220 moves, {usable_threads()} processes"
    return rate_measurement(f"import of {what}", "games/s", found, at_least=1000, peer=note)


def _write_packed(folder: Path, texts: list[bytes]) -> Path:
    path = folder / "games.sgfl.xz"
    path.write_bytes(lzma.compress(b"\n".join(texts)))
    return path


def _write_files(folder: Path, texts: list[bytes]) -> Path:
    source = folder / "games"
    source.mkdir()
    for i, text in enumerate(texts):
        (source / f"{i:05}.sgf").write_bytes(text)
    return source


def encoder_speed(spec: str, size: int, in_order: bool, least: float | None, dtype: Any, seconds: float) -> Measurement:
    """Measure the positions per second of the encoder."""
    found = position_rate(spec, size, seconds, in_order=in_order, dtype=dtype)
    what = f"{spec} {size}x{size}, {'whole games in order' if in_order else 'positions in random order'}"
    what += ", as bytes" if dtype == np.uint8 else ""
    note = f"{1e6 / max(found):.1f} µs per position at best"
    return rate_measurement(what, "positions/s", found, at_least=least, peer=note)


IMPORT: list[Case] = [
    partial(import_speed, "a packed file, one record per line", _write_packed),
    partial(import_speed, "a folder of files", _write_files),
]
FEATURES: list[Case] = [
    *(
        partial(encoder_speed, spec, size, in_order, least if size == 19 else None, np.float32)
        for spec, least in (("c14-3", 100_000), ("c14-7", 100_000), ("m15", 20_000))
        for size in LENGTHS
        for in_order in (True, False)
    ),
    partial(encoder_speed, "m15", 19, False, None, np.uint8),
]
