"""Relative fitness: networks that play each other (S08 section V-D).

A pass of a network computes 16 boards at the least, and a pair of greedy networks plays only two games. Pair by pair
seven eighths of every pass would be wasted; so all pairs play side by side, and a network chooses at once on the boards
of all whom it meets. A generation of S08, 15 networks against 15 others on 5x5 (mdrnn of 10 units, 450 games), takes
19 ms on one core, against 118 ms pair by pair.

The price: the networks take turns in Python, where threads wait for each other. A second thread makes many games faster
(10,000 games of 100 by 100 networks: 0.74 s, not 1.0 s) and those of one generation slower (29 ms). So a thread gets
no less than `LEAST_BOARDS`, and a generation of that size is played by one.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.arena.games import PlayedGames
from nobi.arena.lockstep import Lockstep
from nobi.board.stones import Boards
from nobi.cores import map_in_threads, usable_threads
from nobi.evolve.base import Weights
from nobi.games.base import Variant
from nobi.networks.base import Network
from nobi.players.base import Player
from nobi.players.network import NetworkPlayer, NetworkSettings
from nobi.streams import Streams

LEAST_BOARDS = 512
"""With fewer games than this a thread costs more than it gives."""
MOST_BOARDS = 2048
"""So many games at most are played side by side by a thread: enough to fill the passes, little enough memory."""


class Squad(Player):
    """Networks of one kind that stand as one player: each has boards of its own."""

    name = "squad"

    def __init__(
        self, variant: Variant, network: Network, weights: Weights, settings: NetworkSettings, member: NDArray[np.int64]
    ) -> None:
        """The networks have weights[network, weight]; member[board] says which of them plays there."""
        super().__init__(variant, settings)
        players = {int(i): NetworkPlayer(variant, network, weights[i], settings) for i in np.unique(member)}
        self._member = member
        self._rooms: dict[int, Any] = {i: player.room() for i, player in players.items()}
        self._choose = next(iter(players.values())).batch_chooser()

    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games, the boards of one network after those of the other."""
        member = self._member[lanes]
        order = np.argsort(member, kind="stable")
        lanes, member = lanes[order], member[order]
        chosen = np.empty_like(moves)
        cuts = [0, *(np.flatnonzero(np.diff(member)) + 1).tolist(), len(lanes)]
        for begin, end in pairwise(cuts):
            self._choose(boards, lanes[begin:end], streams, self._rooms[int(member[begin])], chosen[begin:end])
        moves[order] = chosen


def play_each_other(
    variant: Variant,
    network: Network,
    firsts: Weights,
    seconds: Weights,
    games: int = 2,
    seed: int = 0,
    threads: int = 0,
    temperature: float = 0.0,
) -> NDArray[np.float64]:
    """Lets every one of the first networks play every one of the second.

    A pure function of all arguments but `threads`, which changes nothing but the time.

    Args:
        variant: which game, on which board.
        network: the kind of network.
        firsts: [i, weight].
        seconds: [j, weight].
        games: games of every pair; an even number, each side starts in half of them. Two are enough if the networks are
            greedy, as chance then decides only between moves of exactly the same value.
        seed: chooses the games' random streams; every game has one of its own.
        threads: how many threads play; 0 for all cores.
        temperature: of the choice of moves; 0 for greedy networks.

    Returns:
        [i, j] the mean of S08's score of the first network of the pair, −1 to 1.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number, half for each side to start, not {games}")
    total = len(firsts) * len(seconds) * games
    scores = np.zeros(total)
    settings = NetworkSettings(temperature)

    def play(begin: int, end: int) -> None:
        """The games begin … end − 1, each on a board of its own."""
        pair = np.arange(begin, end) // games
        a = Squad(variant, network, firsts, settings, pair // len(seconds))
        b = Squad(variant, network, seconds, settings, pair % len(seconds))
        count = end - begin
        results = np.zeros(count, np.int8), np.zeros(count, np.int32), np.zeros((count, 0), np.uint16)
        Lockstep(variant, a, b, seed, count).play(begin, *results)
        scores[begin:end] = PlayedGames(variant, begin, *results).score_of_a

    workers = usable_threads(threads)
    # a first network stays with one thread, so that it has many boards there
    rows = -(-len(firsts) // workers) * len(seconds) * games
    share = min(max(rows, LEAST_BOARDS), MOST_BOARDS)
    parts = [(begin, min(begin + share, total)) for begin in range(0, total, share)]
    if workers == 1 or len(parts) == 1:
        for part in parts:
            play(*part)
    else:
        map_in_threads(lambda part: play(*part), parts, workers)
    return scores.reshape(len(firsts), len(seconds), games).mean(axis=2)
