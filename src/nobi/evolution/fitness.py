"""Fitness: how well candidates play, a pure function of (weights, games, seed, generation).

All candidates of a generation play games with the same random streams, so that chance affects all alike; every
generation has its own streams.

`Fitness` plays against fixed opponents. `play_each_other` lets networks play each other (S08 section V-D): a forward
pass computes 16 boards at least, and a pair of greedy networks plays only two games. Pair by pair, seven eighths of
every pass would be wasted; so all pairs play in lockstep, and a network chooses at once on the boards of all its
opponents. A generation of S08, 15 networks against 15 others on 5x5 (mdrnn of 10 units, 450 games), takes 19 ms on one
core, against 118 ms pair by pair. The networks take turns in Python, where threads wait for each other: a second thread
makes many games faster (10,000 games of 100 by 100 networks: 0.74 s, not 1.0 s) and those of one generation slower
(29 ms). So a thread gets at least `LEAST_BOARDS` games.
"""

from collections.abc import Callable, Sequence
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
from nobi.trainers.base import Population
from nobi.workers import Executor, ThreadExecutor

MEASURES: dict[str, Callable[[PlayedGames], NDArray[np.float64]]] = {
    "points": lambda games: games.points_of_a.astype(np.float64),
    "score": lambda games: games.score_of_a,
    "black": lambda games: games.points_of_a[games.colour_of_a == BLACK].astype(np.float64),
    "white": lambda games: games.points_of_a[games.colour_of_a == WHITE].astype(np.float64),
    "length": lambda games: -games.length / games.variant.size**2,
}
"""The value of games for a network, [game]: the outcome (S09), the score (S08), the outcome with one colour, or the
negative length. Their mean is the fitness."""


def games_seed(seed: int, generation: int) -> int:
    """The seed of a generation's games."""
    return int(stream_of(seed, generation)) >> 1


def play_in_lockstep(variant: Variant, a: Player, b: Player, seed: int, games: int, first: int = 0) -> PlayedGames:
    """Play the games first, first + 1, … side by side, each on its own board."""
    played = PlayedGames(
        variant, first, np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros((games, 0), np.uint16)
    )
    Lockstep(variant, a, b, seed, games).play(first, *played.part(0, games))
    return played


class Fitness:
    """Lets networks play against fixed opponents."""

    def __init__(
        self,
        game: str,
        sizes: Sequence[int],
        network: Network,
        opponents: Sequence[str],
        games: int,
        seed: int,
        threads: int = 0,
        executor: Executor | None = None,
    ) -> None:
        """Every network plays `games` games on every size against every opponent, half of them with each colour."""
        self.network = network
        self.games = games
        self.seed = seed
        self.encounters = [(variant(game, size), spec) for size, spec in product(sizes, opponents)]
        for where, spec in self.encounters:
            make_player(spec, where)  # raises an error for a bad spec
        self._executor = executor or ThreadExecutor(threads)
        self._compiled = False

    @property
    def games_per_candidate(self) -> int:
        """How many games a candidate plays in a generation."""
        return self.games * len(self.encounters)

    def play(self, candidates: Population, generation: int, opponent: str | None = None) -> list[list[PlayedGames]]:
        """[candidate][encounter] the games of all candidates; `opponent` replaces all opponents if given."""
        seed = games_seed(self.seed, generation)

        def play_one(task: tuple[Weights, int], games: int = self.games) -> PlayedGames:
            weights, i = task
            where, spec = self.encounters[i]
            player = NetworkPlayer(where, self.network, weights)
            # all games at once: in parts, there would be more rounds in which only a few long games are left
            return play_in_lockstep(where, player, make_player(opponent or spec, where), seed, games)

        tasks = [(weights, i) for weights in candidates for i in range(len(self.encounters))]
        if not self._compiled:  # two games alone: the loop may have to be compiled
            play_one(tasks[0], 2)
            self._compiled = True
        results = self._executor.map(play_one, tasks)
        width = len(self.encounters)
        return [results[i : i + width] for i in range(0, len(results), width)]

    def measure(
        self, candidates: Population, generation: int, measure: str = "points", opponent: str | None = None
    ) -> NDArray[np.float64]:
        """[candidate] the mean over all encounters."""
        played = self.play(candidates, generation, opponent)
        return np.array([np.mean([MEASURES[measure](games).mean() for games in row]) for row in played])

    def objectives(
        self, candidates: Population, generation: int, measures: Sequence[str], opponent: str | None = None
    ) -> NDArray[np.float64]:
        """[candidate, objective] every measure of every encounter."""
        played = self.play(candidates, generation, opponent)
        return np.array([[MEASURES[measure](games).mean() for games in row for measure in measures] for row in played])


LEAST_BOARDS = 512
"""With fewer games a further thread is slower."""
MOST_BOARDS = 2048
"""At most this many games are played side by side by a thread: enough to fill the passes, with little memory."""


class PopulationPlayer(Player):
    """Several networks of one kind as one player: each plays on boards of its own."""

    name = "population"

    def __init__(
        self,
        variant: Variant,
        network: Network,
        weights: Population,
        settings: NetworkSettings,
        member: NDArray[np.int64],
    ) -> None:
        """The networks have weights[network, weight]; member[board] says which of them plays there."""
        super().__init__(variant, settings)
        players = {int(i): NetworkPlayer(variant, network, weights[i], settings) for i in np.unique(member)}
        self._member = member
        self._workspaces: dict[int, Any] = {i: player.workspace() for i, player in players.items()}
        self._choose = next(iter(players.values())).batch_chooser()

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Choose the moves of many games, for one network after the other."""
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
    firsts: Population,
    seconds: Population,
    games: int = 2,
    seed: int = 0,
    threads: int = 0,
    temperature: float = 0.0,
    executor: Executor | None = None,
) -> NDArray[np.float64]:
    """Let every one of the first networks play every one of the second, or each its own opponents.

    A pure function of all arguments but `threads` and `executor`, which change only the time.

    Args:
        variant: which game, on which board.
        network: the kind of network.
        firsts: [i, weight].
        seconds: [j, weight], or [i, j, weight]: the opponents of each first network.
        games: games of every pair, an even number: each side starts in half of them. Two are enough for greedy
            networks, where only ties between moves are broken at random.
        seed: seed of the games' random streams; every game has its own.
        threads: number of threads; 0: one per core.
        temperature: of the choice of moves; 0: greedy.
        executor: plays the games, in place of threads.

    Returns:
        [i, j] the mean of S08's score of the first network of the pair, −1 to 1.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number, half for each side to start, not {games}")
    executor = executor or ThreadExecutor(threads)
    own = seconds.ndim == 3
    width = seconds.shape[-2]
    total = len(firsts) * width * games
    settings = NetworkSettings(temperature)

    def play(part: tuple[int, int]) -> NDArray[np.float64]:
        """The scores of the games begin … end − 1, each on its own board."""
        begin, end = part
        pair = np.arange(begin, end) // games
        a = PopulationPlayer(variant, network, firsts, settings, pair // width)
        opponents = seconds.reshape(-1, seconds.shape[-1])
        b = PopulationPlayer(variant, network, opponents, settings, pair if own else pair % width)
        return play_in_lockstep(variant, a, b, seed, end - begin, begin).score_of_a

    # a first network stays with one thread, so that it has many boards there
    rows = -(-len(firsts) // executor.workers) * width * games
    share = min(max(rows, LEAST_BOARDS), MOST_BOARDS)
    scores = executor.map(play, [(begin, min(begin + share, total)) for begin in range(0, total, share)])
    return np.concatenate(scores or [np.zeros(0)]).reshape(len(firsts), width, games).mean(axis=2)
