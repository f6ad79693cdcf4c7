"""Two compiled players: whole games in one compiled loop, one after the other on one board.

Nothing is gained by playing such games side by side: the state of one game lies in the fastest cache, and
the branches of its rules do not vectorise.

MERGED arena/lockstep.py: Many games side by side, so that a player sees a whole batch of positions at once.

Every board of the batch is a lane that plays one game after the other. A round is two half-rounds: A moves on all lanes
where it is A's turn, then B on all where it is B's; whatever the colours, both see nearly full batches.

The loop is compiled together with its players if both are compiled; else the same loop runs in Python.

MERGED arena/play.py: The arena: many games between two players, over threads, the same bits for any number of them.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.arena.results import PlayedGames, PlayInterrupted
from nobi.board.stones import BLACK, RUNNING, WHITE
from nobi.compiling import UNBOUND, bind, compiled, specialise
from nobi.games.base import Game, Variant
from nobi.memory import zeros
from nobi.players.base import BatchPlayer, CompiledPlayer, Player
from nobi.streams import Streams, stream_of
from nobi.workers import usable_threads

clear: Any = UNBOUND  # these are bound by `specialise`
play: Any = UNBOUND
start: Any = UNBOUND
advance: Any = UNBOUND
choose_a: Any = UNBOUND
choose_b: Any = UNBOUND


def _play_games(
    boards: Any,
    streams: Streams,
    seed: int,
    first: int,
    workspace_a: Any,
    workspace_b: Any,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Plays the games first, first + 1, … on board 0; fills outcome[i], length[i] and, given room, moves[i, ply]."""
    stones = boards.stones
    for i in range(len(outcome)):
        streams[0] = stream_of(seed, first + i)
        clear(boards, 0)
        colour_of_a = WHITE if (first + i) % 2 else BLACK
        while stones.outcome[0] == RUNNING:
            if stones.to_move[0] == colour_of_a:
                move = choose_a(boards, 0, streams, workspace_a)
            else:
                move = choose_b(boards, 0, streams, workspace_b)
            if moves.shape[1] > 0:
                moves[i, stones.ply[0]] = move
            play(boards, 0, move)
        outcome[i] = stones.outcome[0]
        length[i] = stones.ply[0]


@cache
def fused_loop(game: type[Game], a: type[CompiledPlayer], b: type[CompiledPlayer]) -> Callable[..., None]:
    """The compiled loop for these two players."""
    return specialise(
        _play_games,
        f"{game.name}_{a.name}_{b.name}",
        clear=game.rules.clear,
        play=game.rules.play,
        choose_a=a.chooser(game),
        choose_b=b.chooser(game),
    )


IDLE = -1
"""The game of a lane that has none."""


def _start_games(boards: Any, streams: Streams, game_of: NDArray[np.int64], seed: int, waiting: int, end: int) -> int:
    """Gives every idle lane the next of the games waiting … end − 1; returns the first that is still waiting."""
    for g in range(len(game_of)):
        if game_of[g] == IDLE and waiting < end:
            game_of[g] = waiting
            streams[g] = stream_of(seed, waiting)
            clear(boards, g)
            waiting += 1
    return waiting


def _play_moves(
    boards: Any,
    lanes: NDArray[np.int64],
    chosen: NDArray[np.uint16],
    game_of: NDArray[np.int64],
    first: int,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Plays chosen[i] on lane lanes[i]; a game that ends leaves its result and an idle lane."""
    stones = boards.stones
    for i in range(len(lanes)):
        g = lanes[i]
        game = game_of[g] - first
        if moves.shape[1] > 0:
            moves[game, stones.ply[g]] = chosen[i]
        play(boards, g, chosen[i])
        if stones.outcome[g] != RUNNING:
            outcome[game] = stones.outcome[g]
            length[game] = stones.ply[g]
            game_of[g] = IDLE


@compiled
def lanes_of(stones: Any, game_of: NDArray[np.int64], of_b: int, lanes: NDArray[np.int64]) -> int:
    """Lists the lanes where it is A's turn (of_b = 0) or B's (of_b = 1); returns their number."""
    count = 0
    for g in range(len(game_of)):
        if game_of[g] != IDLE:
            mover = BLACK if (game_of[g] + of_b) % 2 == 0 else WHITE
            if stones.to_move[g] == mover:
                lanes[count] = g
                count += 1
    return count


def _play_in_lockstep(
    boards: Any,
    streams: Streams,
    game_of: NDArray[np.int64],
    lanes: NDArray[np.int64],
    chosen: NDArray[np.uint16],
    seed: int,
    first: int,
    workspace_a: Any,
    workspace_b: Any,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Plays the games first, first + 1, … on all lanes; fills outcome[i], length[i] and, given room, moves[i, ply]."""
    waiting = first
    busy = True
    while busy:
        waiting = start(boards, streams, game_of, seed, waiting, first + len(outcome))
        busy = False
        count = lanes_of(boards.stones, game_of, 0, lanes)
        if count > 0:
            busy = True
            choose_a(boards, lanes[:count], streams, workspace_a, chosen[:count])
            advance(boards, lanes[:count], chosen[:count], game_of, first, outcome, length, moves)
        count = lanes_of(boards.stones, game_of, 1, lanes)
        if count > 0:
            busy = True
            choose_b(boards, lanes[:count], streams, workspace_b, chosen[:count])
            advance(boards, lanes[:count], chosen[:count], game_of, first, outcome, length, moves)


@cache
def _parts(game: type[Game]) -> dict[str, Any]:
    return {
        "start": specialise(_start_games, game.name, clear=game.rules.clear),
        "advance": specialise(_play_moves, game.name, play=game.rules.play),
    }


@cache
def _compiled_loop(game: type[Game], a: Callable[..., None], b: Callable[..., None]) -> Callable[..., None]:
    return specialise(_play_in_lockstep, game.name, choose_a=a, choose_b=b, **_parts(game))


def _python_chooser(player: Player) -> Callable[..., None]:
    def choose(boards: Any, lanes: Any, streams: Streams, workspace: Any, moves: Any) -> None:  # noqa: ARG001
        player.choose(boards, lanes, streams, moves)

    return choose


class Lockstep:
    """The lanes of one thread."""

    def __init__(self, variant: Variant, a: Player, b: Player, seed: int, batch: int) -> None:
        """`batch` is the number of lanes."""
        self._seed = seed
        self._lanes = (
            variant.allocate(batch),
            zeros(batch, np.uint64),
            zeros(batch, np.int64),
            zeros(batch, np.int64),
            zeros(batch, np.uint16),
        )
        self._lanes[2][:] = IDLE
        self._workspaces: tuple[Any, Any] = ((), ())
        if isinstance(a, BatchPlayer) and isinstance(b, BatchPlayer):
            self._workspaces = a.workspace(), b.workspace()
            self._loop = _compiled_loop(variant.game, a.batch_chooser(), b.batch_chooser())
        else:
            choosers = {"choose_a": _python_chooser(a), "choose_b": _python_chooser(b)}
            self._loop = bind(_play_in_lockstep, variant.game.name, **choosers, **_parts(variant.game))

    def play(self, first: int, outcome: NDArray[np.int8], length: NDArray[np.int32], moves: NDArray[np.uint16]) -> None:
        """Plays the games first, first + 1, …; fills outcome[i], length[i] and, given room, moves[i, ply]."""
        self._loop(*self._lanes, self._seed, first, *self._workspaces, outcome, length, moves)


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
            loop = fused_loop(variant.game, type(a), type(b))
            boards, streams, workspaces = variant.allocate(1), zeros(1, np.uint64), (a.workspace(), b.workspace())
            return lambda begin, end: loop(boards, streams, seed, first + begin, *workspaces, *played.part(begin, end))
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

    with ThreadPoolExecutor(threads) as pool:
        # each thread's arrays are made together: small ones of two threads on one cache line would slow both
        running = {pool.submit(work, play_part) for play_part in [new_loop() for _ in range(threads)]}
        try:
            while running:
                finished, running = wait(running, timeout=PART_SECONDS, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                progress(done)
        finally:
            stop.set()
