"""A visitor's experiments: random networks on two boards, and champions of a short coevolution."""

from nobi.web.champion import WatchedGame, watch_game
from nobi.web.experiments import Ciao, Scatter, TransferChoice, coevolve, measure_scatter, replay_between
from nobi.web.jobs import Jobs
from nobi.web.opponents import Opponent
from nobi.web.tasks import Task

LARGE = 9
"""Second board size for champions of the coevolution, which train on 5x5."""


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
            lambda *_: tuple(watch_game(file, choice.game, size, "naive", 2) for size in (choice.small, choice.large))
        )
        self.version += 1

    def network(self) -> Opponent | None:
        """The picked network."""
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
