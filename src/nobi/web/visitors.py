"""The state of all visitors: their games, and what else is kept for each browser tab."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from nobi.errors import NobiError
from nobi.players.base import Clock
from nobi.web.evaluation import evaluate_by_model
from nobi.web.jobs import Jobs
from nobi.web.opponents import Catalogue
from nobi.web.play import PlayState
from nobi.web.session import GameSession
from nobi.web.setup import Setup

Kept = TypeVar("Kept")

MOST_VISITORS = 200
KEEP_SECONDS = 24 * 3600.0
_IDLE_SECONDS = 600.0
"""When the server is full, a tab that has been idle for this time is closed."""


class Visitors:
    """Games and other state by tab id."""

    def __init__(self, catalogue: Catalogue, jobs: Jobs, now: Callable[[], float] = time.monotonic) -> None:
        self.catalogue = catalogue
        self.jobs = jobs
        self._now = now
        self._states: dict[str, PlayState] = {}
        self._seen: dict[str, float] = {}
        self._kept: dict[str, dict[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._states)

    def play_state(
        self, tab: str, kept: Any = None, *, browser: str = "", last: Any = None, setup: Setup | None = None
    ) -> PlayState:
        """Return the game of a tab.

        Args:
            tab: the id of the tab.
            kept: the stored game of the tab as plain data; without one a new game starts.
            browser: the id of the browser, shared by its tabs.
            last: the latest game of the browser in any tab, which the visitor can restore.
            setup: the settings of a new game; None for the defaults.
        """
        now = self._now()
        if tab not in self._states:
            self._expire(now)
            session = self._session(kept)
            state = PlayState(browser or tab, self.catalogue, self.jobs, session, tab)
            if session is None and (before := self._session(last)) and before.game.moves:
                state.previous = before.plain()
            if session is None and setup is not None:
                state.new_game(setup)
            self._states[tab] = state
        self._seen[tab] = now
        return self._states[tab]

    def keep(self, tab: str, name: str, make: Callable[[], Kept]) -> Kept:
        """Other state of a tab, such as a review; created once, so that it survives a reload."""
        kept = self._kept.setdefault(tab, {})
        if name not in kept:
            kept[name] = make()
        found: Kept = kept[name]
        return found

    def touch(self, tab: str) -> None:
        """Record that the tab is still open."""
        if tab in self._seen:
            self._seen[tab] = self._now()

    def warm_up(self, setup: Setup) -> None:
        """Compile the code of the default opponent of these settings by one move."""
        opponent = self.catalogue[self.catalogue.first_for(setup.game, setup.size)]
        game, variant = setup.new_game(), setup.variant()
        if opponent.file:
            evaluate_by_model(opponent.file, game)
        bot = opponent.bot(variant, 0, 0)
        try:
            bot.choose(game, Clock())
        finally:
            bot.close()

    def close(self) -> None:
        """Close all games and cancel all jobs."""
        for state in self._states.values():
            state.close()
        self.jobs.close()

    def _session(self, kept: Any) -> GameSession | None:
        """Return the session from plain data, with an opponent of this server."""
        if not kept:
            return None
        try:
            session = GameSession.from_plain(kept)
            session.setup = replace(session.setup, opponent=self.catalogue.best_for(session.setup))
        except NobiError:
            return None
        return session

    def _expire(self, now: float) -> None:
        """Close expired tabs and, if the server is full, the one that has been idle longest."""
        old = [tab for tab, seen in self._seen.items() if now - seen > KEEP_SECONDS]
        if len(self._states) - len(old) >= MOST_VISITORS:
            idle = min(self._seen, key=self._seen.__getitem__)
            if now - self._seen[idle] <= _IDLE_SECONDS:
                raise NobiError("The server is full. Try again later.")
            old.append(idle)
        for tab in dict.fromkeys(old):
            self._states.pop(tab).close()
            del self._seen[tab]
            self._kept.pop(tab, None)
