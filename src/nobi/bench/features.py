"""Planes of Go positions out of records, on one core: whole games in order, and positions here and there.

The records are made by the playout player and cut at the length of human games. Positions here and there cost a replay
from the start of their game, half a game on average.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from nobi.arena.play import play_games
from nobi.bench.figure import Figure, rate_figure, rates
from nobi.board.stones import PASS
from nobi.features import planes_named
from nobi.features.encoder import Encoder
from nobi.games import variant
from nobi.players import make_player
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection

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


def position_rate(word: str, size: int, seconds: float, *, in_order: bool, dtype: Any = np.float32) -> list[float]:
    """Positions per second, in several repeats; one thread, batches of 256, a random symmetry each."""
    records = playout_records(size)
    planes = planes_named(word)
    encoder = Encoder(records, planes)
    lengths = np.diff(records.start)
    all_games = np.repeat(np.arange(GAMES), lengths)
    all_plies = np.concatenate([np.arange(length) for length in lengths])
    chance = np.random.default_rng(0)
    found = np.empty((BATCH, planes.count, size, size), dtype)
    target, legal = np.empty(BATCH, np.int64), np.empty((BATCH, size * size), np.bool_)
    at = 0

    def work(positions: int) -> int:
        nonlocal at
        batches = max(1, positions // BATCH)
        for _ in range(batches):
            symmetry = chance.integers(0, 8, BATCH).astype(np.uint8)
            if in_order:
                at = (at + BATCH) % (len(all_games) - BATCH)
                game, ply = all_games[at : at + BATCH], all_plies[at : at + BATCH]
            else:
                game = np.arange(GAMES)
                ply = (chance.random(BATCH) * lengths).astype(np.int64)
            encoder.fill(game, ply, symmetry, found, target, legal)
        return batches * BATCH

    return rates(work, seconds)


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:
    """The figures of this section, each measured when called."""
    for word, least in LEAST.items():
        for size in LENGTHS:
            for in_order in (True, False):

                def speed(word: str = word, least: int = least, size: int = size, in_order: bool = in_order) -> Figure:
                    found = position_rate(word, size, seconds, in_order=in_order)
                    how = "whole games in order" if in_order else "positions here and there"
                    note = f"{1e6 / max(found):.1f} µs a position at best"
                    asked = float(least) if size == 19 else None
                    what = f"{word} {size}x{size}, {how}"
                    return rate_figure(what, "positions/s", found, at_least=asked, peer=note)

                yield speed

    def small() -> Figure:
        found = position_rate("m15", 19, seconds, in_order=False, dtype=np.uint8)
        return rate_figure("m15 19x19, positions here and there, as bytes", "positions/s", found)

    yield small
