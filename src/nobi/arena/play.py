"""The arena: many games between two players, in threads or on a cluster; results do not depend on their number.

`play_games` is the entry point. Each worker runs one of two loops:

* Fused: two players that are compiled for one board play whole games in one compiled loop, one game after the other.
  Playing such games in parallel in a thread is not faster: the state of one game stays in the fastest cache, and the
  branches of its rules do not vectorise.
* Lockstep: all other players play a batch of boards at once. In each round A moves on all boards where it is A's turn,
  then B where it is B's; so both evaluate nearly full batches. This loop is compiled together with its players if both
  are compiled; otherwise it runs in Python.
"""

from collections.abc import Callable
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
from nobi.workers import Executor, PerWorker, ThreadExecutor, closing_iterator

clear: Any = UNBOUND  # this and the next five are bound by `specialise`
play: Any = UNBOUND
start: Any = UNBOUND
advance: Any = UNBOUND
choose_a: Any = UNBOUND
choose_b: Any = UNBOUND


def _play_fused(
    boards: Any,
    streams: Streams,
    seed: int,
    first: int,
    odd: int,
    workspace_a: Any,
    workspace_b: Any,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Play the games first, first + 1, … on board 0; fill outcome[i], length[i] and, if kept, moves[i, ply].

    The player of `choose_a` has Black in even-numbered games, or in odd-numbered ones if `odd` is 1.
    """
    stones = boards.stones
    for i in range(len(outcome)):
        streams[0] = stream_of(seed, first + i)
        clear(boards, 0)
        colour_of_a = WHITE if (first + i + odd) % 2 else BLACK
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
    """Return the compiled loop for these two players."""
    return specialise(
        _play_fused,
        f"{game.name}_{a.name}_{b.name}",
        clear=game.rules.clear,
        play=game.rules.play,
        choose_a=a.chooser(game),
        choose_b=b.chooser(game),
    )


IDLE = -1
"""The game number of a board without a game."""


def _start_games(boards: Any, streams: Streams, game_of: NDArray[np.int64], seed: int, waiting: int, end: int) -> int:
    """Start the games waiting … end − 1 on idle boards; return the first game that was not started."""
    for g in range(len(game_of)):
        if game_of[g] == IDLE and waiting < end:
            game_of[g] = waiting
            streams[g] = stream_of(seed, waiting)
            clear(boards, g)
            waiting += 1
    return waiting


def _play_moves(
    boards: Any,
    indices: NDArray[np.int64],
    chosen: NDArray[np.uint16],
    game_of: NDArray[np.int64],
    first: int,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Play chosen[i] on board indices[i]; store the results of finished games, whose boards become idle."""
    stones = boards.stones
    for i in range(len(indices)):
        g = indices[i]
        game = game_of[g] - first
        if moves.shape[1] > 0:
            moves[game, stones.ply[g]] = chosen[i]
        play(boards, g, chosen[i])
        if stones.outcome[g] != RUNNING:
            outcome[game] = stones.outcome[g]
            length[game] = stones.ply[g]
            game_of[g] = IDLE


@compiled
def list_turns(stones: Any, game_of: NDArray[np.int64], odd: int, indices: NDArray[np.int64]) -> int:
    """List the boards where the player with Black in even games (odd = 0) or odd games (odd = 1) is to move.

    Returns their number.
    """
    count = 0
    for g in range(len(game_of)):
        if game_of[g] != IDLE:
            mover = BLACK if (game_of[g] + odd) % 2 == 0 else WHITE
            if stones.to_move[g] == mover:
                indices[count] = g
                count += 1
    return count


def _play_in_lockstep(
    boards: Any,
    streams: Streams,
    game_of: NDArray[np.int64],
    indices: NDArray[np.int64],
    chosen: NDArray[np.uint16],
    seed: int,
    first: int,
    odd: int,
    workspace_a: Any,
    workspace_b: Any,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Play the games first, first + 1, … on all boards; fill outcome[i], length[i] and, if kept, moves[i, ply].

    The player of `choose_a` has Black in even-numbered games, or in odd-numbered ones if `odd` is 1.
    """
    waiting = first
    busy = True
    while busy:
        waiting = start(boards, streams, game_of, seed, waiting, first + len(outcome))
        busy = False
        count = list_turns(boards.stones, game_of, odd, indices)
        if count > 0:
            busy = True
            choose_a(boards, indices[:count], streams, workspace_a, chosen[:count])
            advance(boards, indices[:count], chosen[:count], game_of, first, outcome, length, moves)
        count = list_turns(boards.stones, game_of, 1 - odd, indices)
        if count > 0:
            busy = True
            choose_b(boards, indices[:count], streams, workspace_b, chosen[:count])
            advance(boards, indices[:count], chosen[:count], game_of, first, outcome, length, moves)


@cache
def _parts(game: type[Game]) -> dict[str, Any]:
    return {
        "start": specialise(_start_games, game.name, clear=game.rules.clear),
        "advance": specialise(_play_moves, game.name, play=game.rules.play),
    }


@cache
def _compiled_loop(game: type[Game], a: Callable[..., None], b: Callable[..., None]) -> Callable[..., None]:
    return specialise(_play_in_lockstep, game.name, choose_a=a, choose_b=b, **_parts(game))


def _name_of(chooser: Any) -> str:
    """Return the name of a compiled function, which is the same in every process."""
    function = chooser.py_func
    return f"{function.__module__}.{function.__qualname__}"


def _python_chooser(player: Player) -> Callable[..., None]:
    def choose(boards: Any, indices: Any, streams: Streams, workspace: Any, moves: Any) -> None:  # noqa: ARG001
        player.choose(boards, indices, streams, moves)

    return choose


class Lockstep:
    """The boards of one thread, on which games are played in lockstep."""

    def __init__(self, variant: Variant, a: Player, b: Player, seed: int, batch: int) -> None:
        """`batch` is the number of boards."""
        self._seed = seed
        self._state = (
            variant.allocate(batch),
            zeros(batch, np.uint64),  # streams
            zeros(batch, np.int64),  # game_of
            zeros(batch, np.int64),  # indices
            zeros(batch, np.uint16),  # chosen
        )
        self._state[2][:] = IDLE
        self._odd = 0
        self._workspaces: tuple[Any, Any] = ((), ())
        if isinstance(a, BatchPlayer) and isinstance(b, BatchPlayer):
            if _name_of(b.batch_chooser()) < _name_of(a.batch_chooser()):  # one compiled loop for both orders
                self._odd, a, b = 1, b, a
            self._workspaces = a.workspace(), b.workspace()
            self._loop = _compiled_loop(variant.game, a.batch_chooser(), b.batch_chooser())
        else:
            choosers = {"choose_a": _python_chooser(a), "choose_b": _python_chooser(b)}
            self._loop = bind(_play_in_lockstep, variant.game.name, **choosers, **_parts(variant.game))

    def play(self, first: int, outcome: NDArray[np.int8], length: NDArray[np.int32], moves: NDArray[np.uint16]) -> None:
        """As `_play_in_lockstep`."""
        self._loop(*self._state, self._seed, first, self._odd, *self._workspaces, outcome, length, moves)


PlayPart = Callable[[int, NDArray[np.int8], NDArray[np.int32], NDArray[np.uint16]], None]
"""Plays the games first, first + 1, … and fills their results, as `_play_fused` does."""


class ArenaGames(PerWorker[PlayPart]):
    """Plays any part of the games of a match; every worker has its own boards."""

    def __init__(
        self, variant: Variant, a: Player, b: Player, seed: int, first: int, batch: int, *, keep_moves: bool
    ) -> None:
        """Store the arguments of `play_games`; `batch` is the number of boards of a worker."""
        super().__init__()
        self._variant, self._a, self._b = variant, a, b
        self._seed, self._first, self._batch, self._keep_moves = seed, first, batch, keep_moves

    def empty(self, games: int) -> PlayedGames:
        """Return empty results for this number of games."""
        moves = self._variant.most_moves if self._keep_moves else 0
        outcome, length = np.zeros(games, np.int8), np.zeros(games, np.int32)
        return PlayedGames(self._variant, self._first, outcome, length, np.zeros((games, moves), np.uint16))

    def new_state(self) -> PlayPart:
        a, b = self._a, self._b
        if isinstance(a, CompiledPlayer) and isinstance(b, CompiledPlayer):
            odd = int(b.name < a.name)  # one compiled loop for both orders
            one, other = (b, a) if odd else (a, b)
            loop = fused_loop(self._variant.game, type(one), type(other))
            state = self._variant.allocate(1), zeros(1, np.uint64)
            workspaces = one.workspace(), other.workspace()
            return lambda first, *results: loop(*state, self._seed, first, odd, *workspaces, *results)
        return Lockstep(self._variant, a, b, self._seed, self._batch).play

    def __call__(self, begin: int, end: int) -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.uint16]]:
        results = self.empty(end - begin).part(0, end - begin)
        with self.state() as play_part:
            play_part(self._first + begin, *results)
        return results


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
    executor: Executor | None = None,
) -> PlayedGames:
    """Play games `first` … `first + games − 1` between A and B; A has Black in even-numbered games.

    A game depends only on variant, players, seed and its number, not on threads, batch and executor.

    Args:
        variant: the game, its rules and the board size.
        a: one player.
        b: the other, possibly the same.
        games: the number of games.
        seed: chooses the games' random streams.
        first: the number of the first game, so that a match can be continued.
        threads: the number of threads; 0: one per core.
        batch: the number of games that a thread plays in lockstep.
        keep_moves: whether to return the moves.
        progress: called repeatedly with the number of games played so far.
        executor: plays the games; default: threads of this process.

    Raises:
        PlayInterrupted: a KeyboardInterrupt that contains the games finished before it.
    """
    for player in (a, b):
        variant.check(player.variant)
    executor = executor or ThreadExecutor(threads)
    match = ArenaGames(variant, a, b, seed, first, max(1, min(batch, games)), keep_moves=keep_moves)
    fused = isinstance(a, CompiledPlayer) and isinstance(b, CompiledPlayer)
    played = match.empty(games)
    match(0, 0)  # compile before the threads start
    parts = executor.ranges(match, games, least=1 if fused else 4 * batch)
    done = 0
    try:
        with closing_iterator(parts):
            for begin, end, results in parts:
                played.outcome[begin:end], played.length[begin:end], played.moves[begin:end] = results
                done += end - begin
                progress(done)
    except KeyboardInterrupt:
        raise PlayInterrupted(played.finished()) from None
    return played
