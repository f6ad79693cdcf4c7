"""The arena: many games between two players, over threads, the same bits for any number of them."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import numpy as np

from nobi.arena.fused import fused_loop
from nobi.arena.games import PlayedGames, PlayInterrupted
from nobi.arena.lockstep import Lockstep
from nobi.cores import usable_threads
from nobi.games.base import Variant
from nobi.interrupts import interrupts_held_back
from nobi.memory import zeros
from nobi.players.base import CompiledPlayer, Player

PART_SECONDS = 0.05
"""About how long a thread plays before it looks up: what progress and Ctrl-C wait for."""

PlayPart = Callable[[int, int], None]
"""Plays the games begin … end − 1."""


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
        progress: is told now and then how many games have been played so far.

    Returns:
        The results of all games.

    Raises:
        PlayInterrupted: a KeyboardInterrupt that holds the games finished before it.
    """
    played = PlayedGames(
        variant,
        first,
        outcome=np.zeros(games, np.int8),
        length=np.zeros(games, np.int32),
        moves=np.zeros((games, variant.most_moves if keep_moves else 0), np.uint16),
    )
    fused = isinstance(a, CompiledPlayer) and isinstance(b, CompiledPlayer)

    def new_loop() -> PlayPart:
        """A thread's own boards, and the loop that plays on them."""
        if isinstance(a, CompiledPlayer) and isinstance(b, CompiledPlayer):
            odd = int(b.name < a.name)  # one loop serves both orders
            one, other = (b, a) if odd else (a, b)
            loop = fused_loop(variant.game, type(one), type(other))
            boards, streams, rooms = variant.allocate(1), zeros(1, np.uint64), (one.room(), other.room())
            return lambda begin, end: loop(boards, streams, seed, first + begin, odd, *rooms, *played.part(begin, end))
        lockstep = Lockstep(variant, a, b, seed, max(1, min(batch, games)))
        return lambda begin, end: lockstep.play(first + begin, *played.part(begin, end))

    new_loop()(0, 0)  # compile before the threads start
    try:
        _share(games, 1 if fused else 4 * batch, usable_threads(threads), new_loop, progress)
    except KeyboardInterrupt:
        raise PlayInterrupted(played.finished()) from None
    return played


def _share(
    games: int, least: int, threads: int, new_loop: Callable[[], PlayPart], progress: Callable[[int], None]
) -> None:
    """Plays all games in threads, which take parts of at least `least` games. After an exception, such as
    KeyboardInterrupt, the threads finish the parts they have begun.
    """
    lock = threading.Lock()
    stop = threading.Event()
    taken = done = 0

    def work(play_part: PlayPart) -> None:
        nonlocal taken, done
        amount = least
        while not stop.is_set():
            with lock:
                # the last parts are small, so that the threads finish together
                amount = max(least, min(amount, (games - taken) // (2 * threads)))
                begin, end = taken, min(taken + amount, games)
                taken = end
            if begin == end:
                return
            start = time.perf_counter()
            play_part(begin, end)
            seconds = time.perf_counter() - start
            with lock:
                done += end - begin
            # the next part is to last PART_SECONDS; how games are cut into parts changes nothing but the time
            amount = min(int(amount * PART_SECONDS / max(seconds, 1e-9)), 8 * amount)

    # each thread's arrays are made together: small ones of two threads on one cache line would slow both
    loops = [new_loop() for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        try:
            with interrupts_held_back():  # a pool that is interrupted while it starts a thread would not wait for it
                running = {pool.submit(work, play_part) for play_part in loops}
            while running:
                finished, running = wait(running, timeout=PART_SECONDS, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                progress(done)
        finally:
            stop.set()
