"""Do 93 weights help a search? Evolved networks as priors of the tree search, and as values of positions.

Equal time without clocks: the cost of a playout with and without the network, and of a move of the value player, is
measured first, alternately in one process, in CPU seconds of its thread. In a match both sides then have playouts of
equal total cost, so the result does not depend on the load of the machine.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.arena.play import play_games
from nobi.evolution.fitness import games_seed, play_in_lockstep
from nobi.figures.comparison import SharePanel, share_panels
from nobi.games import variant
from nobi.games.base import Game
from nobi.networks import make_network
from nobi.players import make_player
from nobi.players.base import Player
from nobi.players.value import ValuePlayer, ValueSettings
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.statistics import Interval, bounded_mean, elo_difference, elo_interval, share_interval
from nobi.studies.jobs import Arrays, Job, Progress, run_seed
from nobi.studies.s08.random import GAME_NAMES
from nobi.studies.s09.random import MDLSTM
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.trainers import make_trainer

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache

MODELS = {game: f"{game}-mdlstm" for game in GAME_NAMES}
"""Game → shipped network of 93 weights, evolved on 7x7 against the naive player."""
EVERY, LATER = 0, 16
"""Values of `evaluate_at`: every node of the tree is evaluated, or those with 16 playouts."""
TRAINED = 7
"""The board of the evolution of value networks."""


def _positions(game: str, size: int, seed: int) -> list[Game]:
    """Return positions for measuring costs, after random moves on 0, 1/8 and 1/4 of the points."""
    rng = np.random.Generator(np.random.PCG64(seed))
    found = []
    for stones in (0, size * size // 8, size * size // 4):
        while True:
            position = variant(game, size).new()
            while len(position.moves) < stones and not position.is_over:
                position.play(int(rng.choice(position.legal_moves())))
            if not position.is_over:
                break
        found.append(position)
    return found


@dataclass(frozen=True)
class CostJob(Job):
    """CPU seconds in one process: `plain` and `guided` [repeat] per playout, `value` [repeat, depth] per move.

    Each repeat measures all of them on the same positions, one after the other.
    """

    kind = "search-cost"
    game: str
    size: int
    model: str
    evaluate_at: int
    playouts: int
    repeats: int
    value: bool = False
    """Whether the moves of the value player are measured, instead of playouts with priors."""

    @property
    def label(self) -> str:
        return f"cost {self.model} {self.size} {self.evaluate_at}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:  # noqa: ARG002
        where = variant(self.game, self.size)
        positions = _positions(self.game, self.size, self.size)
        searches = [Search(where, SearchSettings(reuse=False))]
        players: list[Player] = []
        if self.value:
            network = make_network(MDLSTM)
            weights = network.random_weights(self.size, np.random.Generator(np.random.PCG64(0)))
            players = [ValuePlayer(where, network, weights, ValueSettings(depth)) for depth in (1, 2)]
        else:
            settings = SearchSettings(model=self.model, mode="synchronous", evaluate_at=self.evaluate_at, reuse=False)
            searches.append(Search(where, settings))
        spent = np.zeros((self.repeats + 1, len(searches) + len(players)))
        for repeat in range(self.repeats + 1):  # the first repeat compiles
            for i, search in enumerate(searches):
                spent[repeat, i] = _seconds_per_playout(search, positions, self.playouts)
            for i, player in enumerate(players):
                spent[repeat, len(searches) + i] = _seconds_per_move(player, positions)
            progress((repeat + 1) / (self.repeats + 1))
        for search in searches:
            search.close()
        rest = {"value": spent[1:, 1:]} if self.value else {"guided": spent[1:, 1]}
        return {"plain": spent[1:, 0], **rest}


def _seconds_per_playout(search: Search, positions: list[Game], playouts: int) -> float:
    begin = time.thread_time()
    for position in positions:
        search.set_game(position)
        search.run(playouts)
    return (time.thread_time() - begin) / (playouts * len(positions))


def _seconds_per_move(player: Player, positions: list[Game]) -> float:
    moves, streams = np.zeros(1, np.uint16), np.ones(1, np.uint64)
    begin = time.thread_time()
    for position in positions:
        player.choose(position.boards, np.zeros(1, np.int64), streams, moves)
    return (time.thread_time() - begin) / len(positions)


@dataclass(frozen=True)
class PriorsMatchJob(Job):
    """Search with priors against search without, at equal playouts or equal cost: `points` of the former [game].

    `playouts` [2] are the playouts of both sides.
    """

    kind = "priors-match"
    game: str
    size: int
    model: str
    evaluate_at: int
    playouts: int
    """Playouts of the search without priors."""
    games: int
    seed: int
    cost: CostJob | None = None
    """The measurement of costs for equal time; None: equal playouts."""

    @property
    def label(self) -> str:
        return f"priors {self.model} {self.size} {self.evaluate_at} {'time' if self.cost else 'playouts'}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        guided = self.playouts
        if self.cost:
            spent = cache.arrays(self.cost)
            guided = max(1, round(self.playouts * float(np.median(spent["plain"] / spent["guided"]))))
        where = variant(self.game, self.size)
        settings = f"model={self.model},mode=synchronous,evaluate_at={self.evaluate_at}"
        a = make_player(f"mcts:rollouts={guided},{settings}", where)
        points = _play(where, a, make_player(f"mcts:rollouts={self.playouts}", where), self, cache, progress)
        return {"points": points, "playouts": np.array([guided, self.playouts])}


def _play(where: Any, a: Player, b: Player, job: Any, cache: "JobCache", progress: Progress) -> NDArray[np.float64]:
    """Return the points of A, 0 to 1, [game]."""
    played = play_games(
        where, a, b, job.games, seed=job.seed, threads=cache.threads, progress=lambda done: progress(done / job.games)
    )
    return (played.points_of_a.astype(np.float64) + 1) / 2


@dataclass(frozen=True)
class ValueEvolutionJob(Job):
    """CMA-ES of a network whose mean output is the value of a position; the player looks one move ahead.

    `champion` [weight], the best of the last generation, and `mean` [generation].
    """

    kind = "value-evolution"
    net: str
    game: str
    opponent: str
    generations: int
    games: int
    seed: int

    @property
    def label(self) -> str:
        return f"value {self.net} {self.game} {self.seed}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:  # noqa: ARG002
        where, network = variant(self.game, TRAINED), make_network(self.net)
        trainer = make_trainer("cmaes", network.weight_count(TRAINED), self.seed)
        opponent, means = make_player(self.opponent, where), []
        champion = np.zeros(trainer.weights, np.float32)
        for generation in range(self.generations):
            candidates = trainer.ask()
            seed = games_seed(self.seed, generation)
            players = [ValuePlayer(where, network, weights) for weights in candidates]
            points = np.array(
                [play_in_lockstep(where, one, opponent, seed, self.games).points_of_a.mean() for one in players]
            )
            trainer.tell(points)
            champion = candidates[trainer.champion]
            means.append(float(points.mean()))
            progress((generation + 1) / self.generations)
        return {"champion": champion, "mean": np.array(means)}


@dataclass(frozen=True)
class ValueMatchJob(Job):
    """A value network that looks `depth` moves ahead, against naive or a search of equal cost: `points` [game]."""

    kind = "value-match"
    run: ValueEvolutionJob
    depth: int
    size: int
    games: int
    seed: int
    cost: CostJob | None = None
    """The measurement of costs for a search of equal cost; None: against the naive player."""

    @property
    def label(self) -> str:
        return f"value {self.run.game} depth {self.depth} on {self.size} {'search' if self.cost else 'naive'}"

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        where = variant(self.run.game, self.size)
        champion = cache.arrays(self.run)["champion"]
        a = ValuePlayer(where, make_network(self.run.net), champion, ValueSettings(self.depth))
        playouts = 0
        if self.cost:
            spent = cache.arrays(self.cost)
            playouts = max(1, round(float(np.median(spent["value"][:, self.depth - 1] / spent["plain"]))))
        b = make_player(f"mcts:rollouts={playouts}" if playouts else "naive", where)
        return {"points": _play(where, a, b, self, cache, progress), "playouts": np.array([playouts])}


def share_over_runs(runs: Sequence[NDArray[np.float64]]) -> Interval:
    """Return the share of the points of runs [run][game]; the interval is over runs, or over games of a single run."""
    if len(runs) == 1:
        return share_interval(float(runs[0].sum()), len(runs[0]))
    return bounded_mean(np.array([points.mean() for points in runs]), 0.0, 1.0)


@dataclass(frozen=True)
class PriorsScale:
    """Boards, matches and the evolution of value networks."""

    sizes: tuple[int, ...]
    playouts: int
    """Playouts per move of the search without priors."""
    games: int
    repeats: int
    """Repeats of the measurement of costs."""
    runs: int
    generations: int
    training_games: int
    largest_value: int
    """Maximum board size for value networks, whose cost grows with the square of the number of points."""


class Priors(Study):
    """Do 93 weights help a search? Evolved networks as priors and as values, at equal time."""

    name = "beyond-priors"
    page = "beyond"
    scales: ClassVar = {
        "tiny": PriorsScale((5,), 4, 2, 1, 1, 1, 2, 5),
        "quick": PriorsScale((7, 9), 20, 10, 3, 1, 5, 4, 7),
        "day": PriorsScale((7, 11, 19), 100, 40, 3, 3, 40, 20, 11),
        "paper": PriorsScale((7, 9, 11, 13, 15, 19), 1000, 400, 20, 5, 200, 100, 19),
    }
    value_games = ("atari-go", "gomoku")
    """The games of S08."""
    cases: ClassVar = {
        # line of the figure → evaluate_at, equal cost
        "priors at every node, equal playouts": (EVERY, False),
        "priors at every node, equal time": (EVERY, True),
        f"priors at nodes of {LATER} playouts, equal time": (LATER, True),
    }
    depths: ClassVar = {1: "value, one move ahead, equal time", 2: "value, two moves ahead, equal time"}

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "priors": "the shipped MDLSTMs of 3 units, 93 weights, evolved on 7x7 against naive; softmax of their "
            "values; the search waits for the network",
            "opponent": f"the same search without a network, {s.playouts} playouts a move, one thread, a new tree for "
            "every move",
            "equal time": "CPU seconds of a playout with and without priors, and of a move of the value player, "
            f"measured alternately in one process on 3 positions, median of {s.repeats} repeats; then playouts of "
            "equal total cost, so that load does not matter",
            "values": f"MDLSTM of 3 units whose outputs are averaged over the board, CMA-ES on {TRAINED}x{TRAINED} "
            f"against naive, {s.runs} runs of {s.generations} generations, {s.training_games} games of each network; "
            "two moves ahead: the answers to the 8 moves that look best",
            "games": f"{s.games} of each match, of each run for values, alternating colours; values up to "
            f"{self.value_sizes[-1]}x{self.value_sizes[-1]}",
            "intervals": "over games; of values over runs, or over the games of the only run",
            "reproducibility": "the measured costs differ a little each time, and with them the numbers of playouts",
        }

    @property
    def value_sizes(self) -> list[int]:
        """The boards on which value networks are measured."""
        return [size for size in self.settings.sizes if size <= self.settings.largest_value]

    def cost(self, game: str, size: int, evaluate_at: int, *, value: bool = False) -> CostJob:
        """Return the measurement of costs."""
        s = self.settings
        return CostJob(game, size, MODELS[game], evaluate_at, s.playouts, s.repeats, value)

    def jobs(self) -> Jobs:
        s = self.settings
        jobs: dict[Any, Any] = {}
        for game, size, (label, (evaluate_at, timed)) in product(MODELS, s.sizes, self.cases.items()):
            cost = self.cost(game, size, evaluate_at) if timed else None
            jobs[label, game, size] = PriorsMatchJob(
                game, size, MODELS[game], evaluate_at, s.playouts, s.games, self.seed, cost
            )
        for game, size, depth in product(self.value_games, self.value_sizes, self.depths):
            runs = [
                ValueEvolutionJob(MDLSTM, game, "naive", s.generations, s.training_games, run_seed(self.seed, run))
                for run in range(s.runs)
            ]
            cost = self.cost(game, size, EVERY, value=True)
            jobs[self.depths[depth], game, size] = tuple(
                ValueMatchJob(run, depth, size, s.games, self.seed, cost) for run in runs
            )
            jobs["naive", game, size, depth] = tuple(
                ValueMatchJob(run, depth, size, s.games, self.seed) for run in runs
            )
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        sizes = self.settings.sizes
        rows, values, fitness, panels, shares = [], [], [], [], {}
        for game in MODELS:
            panel = SharePanel(GAME_NAMES[game], {})
            for label, size in product(self.cases, sizes):
                points, playouts = found[label, game, size]["points"], found[label, game, size]["playouts"]
                labels = {
                    "game": GAME_NAMES[game],
                    "board": f"{size}x{size}",
                    "case": label,
                    "playouts with and without": f"{playouts[0]} and {playouts[1]}",
                }
                rows.append(Row(labels, "Elo", elo_difference(float(points.sum()), len(points)), neutral=0.0))
                shares[label, game, size] = share_interval(float(points.sum()), len(points))
            for label, size in product(self.depths.values() if game in self.value_games else (), self.value_sizes):
                runs = found.runs((label, game, size))
                share = share_over_runs([run["points"] for run in runs])
                labels = {"game": GAME_NAMES[game], "board": f"{size}x{size}", "case": label}
                labels["playouts of the opponent"] = str(runs[0]["playouts"][0])
                values.append(Row(labels, "Elo", elo_interval(share), neutral=0.0))
                shares[label, game, size] = share
            for label in (*self.cases, self.depths[2]):
                if (label, game, sizes[0]) in shares:
                    panel.lines[label] = [shares[label, game, size] for size in sizes if (label, game, size) in shares]
            panels.append(panel)
        for game, size, depth in product(self.value_games, self.value_sizes, self.depths):
            means = np.array([2 * run["points"].mean() - 1 for run in found.runs(("naive", game, size, depth))])
            labels = {"game": GAME_NAMES[game], "board": f"{size}x{size}", "moves ahead": str(depth)}
            fitness.append(Row(labels, "fitness against naive", bounded_mean(means), neutral=0.0))
        free, *timed = self.cases
        claims = [
            Claim.positive(
                f"Priors of 93 weights help a search: {label}, {GAME_NAMES[game]}.",
                {f"{size}x{size}": shares[label, game, size] for size in sizes},
                "games won",
                null=0.5,
            )
            for label, game in product((free, *timed), MODELS)
        ]
        claims += [
            Claim.positive(
                f"A value of 93 weights, two moves ahead, beats a search of equal cost: {GAME_NAMES[game]}.",
                {f"{size}x{size}": shares[self.depths[2], game, size] for size in self.value_sizes},
                "games won",
                null=0.5,
            )
            for game in self.value_games
        ]
        title = "Search with an evolved network of 93 weights, against search without"
        share_panels(panels, list(sizes), out / self.figure, title)
        caption = (
            "Games won against the search without a network, by board size, with 95 % intervals; the scale on the "
            "right is the Elo difference."
        )
        tables = [
            Table("Priors of an evolved network, against search without", rows),
            Table("Values of an evolved network, against a search of equal cost", values),
            Table("Values of an evolved network, against naive", fitness),
        ]
        return Findings(tables, claims, [Picture(self.figure, caption)])
