"""Many games side by side, so that a player sees a whole batch of positions at once.

Every board of the batch is a lane that plays one game after the other. A round is two half-rounds: A moves on all lanes
where it is A's turn, then B on all where it is B's; whatever the colours, both see nearly full batches.

The loop is compiled together with its players if both are compiled; else the same loop runs in Python.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, RUNNING, WHITE
from nobi.compiling import UNBOUND, bind, compiled, specialise
from nobi.games.base import Game, Variant
from nobi.memory import zeros
from nobi.players.base import BatchPlayer, Player
from nobi.streams import Streams, stream_of

clear: Any = UNBOUND  # these are bound by `_parts` and `lockstep_loop`
play: Any = UNBOUND
start: Any = UNBOUND
advance: Any = UNBOUND
choose_a: Any = UNBOUND
choose_b: Any = UNBOUND

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
def lanes_of(stones: Any, game_of: NDArray[np.int64], odd: int, lanes: NDArray[np.int64]) -> int:
    """Lists the lanes where it is the turn of the player who has black in even (odd = 0) or odd games (odd = 1).

    Returns their number.
    """
    count = 0
    for g in range(len(game_of)):
        if game_of[g] != IDLE:
            mover = BLACK if (game_of[g] + odd) % 2 == 0 else WHITE
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
    odd: int,
    room_a: Any,
    room_b: Any,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Plays the games first, first + 1, … on all lanes; fills outcome[i], length[i] and, given room, moves[i, ply].

    The player of `choose_a` has black in games of even number, or of odd number if `odd` is 1.
    """
    waiting = first
    busy = True
    while busy:
        waiting = start(boards, streams, game_of, seed, waiting, first + len(outcome))
        busy = False
        count = lanes_of(boards.stones, game_of, odd, lanes)
        if count > 0:
            busy = True
            choose_a(boards, lanes[:count], streams, room_a, chosen[:count])
            advance(boards, lanes[:count], chosen[:count], game_of, first, outcome, length, moves)
        count = lanes_of(boards.stones, game_of, 1 - odd, lanes)
        if count > 0:
            busy = True
            choose_b(boards, lanes[:count], streams, room_b, chosen[:count])
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


def _name_of(chooser: Any) -> str:
    """The name of a compiled function, which is the same in every process."""
    function = chooser.py_func
    return f"{function.__module__}.{function.__qualname__}"


def _python_chooser(player: Player) -> Callable[..., None]:
    def choose(boards: Any, lanes: Any, streams: Streams, room: Any, moves: Any) -> None:  # noqa: ARG001
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
        self._odd = 0
        self._rooms: tuple[Any, Any] = ((), ())
        if isinstance(a, BatchPlayer) and isinstance(b, BatchPlayer):
            if _name_of(b.batch_chooser()) < _name_of(a.batch_chooser()):  # one loop serves both orders
                self._odd, a, b = 1, b, a
            self._rooms = a.room(), b.room()
            self._loop = _compiled_loop(variant.game, a.batch_chooser(), b.batch_chooser())
        else:
            choosers = {"choose_a": _python_chooser(a), "choose_b": _python_chooser(b)}
            self._loop = bind(_play_in_lockstep, variant.game.name, **choosers, **_parts(variant.game))

    def play(self, first: int, outcome: NDArray[np.int8], length: NDArray[np.int32], moves: NDArray[np.uint16]) -> None:
        """Plays the games first, first + 1, …; fills outcome[i], length[i] and, given room, moves[i, ply]."""
        self._loop(*self._lanes, self._seed, first, self._odd, *self._rooms, outcome, length, moves)
