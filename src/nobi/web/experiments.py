"""Two experiments of the papers, small enough to run while a visitor waits.

Size transfer: networks with random weights play on a small and a large board (Schaul & Schmidhuber 2008, figure 5).
Coevolution: two populations train against each other; every champion of one plays every champion of the other (CIAO,
"current individual against ancestral opponents", figure 8).
"""

import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nobi.arena.play import play_games
from nobi.board.stones import LARGEST, SMALLEST
from nobi.errors import NobiError
from nobi.evolution.coevolution import CoevolutionRun
from nobi.evolution.fitness import Fitness
from nobi.evolution.settings import CoevolutionSettings
from nobi.models.model import Model
from nobi.networks import make_network
from nobi.players.network import NetworkPlayer
from nobi.statistics import correlation
from nobi.web.champion import WatchedGame, watch_game, watched
from nobi.web.jobs import Jobs, Task
from nobi.web.opponents import Opponent, opponent_of
from nobi.web.setup import GAME_TITLES, Setup
from nobi.workers import ThreadExecutor

NETWORKS = 80
GAMES = 40
GENERATIONS = 80
COEVOLVED = "mdrnn:hidden=10"
"""The network of the coevolution, as in the paper."""
LARGE = 9
"""Second board size for champions of the coevolution, which train on 5x5."""
KINDS = {"mdlstm:hidden=3": "MDLSTM, 93 weights", "mdrnn:hidden=10": "MDRNN, 140 weights"}


@dataclass(frozen=True)
class TransferChoice:
    """A visitor's settings of a scatter plot, checked on construction."""

    game: str = "atari-go"
    net: str = "mdlstm:hidden=3"
    small: int = 5
    large: int = 9
    seed: int = 1

    def __post_init__(self) -> None:
        if self.game not in GAME_TITLES or self.game == "go" or self.net not in KINDS:
            raise NobiError("This choice is not available.")
        if not SMALLEST <= self.small < self.large <= LARGEST:
            raise NobiError("The second board must be larger than the first.")


@dataclass(frozen=True)
class Scatter:
    """Random networks and their results on two boards."""

    choice: TransferChoice
    weights: NDArray[np.float32]
    """[network, weight]"""
    small: tuple[float, ...]
    """[network] mean outcome against the naive player, -1 to 1."""
    large: tuple[float, ...]
    correlation: float | None
    """None if it is not defined."""

    @property
    def points(self) -> list[list[float]]:
        """[network] (small, large)"""
        return [[round(x, 4), round(y, 4)] for x, y in zip(self.small, self.large, strict=True)]

    def network(self, i: int) -> Opponent:
        """Network `i` as an opponent."""
        training = {"training": {"game": self.choice.game}}
        file = Model(self.choice.net, self.weights[i], self.choice.small, training, Path(f"drawn-{i + 1}"))
        return opponent_of(f"drawn-{i + 1}", f"Random network {i + 1}", file, "drawn")


def measure_scatter(
    choice: TransferChoice,
    stop: threading.Event,
    progress: Callable[[float], None] = lambda _: None,
    networks: int = NETWORKS,
) -> Scatter:
    """Draw random networks and measure them; fewer networks after `stop`."""
    network = make_network(choice.net)
    rng = np.random.default_rng(choice.seed)
    weights = rng.standard_normal((networks, network.weight_count(choice.small))).astype(np.float32)
    fitness = [
        Fitness(choice.game, (size,), network, ("naive",), GAMES, choice.seed, ThreadExecutor(1))
        for size in (choice.small, choice.large)
    ]
    found: list[list[float]] = [[], []]
    for i in range(networks):
        if stop.is_set():
            break
        for values, one in zip(found, fitness, strict=True):
            values.append(float(one.measure(weights[i : i + 1], 0)[0]))
        progress((i + 1) / networks)
    done = len(found[1])
    small, large = (np.array(values[:done]) for values in found)
    r = correlation(small, large).value if done >= 3 else float("nan")
    return Scatter(
        choice, weights[:done], tuple(small.tolist()), tuple(large.tolist()), None if np.isnan(r) else float(r)
    )


@dataclass(frozen=True)
class Ciao:
    """Champions of two populations and the results of their games."""

    seed: int
    size: int
    game: str
    first: NDArray[np.float32]
    """[champion, weight] of the first population, in the order of generations."""
    second: NDArray[np.float32]
    scores: NDArray[np.float64]
    """[first, second] score of the champion of the first population, -1 to 1."""


def coevolve(
    seed: int,
    stop: threading.Event,
    progress: Callable[[float], None] = lambda _: None,
    generations: int = GENERATIONS,
    size: int = 5,
) -> Ciao:
    """Run a short coevolution on Atari-Go; return all games between its champions. `stop` ends it early."""
    settings = CoevolutionSettings(game="atari-go", size=size, net=COEVOLVED, generations=generations, seed=seed)
    with tempfile.TemporaryDirectory(prefix="nobi-coevolution-") as folder:
        run = CoevolutionRun(Path(folder) / "run", settings, resume=False, executor=ThreadExecutor(1))
        while run.generation < generations and not (stop.is_set() and run.generation >= 2):
            run.step()
            progress(run.generation / generations)
        return Ciao(seed, size, "atari-go", run.champions("a"), run.champions("b"), run.ciao())


def replay_between(ciao: Ciao, i: int, j: int, size: int = 0) -> WatchedGame:
    """Return the game of champion i of the first population, as Black, against champion j of the second."""
    size = size or ciao.size
    variant = Setup(game=ciao.game, size=size).variant()
    network = make_network(COEVOLVED)
    players = NetworkPlayer(variant, network, ciao.first[i]), NetworkPlayer(variant, network, ciao.second[j])
    played = play_games(variant, *players, 1, threads=1, keep_moves=True).replay(0)
    names = f"Champion of generation {2 * i + 1}", f"Champion of generation {2 * j + 2}"
    return watched(Setup(game=ciao.game, size=size), played.moves, *names)


class Experiments:
    """The experiments of one browser tab."""

    def __init__(self, visitor: str, tab: str, jobs: Jobs) -> None:
        self.scatter: Scatter | None = None
        self.ciao: Ciao | None = None
        self.picked_network = -1
        self.picked_pair = -1
        self.networks_games: tuple[WatchedGame, ...] = ()
        """Games of the picked network on both boards."""
        self.pair_games: tuple[WatchedGame, ...] = ()
        """Games of the picked pair on both boards."""
        self.version = 0
        self.scatter_task = Task(jobs, visitor, f"scatter {tab}")
        self.ciao_task = Task(jobs, visitor, f"coevolution {tab}")
        self._replay_task = Task(jobs, visitor, f"replay {tab}")
        self._replaying = ""

    @property
    def replaying(self) -> bool:
        """Whether the games of the picked network or pair are being played."""
        return self._replay_task.busy

    def measure(self, choice: TransferChoice) -> None:
        """Draw random networks and measure them on both boards."""
        self.scatter, self.picked_network, self.networks_games = None, -1, ()
        self.scatter_task.start(lambda stop, report: measure_scatter(choice, stop, report))
        self.version += 1

    def coevolve(self, seed: int) -> None:
        """Run a short coevolution."""
        self.ciao, self.picked_pair, self.pair_games = None, -1, ()
        self.ciao_task.start(lambda stop, report: coevolve(seed, stop, report))
        self.version += 1

    def pick_network(self, i: int) -> None:
        """Show games of network `i`, if it exists."""
        scatter = self.scatter
        if scatter is None or not 0 <= i < len(scatter.small):
            return
        self.picked_network, self.networks_games = i, ()
        file, choice = scatter.network(i).network_file, scatter.choice
        self._replaying = "network"
        self._replay_task.start(
            lambda *_: tuple(watch_game(file, choice.game, size, 2) for size in (choice.small, choice.large))
        )
        self.version += 1

    def network(self) -> Opponent | None:
        """Return the picked network."""
        return self.scatter.network(self.picked_network) if self.scatter and self.picked_network >= 0 else None

    def pick_pair(self, i: int) -> None:
        """Show games of pair `i` of champions, if it exists."""
        ciao = self.ciao
        if ciao is None or not 0 <= i < ciao.scores.size:
            return
        self.picked_pair, self.pair_games = i, ()
        row, column = divmod(i, ciao.scores.shape[1])
        self._replaying = "pair"
        self._replay_task.start(
            lambda *_: tuple(replay_between(ciao, row, column, size) for size in (ciao.size, LARGE))
        )
        self.version += 1

    def poll(self) -> None:
        """Take finished results."""
        tasks = (self.scatter_task, self.ciao_task, self._replay_task)
        before = [task.busy for task in tasks]
        scatter, ciao, games = (task.poll() for task in tasks)
        if scatter is not None:
            self.scatter = scatter
        if ciao is not None:
            self.ciao = ciao
        if games is not None and self._replaying == "network":
            self.networks_games = games
        elif games is not None:
            self.pair_games = games
        self.version += before != [task.busy for task in tasks]
