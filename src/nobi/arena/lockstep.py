"""Any two players: many games side by side, so that a player sees a whole batch of positions at once.

Every board of the batch is a lane that plays one game after the other. A round is two half-rounds: A moves on all lanes
where it is A's turn, then B on all where it is B's; whatever the colours, both see nearly full batches.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, RUNNING, WHITE
from nobi.compiling import UNBOUND, compiled, specialise
from nobi.games.base import Game, Variant
from nobi.players.base import Player
from nobi.streams import Streams, stream_of

clear: Any = UNBOUND  # these are bound by `start_loop` and `play_loop`
play: Any = UNBOUND

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


@cache
def start_loop(game: type[Game]) -> Callable[..., int]:
    """The compiled start of games."""
    return specialise(_start_games, game.name, clear=game.rules.clear)


@cache
def play_loop(game: type[Game]) -> Callable[..., None]:
    """The compiled playing of chosen moves."""
    return specialise(_play_moves, game.name, play=game.rules.play)


def play_in_lockstep(
    variant: Variant,
    a: Player,
    b: Player,
    seed: int,
    first: int,
    batch: int,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Plays the games first, first + 1, … on `batch` lanes and fills outcome[i], length[i] and moves[i, ply]."""
    start, advance = start_loop(variant.game), play_loop(variant.game)
    end = first + len(outcome)
    batch = min(batch, len(outcome))
    boards = variant.allocate(batch)
    streams = np.zeros(batch, np.uint64)
    game_of = np.full(batch, IDLE, np.int64)
    lanes = np.zeros(batch, np.int64)
    chosen = np.zeros(batch, np.uint16)
    waiting = first
    while True:
        waiting = start(boards, streams, game_of, seed, waiting, end)
        if not (game_of != IDLE).any():
            return
        for of_b, player in enumerate((a, b)):
            count = lanes_of(boards.stones, game_of, of_b, lanes)
            if count:
                player.choose(boards, lanes[:count], streams, chosen[:count])
                advance(boards, lanes[:count], chosen[:count], game_of, first, outcome, length, moves)
