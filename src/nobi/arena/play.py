"""The arena: many games between two players, over threads, the same bits for any number of them."""

import os
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from nobi.arena.fused import fused_loop
from nobi.arena.games import PlayedGames
from nobi.arena.lockstep import play_in_lockstep
from nobi.games.base import Variant
from nobi.players.base import CompiledPlayer, Player

CHUNK = 256
"""Games that a thread plays at a go; the least that progress and Ctrl-C wait for."""


def usable_threads(threads: int = 0) -> int:
    """The number of threads to use: what is asked for, or all the process may use."""
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_games(
    variant: Variant,
    a: Player,
    b: Player,
    games: int,
    *,
    seed: int = 0,
    first: int = 0,
    threads: int = 0,
    batch: int = 256,
    keep_moves: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> PlayedGames:
    """Plays games `first` … `first + games − 1` between A and B; A has black in those of even number.

    A game depends on (variant, players, seed, its number) alone: neither threads nor batch change anything.

    Args:
        variant: which game, on which board.
        a: one player.
        b: the other, possibly the same.
        games: how many games.
        seed: chooses the games' random streams.
        first: the number of the first game, so that a match can be continued.
        threads: how many threads play; 0 for all cores.
        batch: how many games a thread plays side by side where a player chooses for many at once.
        keep_moves: whether to return the moves.
        progress: is told how many games have been played so far.

    Returns:
        The results. After Ctrl-C the games that were not reached have the length 0; see `PlayedGames.finished`.
    """
    room = variant.most_moves if keep_moves else 0
    played = PlayedGames(
        variant,
        first,
        outcome=np.zeros(games, np.int8),
        length=np.zeros(games, np.int32),
        moves=np.zeros((games, room), np.uint16),
    )

    def play_chunk(begin: int, end: int) -> int:
        part = slice(begin, end)
        results = played.outcome[part], played.length[part], played.moves[part]
        if isinstance(a, CompiledPlayer) and isinstance(b, CompiledPlayer):
            loop = fused_loop(variant.game, type(a), type(b))
            loop(variant.allocate(1), np.zeros(1, np.uint64), seed, first + begin, a.room(), b.room(), *results)
        else:
            play_in_lockstep(variant, a, b, seed, first + begin, batch, *results)
        return end - begin

    chunk = max(CHUNK, batch)
    play_chunk(0, 0)  # compile before the threads start
    parts = [(begin, min(begin + chunk, games)) for begin in range(0, games, chunk)]
    done = 0
    with ThreadPoolExecutor(usable_threads(threads)) as pool:
        running: set[Future[int]] = {pool.submit(play_chunk, *part) for part in parts}
        try:
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                done += sum(future.result() for future in finished)
                progress(done)
        except KeyboardInterrupt:
            for future in running:
                future.cancel()
    return played
