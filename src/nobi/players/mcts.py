"""The player `mcts`: Monte-Carlo tree search, optionally guided by a network.

As a bot it keeps its tree between moves, passes when nothing can be gained, resigns and reports analysis. In the arena
it searches one board after the other, each with a new tree and random numbers from the board's own stream.
"""

import threading
import time
from dataclasses import replace
from functools import cached_property
from threading import Event
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards
from nobi.board.text import vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.models.model import best_model
from nobi.players.base import RESIGN, UNLIMITED, AnalysisOptions, Bot, Clock, Player, Report
from nobi.players.inspection import Inspection
from nobi.players.network import NetworkPlayer, PolicyPlayer
from nobi.players.passing import ENOUGH, choose_move, look_after_pass
from nobi.search.policy import DeepPolicy, NetworkPolicy
from nobi.search.report import RootReport
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.streams import Streams, draw
from nobi.workers import usable_threads

_PASS_CHECK_SHARE = 0.1
"""The share of the time for a move that is reserved for checking whether a pass wins."""
_MIN_RESIGN_WINRATE = 0.3
"""The bot resigns only if no move has a higher win rate."""
_LOST_VALUE = 0.05
"""A bot that never resigns answers a pass with a losing pass below this share of won playouts."""
_EXPLAINED_MOVES = 10
_FEWEST_PLAYOUTS = 16
"""Playouts of a search that is stopped at once."""
_UNLIMITED_VISITS, _UNLIMITED_SECONDS = 10**9, 1e6
_PARAMETERS = {
    "maxVisits": (1, _UNLIMITED_VISITS),
    "maxTime": (0.001, 1e30),
    "numSearchThreads": (1, 256),
    "analysisWideRootNoise": (0.0, 5.0),
    "rootPolicyTemperature": (0.01, 100.0),
}
"""KataGo's names of parameters and the limits of their values."""


class MctsPlayer(Player):
    """Monte-Carlo tree search."""

    name = "mcts"
    settings_type = SearchSettings

    def __init__(self, variant: Variant, settings: SearchSettings | None = None) -> None:
        super().__init__(variant, settings)
        self._local = threading.local()  # the arena's threads share a player, but not its tree

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Search one board after the other; pass only where that wins with all stones counted as alive."""
        if not hasattr(self._local, "search"):
            self._local.search = Search(self.variant, replace(self.settings, passing="strict"))
        search: Search = self._local.search
        for i, g in enumerate(indices):
            search.set_board(boards, int(g), int(draw(streams, int(g))) >> 1)
            search.run(*limits(self.settings, UNLIMITED))
            moves[i] = search.children()[0].move

    def bot(self, seed: int = 0, game: int = 0) -> Bot:
        return MctsBot(self, seed, game)


class MctsBot(Bot):
    """Monte-Carlo tree search with a tree that is kept between moves."""

    def __init__(self, player: MctsPlayer, seed: int = 0, game: int = 0) -> None:
        self.name = str(player)
        self.settings: SearchSettings = player.settings
        self.search = Search(player.variant, self.settings, seed=seed, game=game)
        self._seed = seed, game
        self._widening = {"analysisWideRootNoise": 0.0, "rootPolicyTemperature": 1.0}
        self._options = AnalysisOptions()
        self._explanation = ""

    def warm_up(self, game: Game) -> None:
        self.search.set_game(game)
        self.search.run(8, 0.0)
        self.search.report()
        self._decide(game, 0.05)
        if isinstance(game, Go) and self.settings.passing == "friendly":
            look_after_pass(game, self.search, 0.05)
        self.search.reset()

    def choose(self, game: Game, clock: Clock = UNLIMITED) -> int:
        """Return the move with the most playouts; a pass when the game is settled, RESIGN when it is lost."""
        start = time.perf_counter()
        self.search.set_game(game)
        self.search.run(*limits(self.settings, clock), stop=clock.stop or Event(), early=True)
        return self._decide(game, _seconds_left(clock, start))

    def choose_reporting(self, game: Game, clock: Clock, report: Report, interval: float) -> int:
        start = time.perf_counter()
        self.search.set_game(game)
        limit, stop = limits(self.settings, clock), clock.stop or Event()
        self.search.run(*limit, stop=stop, report=lambda: report(self._report()), interval=interval, early=True)
        report(self._report())
        return self._decide(game, _seconds_left(clock, start))

    def _decide(self, game: Game, seconds: float) -> int:
        """Return the move after the search, within a number of seconds; 0: no limit."""
        search = self.search
        if search.tree.children[0] <= 0:  # stopped before the first playout
            search.run(_FEWEST_PLAYOUTS)
        children = search.children()
        best = children[0]
        self._explanation = explanation(search.report(fewest=1), game.size)
        is_bad = best.winrate < _MIN_RESIGN_WINRATE and sum(child.visits for child in children) >= ENOUGH
        resigns = is_bad and search.value < self.settings.resign
        if isinstance(game, Go) and self.settings.passing == "friendly":
            lost = resigns or (is_bad and search.value < _LOST_VALUE)
            return choose_move(game, search, children, lost=lost, resigns=resigns, seconds=seconds)
        return RESIGN if resigns else best.move

    def analyse(self, game: Game, report: Report, interval: float, stop: threading.Event) -> RootReport:
        self.search.set_game(game)
        if not self.search.report().visits:
            self.search.run(_FEWEST_PLAYOUTS)  # there must be something to report even if `stop` is already set
        self.search.run(stop=stop, report=lambda: report(self._report()), interval=interval)
        while not stop.wait(interval):  # the tree is full
            report(self._report())
        return self._report()

    def can_analyse(self, game: Game) -> bool:
        return not game.is_over

    def set_options(self, options: AnalysisOptions) -> None:
        self.search.restrict(options.restrictions)
        self._options = options

    def parameters(self) -> dict[str, float]:
        return {
            "maxVisits": self.settings.rollouts or _UNLIMITED_VISITS,
            "maxTime": self.settings.seconds or _UNLIMITED_SECONDS,
            "numSearchThreads": self.settings.threads,
            **self._widening,
        }

    def set_parameter(self, name: str, value: float) -> None:
        if name not in _PARAMETERS:
            super().set_parameter(name, value)
        least, most = _PARAMETERS[name]
        if not least <= value <= most or (name in ("maxVisits", "numSearchThreads") and value != int(value)):
            raise NobiError(f"{name} must be {least:g} to {most:g}, not {value:g}")
        if name == "maxVisits":
            self.settings = replace(self.settings, rollouts=int(value))
        elif name == "maxTime":
            self.settings = replace(self.settings, seconds=0.0 if value >= _UNLIMITED_SECONDS else value)
        elif name == "numSearchThreads":
            self.settings = replace(self.settings, threads=int(value))
            before, (seed, game) = self.search, self._seed
            self.search = Search(before.variant, self.settings, policy=before.policy, seed=seed, game=game)
            before.close()
        else:
            self._widening[name] = value
        self.search.widen(root_power(self._widening["analysisWideRootNoise"], self._widening["rootPolicyTemperature"]))

    def models(self) -> list[str]:
        return [self.settings.model] if self.settings.model else []

    def forget(self) -> None:
        self.search.clear()

    def explain(self) -> str:
        return self._explanation

    def choose_cleanup(self, game: Game, clock: Clock) -> int:
        """Return the move of a search that counts all stones as alive."""
        search = Search(self.search.variant, replace(self.settings, passing="strict", model=""))
        search.set_game(game)
        search.run(*limits(self.settings, clock))
        move = search.children()[0].move
        search.close()
        return move

    def ponder(self, game: Game, stop: threading.Event) -> None:
        if not game.is_over:
            self.search.set_game(game)
            self.search.run(stop=stop)

    def policy(self, game: Game) -> NDArray[np.float32] | None:
        """Return the values of the search's network, without a search."""
        return self._network.policy(game) if self._network else None

    def expected_result(self, game: Game) -> float | None:
        return self._network.expected_result(game) if self._network else None

    def inspect(self, game: Game) -> Inspection | None:
        return self._network.inspect(game) if self._network else None

    @cached_property
    def _network(self) -> Bot | None:
        """The search's network as a bot."""
        policy, variant = self.search.policy, self.search.variant
        if policy is None:
            return None
        if isinstance(policy, NetworkPolicy):
            return NetworkPlayer(variant, policy.network, policy.weights).bot()
        return PolicyPlayer(variant, cast(DeepPolicy, policy).network).bot()

    def ownership(self, game: Game) -> NDArray[np.float32] | None:
        return self.search.ownership().astype(np.float32) if game.name == "go" else None

    def close(self) -> None:
        self.search.close()

    def _report(self) -> RootReport:
        return self.search.report(self._options.fewest, owners=self._options.owners)


DEFAULT_SECONDS = 2.0
"""The strongest player's seconds per move without a clock."""


def strongest_spec(variant: Variant, threads: int = 0) -> str:
    """Return the spec of the strongest player of the package: the search with the best shipped model for the board.

    It is limited only by time, and uses this number of threads; 0: one per core. About a quarter of several cores, at
    least one, is reserved for the network.
    """
    cores = usable_threads(threads)
    model = best_model(variant.game.name, variant.size)
    searching = max(1, cores - max(1, cores // 4)) if model else cores
    return f"mcts:rollouts=0,threads={searching}" + (f",model={model}" if model else "")


def root_power(noise: float, temperature: float = 1.0) -> float:
    """Return the power of the network's policy at the root, as KataGo computes it from `wideRootNoise`."""
    return 1 / (temperature * (1 + 4 * noise))


def explanation(root: RootReport, size: int) -> str:
    """Return a report in one line: the best move, its playouts, win rate, score and principal variation."""
    if not root.moves:
        return ""
    best = root.moves[0]
    score = f", score {best.score.lead:+.1f}" if best.score else ""
    line = " ".join(vertex_name(move, size) for move in best.variation[:_EXPLAINED_MOVES])
    return f"{best.visits} of {root.visits} playouts, win rate {best.winrate:.3f}{score}, variation {line}"


def _seconds_left(clock: Clock, start: float) -> float:
    """Return the time left for a move whose search began at `start`; 0: no limit."""
    return max(0.01, clock.seconds - (time.perf_counter() - start)) if clock.seconds else 0.0


def limits(settings: SearchSettings, clock: Clock) -> tuple[int, float]:
    """Return the playouts and the seconds of one move; 0: no limit."""
    by_clock = (clock.seconds or 0.0) * (1 - _PASS_CHECK_SHARE)
    given = [seconds for seconds in (settings.seconds, by_clock) if seconds]
    seconds = min(given) if given else 0.0
    return (settings.rollouts or (0 if seconds else SearchSettings.rollouts)), seconds
