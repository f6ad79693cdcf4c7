"""Fitness: how well candidates play, a pure function of (weights, games, seed, generation).

All candidates of a generation play games with the same random streams, which reduces the variance of comparisons; every
generation has its own streams.

`Fitness` plays against fixed opponents. `play_each_other` lets networks play each other (S08 section V-D): a forward
pass computes 16 boards at least, and a pair of greedy networks plays only two games. Pair by pair, seven eighths of
every pass would be wasted; therefore all pairs play in lockstep, and a network chooses at once on the boards of all its
opponents. A generation of S08, 15 networks against 15 others on 5x5 (mdrnn of 10 units, 450 games), takes 19 ms on one
core, against 118 ms pair by pair. The loop over networks is Python code, in which threads wait for each other: a second
thread speeds up many games (10,000 games of 100 by 100 networks: 0.74 s instead of 1.0 s) and slows down those of one
generation (29 ms). Therefore a thread gets at least `LEAST_BOARDS` games.
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
from nobi.models import files_in
from nobi.nn.network import Network
from nobi.players import make_player
from nobi.players.base import Player
from nobi.players.network import NetworkPlayer, NetworkSettings
from nobi.streams import Streams, derive_seed
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


PartOfGames = tuple[NDArray[np.int8], NDArray[np.int32]]
"""Outcome and length of some games."""
LEAST_GAMES = 16
"""The games of a candidate are divided if there are more workers than candidates, but not below this number: a forward
pass computes 16 boards at least."""


def games_seed(seed: int, generation: int) -> int:
    """Return the seed of a generation's games."""
    return derive_seed(seed, generation)


def play_in_lockstep(variant: Variant, a: Player, b: Player, seed: int, games: int, first: int = 0) -> PlayedGames:
    """Play the games first, first + 1, … in lockstep, each on its own board."""
    played = PlayedGames(
        variant, first, np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros((games, 0), np.uint16)
    )
    Lockstep(variant, a, b, seed, games).play(first, *played.part(0, games))
    return played


class CandidateGames:
    """The games of the candidates of one generation: a function for executors, which contains the weights."""

    def __init__(
        self, encounters: Sequence[tuple[Variant, str]], network: Network, candidates: Population, seed: int
    ) -> None:
        self._encounters, self._network, self._candidates, self._seed = encounters, network, candidates, seed

    def __call__(self, task: tuple[int, int, int, int]) -> PartOfGames:
        """Return outcome and length of the games begin … end − 1 of a candidate in an encounter."""
        i, j, begin, end = task
        where, spec = self._encounters[j]
        player = NetworkPlayer(where, self._network, self._candidates[i])
        played = play_in_lockstep(where, player, make_player(spec, where), self._seed, end - begin, begin)
        return played.outcome, played.length


def join(parts: Sequence[PartOfGames], where: Variant) -> PlayedGames:
    """Return the games of consecutive parts; the first game has the number 0."""
    outcome, length = (np.concatenate(column) for column in zip(*parts, strict=True))
    return PlayedGames(where, 0, outcome, length, np.zeros((len(outcome), 0), np.uint16))


def _cuts(games: int, parts: int) -> list[int]:
    """Return the boundaries of about `parts` equal parts of at least `LEAST_GAMES` games."""
    parts = max(1, min(parts, games // LEAST_GAMES))
    return [games * i // parts for i in range(parts + 1)]


class Fitness:
    """The fitness of networks against fixed opponents."""

    def __init__(
        self,
        game: str,
        sizes: Sequence[int],
        network: Network,
        opponents: Sequence[str],
        games: int,
        seed: int,
        executor: Executor | None = None,
    ) -> None:
        """Let every network play `games` games on every size against every opponent, half of them with each colour."""
        self.network = network
        self.games = games
        self.seed = seed
        self.encounters = [(variant(game, size), spec) for size, spec in product(sizes, opponents)]
        for where, spec in self.encounters:
            make_player(spec, where)  # raises an error for a bad spec
        self._executor = executor or ThreadExecutor()
        self._compiled = False
        self._work = 0.0
        """CPU seconds of the latest generation, if it was played by other processes."""

    @property
    def games_per_candidate(self) -> int:
        """The number of games of a candidate in a generation."""
        return self.games * len(self.encounters)

    def play(self, candidates: Population, generation: int, opponent: str | None = None) -> list[list[PlayedGames]]:
        """Return the games of all candidates, [candidate][encounter]; `opponent` replaces all opponents if given."""
        encounters = [(where, opponent or spec) for where, spec in self.encounters]
        games = CandidateGames(encounters, self.network, candidates, games_seed(self.seed, generation))
        shape = range(len(candidates)), range(len(encounters))
        if not self._compiled and len(candidates):  # two games first: the loop may have to be compiled
            games((0, 0, 0, 2))
            self._compiled = True
        # all games of a candidate at once: smaller parts would have more rounds in which only a few long games are left
        workers = self._executor.useful_workers(self._work)
        cuts = _cuts(self.games, -(-workers // max(1, len(candidates) * len(encounters))))
        tasks = [(i, j, begin, end) for i, j in product(*shape) for begin, end in pairwise(cuts)]
        before = self._executor.cpu_seconds
        found = self._executor.map(games, tasks, files=[file for _, spec in encounters for file in files_in(spec)])
        self._work = self._executor.cpu_seconds - before
        parts = iter(found)
        return [[join([next(parts) for _ in cuts[1:]], where) for where, _ in encounters] for _ in shape[0]]

    def measure(
        self, candidates: Population, generation: int, measure: str = "points", opponent: str | None = None
    ) -> NDArray[np.float64]:
        """Return the mean over all encounters, [candidate]."""
        played = self.play(candidates, generation, opponent)
        return np.array([np.mean([MEASURES[measure](games).mean() for games in row]) for row in played])

    def objectives(
        self, candidates: Population, generation: int, measures: Sequence[str], opponent: str | None = None
    ) -> NDArray[np.float64]:
        """Return every measure of every encounter, [candidate, objective]."""
        played = self.play(candidates, generation, opponent)
        return np.array([[MEASURES[measure](games).mean() for games in row for measure in measures] for row in played])


LEAST_BOARDS = 512
"""Minimum number of games per thread; with fewer, an additional thread is slower."""
MOST_BOARDS = 2048
"""Maximum number of games that a thread plays in lockstep: enough to fill the passes, with little memory."""


class PopulationPlayer(Player):
    """Several networks of one architecture as one player: each plays on its own boards."""

    name = "population"

    def __init__(
        self,
        variant: Variant,
        network: Network,
        weights: Population,
        settings: NetworkSettings,
        member: NDArray[np.int64],
    ) -> None:
        """The networks have weights[network, weight]; member[board] is the network that plays on a board."""
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
    temperature: float = 0.0,
    executor: Executor | None = None,
) -> NDArray[np.float64]:
    """Let each of the first networks play against each of the second ones, or against its own opponents.

    The result does not depend on `executor`.

    Args:
        variant: the game, its rules and the board size.
        network: the network architecture.
        firsts: [i, weight].
        seconds: [j, weight], or [i, j, weight]: the opponents of each first network.
        games: games of every pair, an even number: each side starts in half of them. Two are enough for greedy
            networks, which choose at random only between equal moves.
        seed: seed of the games' random streams; every game has its own.
        temperature: of the choice of moves; 0: greedy.
        executor: plays the games; by default threads of this process, one per core.

    Returns:
        [i, j] the mean of S08's score of the first network of the pair, −1 to 1.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number, half for each side to start, not {games}")
    executor = executor or ThreadExecutor()
    width = seconds.shape[-2]
    total = len(firsts) * width * games
    pairs = PairGames(variant, network, firsts, seconds, games, seed, NetworkSettings(temperature))
    # all games of a first network go to one worker, so that it has many boards there
    rows = -(-len(firsts) // executor.workers) * width * games
    share = min(max(rows, LEAST_BOARDS), MOST_BOARDS)
    scores = executor.map(pairs, [(begin, min(begin + share, total)) for begin in range(0, total, share)])
    return np.concatenate(scores or [np.zeros(0)]).reshape(len(firsts), width, games).mean(axis=2)


class PairGames:
    """The games of each of the first networks against each of the second ones: a function for executors."""

    def __init__(
        self,
        variant: Variant,
        network: Network,
        firsts: Population,
        seconds: Population,
        games: int,
        seed: int,
        settings: NetworkSettings,
    ) -> None:
        """`games` is the number of games per pair."""
        self._variant, self._network, self._settings = variant, network, settings
        self._firsts, self._seconds, self._games, self._seed = firsts, seconds, games, seed

    def __call__(self, part: tuple[int, int]) -> NDArray[np.float64]:
        """Return the scores of the games begin … end − 1, [game], each played on its own board."""
        begin, end = part
        pair = np.arange(begin, end) // self._games
        width = self._seconds.shape[-2]
        second = pair if self._seconds.ndim == 3 else pair % width
        opponents = self._seconds.reshape(-1, self._seconds.shape[-1])
        a = PopulationPlayer(self._variant, self._network, self._firsts, self._settings, pair // width)
        b = PopulationPlayer(self._variant, self._network, opponents, self._settings, second)
        return play_in_lockstep(self._variant, a, b, self._seed, end - begin, begin).score_of_a
