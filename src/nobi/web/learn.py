"""The run that a visitor follows, and games of its champion on two boards."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from nobi.errors import NobiError
from nobi.models.model import load_model
from nobi.web.champion import SIZES, SizeShare, WatchedGame, watch_game, win_rates
from nobi.web.jobs import Jobs, Report, Task
from nobi.web.opponents import Catalogue, Opponent
from nobi.web.runs import Run, RunChoice, Runs
from nobi.web.setup import Setup

LOOK_SECONDS = 2.0
"""Interval between searches for runs started elsewhere."""
MEASURE_SECONDS = 6.0
"""Minimum interval between measurements of the champion on all boards."""
_GAMES_MEANWHILE, _GAMES = 20, 100
"""Games on each board while the run is running, and after it has stopped."""


@dataclass(frozen=True)
class ChampionGames:
    """Games of a champion and its results on all boards."""

    stamp: int
    """Modification time of the champion's file."""
    small: WatchedGame | None
    large: WatchedGame | None
    rates: tuple[SizeShare, ...]
    """Empty if not measured."""


class LearnState:
    """The state of the Learn view in one browser tab."""

    def __init__(
        self,
        visitor: str,
        tab: str,
        runs: Runs,
        catalogue: Catalogue,
        jobs: Jobs,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.runs = runs
        self.catalogue = catalogue
        self._now = now
        self._task = Task(jobs, visitor, f"learn {tab}")
        self._looked = now()
        self._measured: tuple[int, bool] = (0, False)
        """The last measured champion, and whether it was measured with the full number of games."""
        self._measured_at = 0.0
        self._seed = 0
        self.selected = ""
        """The id of the run that is followed."""
        self.large_size = 19
        self.small: WatchedGame | None = None
        self.large: WatchedGame | None = None
        self.rates: tuple[SizeShare, ...] = ()
        self.version = 0
        if self.runs.all():
            self.select(self.runs.all()[0].id)

    @property
    def run(self) -> Run | None:
        """The run that is followed."""
        return self.runs[self.selected] if self.selected else None

    @property
    def failed(self) -> str:
        """Why the champion cannot be shown; empty if it can."""
        return self._task.failed

    def select(self, key: str) -> None:
        """Follow another run."""
        run = self.runs[key]
        run.read()
        self._task.cancel()
        self.selected = key
        self.small, self.large, self.rates = None, None, ()
        self._measured, self._measured_at = (0, False), 0.0
        self.version += 1

    def start(self, choice: RunChoice) -> None:
        """Start a run and follow it."""
        run = self.runs.start(choice, random.SystemRandom().randrange(2**31))
        self.select(run.id)

    def stop(self) -> None:
        """Stop the run that is followed."""
        self.runs.stop(self.selected)
        self.version += 1

    def resume(self) -> None:
        """Resume the run that is followed."""
        self.runs.resume(self.selected)
        self.version += 1

    def save(self, name: str) -> Opponent:
        """Save the champion of the followed run as a model."""
        return self.catalogue.save(name, self._champion_of().champion)

    def opponent(self) -> Opponent:
        """Return the champion of the followed run as an opponent."""
        run = self._champion_of()
        return self.catalogue.add_run(run.id, run.title, run.champion)

    def resize(self, size: int) -> None:
        """Change the size of the large board."""
        self.large_size = Setup(size=size).size
        self.large = None
        self.next_game()

    def next_game(self) -> None:
        """Start another pair of games of the champion, unless one is being played."""
        run = self.run
        if run is None or self._task.busy or not run.champion.exists():
            return
        stamp = run.champion.stat().st_mtime_ns
        full = run.state not in ("running", "elsewhere")
        measure = self._measured != (stamp, full) and self._now() - self._measured_at >= MEASURE_SECONDS
        if measure:
            self._measured, self._measured_at = (stamp, full), self._now()
        self._seed += 1
        self._task.start(_games_of_champion(run, self._seed, self.large_size, stamp, measure, full))

    def poll(self) -> None:
        """Take new results."""
        self.runs.poll()
        if self._now() - self._looked >= LOOK_SECONDS:
            self._looked = self._now()
            before = len(self.runs.all())
            self.runs.look()
            if not self.selected and self.runs.all():
                self.select(self.runs.all()[0].id)
            self.version += len(self.runs.all()) != before
        run = self.run
        if run is not None and run.read():
            self.version += 1
        found: ChampionGames | None = self._task.poll()
        if found is not None:
            self.small, self.large = found.small, found.large
            self.rates = found.rates or self.rates
            self.version += 1
        elif run is not None and self.small is None and not self._task.failed:
            self.next_game()

    def _champion_of(self) -> Run:
        run = self.run
        if run is None or not run.champion.exists():
            raise NobiError("There is no champion yet. Wait for the first generations.")
        return run


def _games_of_champion(
    run: Run, seed: int, large: int, stamp: int, measure: bool, full: bool
) -> Callable[[threading.Event, Report], ChampionGames]:
    def work(stop: threading.Event, _: Report) -> ChampionGames:
        file = load_model(run.champion)
        small = watch_game(file, run.game, run.size, seed)
        try:
            beside = watch_game(file, run.game, large, seed + 1)
        except NobiError:  # a network for one board size only
            beside = None
        games = _GAMES if full else _GAMES_MEANWHILE
        rates = win_rates(file, run.game, SIZES, games, stop) if measure else ()
        return ChampionGames(stamp, small, beside, rates)

    return work
