"""The player that searches: Monte-Carlo tree search, guided by a network if it is given one.

As a bot it keeps its tree from move to move, passes when nothing is left to gain, resigns and tells what it thinks. In
the arena it chooses for one board after the other, each time with a fresh tree, and draws from the board's own stream.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import Boards
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.players.base import RESIGN, Bot, Candidate, Clock, Player
from nobi.players.network import NetworkPlayer
from nobi.players.passing import ENOUGH, choose_move, look_after_pass
from nobi.search.policy import NetworkPolicy
from nobi.search.search import Search
from nobi.search.settings import SearchSettings
from nobi.streams import Streams, draw

if TYPE_CHECKING:
    from nobi.players.inspection import Inside
    from nobi.search.policy import DeepPolicy

_SECOND_LOOK = 0.1
"""The share of its time that a player by the clock keeps back to see whether a pass wins."""
_STILL_OPEN = 0.3
"""Nobody resigns while a move wins more often than this."""
_HOPELESS = 0.05
"""A player that never resigns accepts a loss below this share of won playouts, if the opponent has passed."""


class MctsPlayer(Player):
    """Searches the tree of moves."""

    name = "mcts"
    settings_type = SearchSettings

    def __init__(self, variant: Variant, settings: SearchSettings | None = None) -> None:
        super().__init__(variant, settings)
        self._own = threading.local()  # the arena's threads share a player, but not its tree

    def choose(self, boards: Boards, lanes: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Searches one board after the other; passes only where that wins with all stones counted as alive."""
        search = self._search()
        for i, g in enumerate(lanes):
            search.set_board(boards, int(g), int(draw(streams, int(g))) >> 1)
            search.run(*limits(self.settings, Clock()))
            moves[i] = search.children()[0].move

    def bot(self, seed: int = 0, game: int = 0) -> Bot:
        """The player as somebody who plays one game."""
        return MctsBot(self, seed, game)

    def _search(self) -> Search:
        if not hasattr(self._own, "search"):
            self._own.search = Search(self.variant, replace(self.settings, passing="strict"))
        search: Search = self._own.search
        return search


class MctsBot(Bot):
    """Searches with a tree that it keeps from move to move."""

    def __init__(self, player: MctsPlayer, seed: int = 0, game: int = 0) -> None:
        self.name = str(player)
        self.settings: SearchSettings = player.settings
        self.search = Search(player.variant, self.settings, seed=seed, game=game)

    def get_ready(self, game: Game) -> None:
        """Searches a little, and forgets it."""
        self.search.set_game(game)
        self.search.run(8, 0.0)
        self._decide(game, 0.05)
        if isinstance(game, Go) and self.settings.passing == "friendly":
            look_after_pass(game, self.search, 0.05)
        self.search.reset()

    def choose(self, game: Game, clock: Clock) -> int:
        """The move with the most playouts; a pass when the game is settled, RESIGN when it is lost."""
        start = time.perf_counter()
        self.search.set_game(game)
        self.search.run(*limits(self.settings, clock))
        return self._decide(game, _left(clock, start))

    def choose_aloud(self, game: Game, clock: Clock, report: Callable[[list[Candidate]], None], interval: float) -> int:
        """The same, telling meanwhile how the search goes."""

        def tell() -> None:
            report(self._candidates())

        start = time.perf_counter()
        self.search.set_game(game)
        self.search.run(*limits(self.settings, clock), report=tell, interval=interval)
        tell()
        return self._decide(game, _left(clock, start))

    def _decide(self, game: Game, seconds: float) -> int:
        """What to do after the search, within so many seconds, 0 for no limit."""
        search = self.search
        children = search.children()
        best = children[0]
        # the share of wins of a single move has prior knowledge in it, which never gives up
        gives_up = best.winrate < _STILL_OPEN and sum(child.visits for child in children) >= ENOUGH
        resigns = gives_up and search.value < self.settings.resign
        if isinstance(game, Go) and self.settings.passing == "friendly":
            lost = resigns or (gives_up and search.value < _HOPELESS)
            return choose_move(game, search, children, lost=lost, resigns=resigns, seconds=seconds)
        return RESIGN if resigns else best.move

    def analyse(
        self, game: Game, report: Callable[[list[Candidate]], None], interval: float, stop: threading.Event
    ) -> list[Candidate]:
        """Searches until told to stop."""
        self.search.set_game(game)
        self.search.run(stop=stop, report=lambda: report(self._candidates()), interval=interval)
        while not stop.wait(interval):  # the tree is full
            report(self._candidates())
        return self._candidates()

    def clean_up(self, game: Game, clock: Clock) -> int:
        """The move of a search by whose rollouts no stone is dead."""
        search = Search(self.search.variant, replace(self.settings, passing="strict", model=""))
        search.set_game(game)
        search.run(*limits(self.settings, clock))
        move = search.children()[0].move
        search.close()
        return move

    def ponder(self, game: Game, stop: threading.Event) -> None:
        """Searches in the opponent's time."""
        if not game.is_over:
            self.search.set_game(game)
            self.search.run(stop=stop)

    def policy(self, game: Game) -> NDArray[np.float32] | None:
        """The values of the network that guides the search, as it sees this position without searching."""
        return self._network.policy(game) if self._network else None

    def inside(self, game: Game) -> "Inside | None":
        """What goes on in the network that guides the search."""
        return self._network.inside(game) if self._network else None

    @cached_property
    def _network(self) -> Bot | None:
        """The network that guides the search as a player of its own."""
        guide, variant = self.search.policy, self.search.variant
        if guide is None:
            return None
        if isinstance(guide, NetworkPolicy):
            return NetworkPlayer(variant, guide.network, guide.weights).bot()
        from nobi.players.network import PolicyPlayer  # which needs PyTorch

        return PolicyPlayer(variant, cast("DeepPolicy", guide).network).bot()

    def ownership(self, game: Game) -> NDArray[np.float32] | None:
        """Who owns each point at the end of the rollouts of the current search."""
        return self.search.ownership().astype(np.float32) if game.name == "go" else None

    def close(self) -> None:
        """Ends the threads."""
        self.search.close()

    def _candidates(self) -> list[Candidate]:
        """The moves that were tried; of one that was not, prior knowledge is all there is, and no share of wins."""
        return [
            Candidate(child.move, child.visits, child.winrate, child.prior, child.variation)
            for child in self.search.children()
            if child.visits or child.solved
        ]


def _left(clock: Clock, start: float) -> float:
    """What is left of the time for a move that was begun at `start`, 0 for no limit."""
    return max(0.01, clock.seconds - (time.perf_counter() - start)) if clock.seconds else 0.0


def limits(settings: SearchSettings, clock: Clock) -> tuple[int, float]:
    """The playouts and the seconds of one move, 0 for no limit."""
    by_clock = (clock.seconds or 0.0) * (1 - _SECOND_LOOK)
    given = [seconds for seconds in (settings.seconds, by_clock) if seconds]
    seconds = min(given) if given else 0.0
    return (settings.rollouts or (0 if seconds else SearchSettings.rollouts)), seconds
