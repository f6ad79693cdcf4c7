"""Two compiled players: whole games in one compiled loop, one after the other on one board.

Nothing is gained by playing such games side by side: the state of one game lies in the fastest cache, and
the branches of its rules do not vectorise.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, RUNNING, WHITE
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game
from nobi.players.base import CompiledPlayer
from nobi.streams import Streams, stream_of

clear: Any = UNBOUND  # these are bound by `fused_loop`
play: Any = UNBOUND
choose_a: Any = UNBOUND
choose_b: Any = UNBOUND


def _play_games(
    boards: Any,
    streams: Streams,
    seed: int,
    first: int,
    odd: int,
    room_a: Any,
    room_b: Any,
    outcome: NDArray[np.int8],
    length: NDArray[np.int32],
    moves: NDArray[np.uint16],
) -> None:
    """Plays the games first, first + 1, … on board 0; fills outcome[i], length[i] and, given room, moves[i, ply].

    The player of `choose_a` has black in games of even number, or of odd number if `odd` is 1.
    """
    stones = boards.stones
    for i in range(len(outcome)):
        streams[0] = stream_of(seed, first + i)
        clear(boards, 0)
        colour_of_a = WHITE if (first + i + odd) % 2 else BLACK
        while stones.outcome[0] == RUNNING:
            if stones.to_move[0] == colour_of_a:
                move = choose_a(boards, 0, streams, room_a)
            else:
                move = choose_b(boards, 0, streams, room_b)
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
