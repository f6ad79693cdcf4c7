"""Fitness: how well candidates play, a pure function of (weights, games, seed, generation).

All candidates of a generation play games of the same random streams, so that luck weighs alike on all; every generation
has streams of its own.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nobi.arena.games import PlayedGames
from nobi.arena.lockstep import Lockstep
from nobi.board.stones import BLACK, WHITE
from nobi.cores import map_in_threads, usable_threads
from nobi.games import variant
from nobi.networks.base import Network, Weights
from nobi.players import make_player
from nobi.players.network import NetworkPlayer
from nobi.streams import stream_of

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
        self.encounters = [(variant(game, size), word) for size, word in product(sizes, opponents)]
        for where, word in self.encounters:
            make_player(word, where)  # complains of a bad word
        self._threads = usable_threads(threads)
        self._compiled = False

    def play(self, candidates: Weights, generation: int, opponent: str | None = None) -> list[list[PlayedGames]]:
        """[candidate][encounter] the games of all candidates; `opponent` takes the place of all opponents if given."""
        seed = games_seed(self.seed, generation)

        def one(task: tuple[Weights, int], games: int = self.games) -> PlayedGames:
            weights, i = task
            where, word = self.encounters[i]
            player = NetworkPlayer(where, self.network, weights)
            played = PlayedGames(
                where, 0, np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros((games, 0), np.uint16)
            )
            # all games at once: in parts, there would be more rounds in which only a few long games go on
            lockstep = Lockstep(where, player, make_player(opponent or word, where), seed, games)
            lockstep.play(0, *played.part(0, games))
            return played

        tasks = [(weights, i) for weights in candidates for i in range(len(self.encounters))]
        if not self._compiled:  # two games alone, since the loop may have to be compiled
            one(tasks[0], 2)
            self._compiled = True
        results = map_in_threads(one, tasks, self._threads)
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
