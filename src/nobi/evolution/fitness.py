"""Fitness: how well candidates play, a pure function of (weights, games, seed, generation).

All candidates of a generation play games of the same random streams, so that luck weighs alike on all; every generation
has streams of its own.

MERGED evolve/relative.py: Relative fitness: networks that play each other (S08 section V-D).

A pass of a network computes 16 boards at the least, and a pair of greedy networks plays only two games. Pair by pair
seven eighths of every pass would be wasted; so all pairs play side by side, and a network chooses at once on the boards
of all whom it meets. A generation of S08, 15 networks against 15 others on 5x5 (mdrnn of 10 units, 450 games), takes
19 ms on one core, against 118 ms pair by pair.

The price: the networks take turns in Python, where threads wait for each other. A second thread makes many games faster
(10,000 games of 100 by 100 networks: 0.74 s, not 1.0 s) and those of one generation slower (29 ms). So a thread gets
no less than `LEAST_BOARDS`, and a generation of that size is played by one.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.arena.play import Lockstep
from nobi.arena.results import PlayedGames
from nobi.board.stones import BLACK, WHITE, Boards
from nobi.games import variant
from nobi.games.base import Variant
from nobi.nn.network import Network, Weights
from nobi.players import make_player
from nobi.players.base import Player
from nobi.players.network import NetworkPlayer, NetworkSettings
from nobi.streams import Streams, stream_of
from nobi.workers import usable_threads

MEASURES: dict[str, Callable[[PlayedGames], NDArray[np.float64]]] = {
    "points": lambda games: games.points_of_a.astype(np.float64),
    "score": lambda games: games.score_of_a,
    "black": lambda games: games.points_of_a[games.colour_of_a == BLACK].astype(np.float64),
    "white": lambda games: games.points_of_a[games.colour_of_a == WHITE].astype(np.float64),
    "length": lambda games: -games.length / games.variant.size**2,
}
"""What games are worth to a network, [game]: the outcome (S09), the score (S08), the outcome with one colour, or the
shortness of the games. Their mean is the fitness."""


def games_seed(seed: int, generation: int) -> int:
    """The seed of a generation's games."""
    return int(stream_of(seed, generation)) >> 1


class Fitness:
    """Lets networks play against fixed opponents, on all cores."""

    def __init__(
        self,
        game: str,
        sizes: Sequence[int],
        network: Network,
        opponents: Sequence[str],
        games: int,
        seed: int,
        threads: int = 0,
    ) -> None:
        """Every network plays `games` games on every size against every opponent, half of them with each colour."""
        self.network = network
        self.games = games
        self.seed = seed
        self.encounters = [(variant(game, size), spec) for size, spec in product(sizes, opponents)]
        for where, spec in self.encounters:
            make_player(spec, where)  # complains of a bad word
        self._threads = usable_threads(threads)
        self._compiled = False

    def play(self, candidates: Weights, generation: int, opponent: str | None = None) -> list[list[PlayedGames]]:
        """[candidate][encounter] the games of all candidates; `opponent` takes the place of all opponents if given."""
        seed = games_seed(self.seed, generation)

        def one(task: tuple[Weights, int], games: int = self.games) -> PlayedGames:
            weights, i = task
            where, spec = self.encounters[i]
            player = NetworkPlayer(where, self.network, weights)
            played = PlayedGames(
                where, 0, np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros((games, 0), np.uint16)
            )
            # all games at once: in parts, there would be more rounds in which only a few long games go on
            lockstep = Lockstep(where, player, make_player(opponent or spec, where), seed, games)
            lockstep.play(0, *played.part(0, games))
            return played

        tasks = [(weights, i) for weights in candidates for i in range(len(self.encounters))]
        if not self._compiled:  # two games alone, since the loop may have to be compiled
            one(tasks[0], 2)
            self._compiled = True
        with ThreadPoolExecutor(self._threads) as pool:
            results = list(pool.map(one, tasks))
        width = len(self.encounters)
        return [results[i : i + width] for i in range(0, len(results), width)]

    def measure(
        self, candidates: Weights, generation: int, measure: str = "points", opponent: str | None = None
    ) -> NDArray[np.float64]:
        """[candidate] the mean over all encounters."""
        played = self.play(candidates, generation, opponent)
        return np.array([np.mean([MEASURES[measure](games).mean() for games in row]) for row in played])

    def objectives(
        self, candidates: Weights, generation: int, measures: Sequence[str], opponent: str | None = None
    ) -> NDArray[np.float64]:
        """[candidate, objective] every measure of every encounter apart."""
        played = self.play(candidates, generation, opponent)
        return np.array([[MEASURES[measure](games).mean() for games in row for measure in measures] for row in played])

    @property
    def games_per_candidate(self) -> int:
        """How many games a candidate plays in a generation."""
        return self.games * len(self.encounters)


LEAST_BOARDS = 512
"""With fewer games than this a thread costs more than it gives."""
MOST_BOARDS = 2048
"""So many games at most are played side by side by a thread: enough to fill the passes, little enough memory."""


class PopulationPlayer(Player):
    """Networks of one kind that stand as one player: each has boards of its own."""

    name = "squad"

    def __init__(
        self, variant: Variant, network: Network, weights: Weights, settings: NetworkSettings, member: NDArray[np.int64]
    ) -> None:
        """The networks have weights[network, weight]; member[board] says which of them plays there."""
        super().__init__(variant, settings)
        players = {int(i): NetworkPlayer(variant, network, weights[i], settings) for i in np.unique(member)}
        self._member = member
        self._workspaces: dict[int, Any] = {i: player.workspace() for i, player in players.items()}
        self._choose = next(iter(players.values())).batch_chooser()

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Chooses the moves of many games, the boards of one network after those of the other."""
        member = self._member[indices]
        order = np.argsort(member, kind="stable")
        indices, member = indices[order], member[order]
        chosen = np.empty_like(moves)
        cuts = [0, *(np.flatnonzero(np.diff(member)) + 1).tolist(), len(indices)]
        for begin, end in pairwise(cuts):
            self._choose(boards, indices[begin:end], streams, self._workspaces[int(member[begin])], chosen[begin:end])
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
        a = PopulationPlayer(variant, network, firsts, settings, pair // len(seconds))
        b = PopulationPlayer(variant, network, seconds, settings, pair % len(seconds))
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
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(play, *zip(*parts, strict=True)))
    return scores.reshape(len(firsts), len(seconds), games).mean(axis=2)
