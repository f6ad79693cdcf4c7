"""Compilation of the rules in advance: the event loop calls them and must not wait for the compiler."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

from numba.core import event

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import point_at
from nobi.web.session import GameSession
from nobi.web.setup import GAME_TITLES, Setup

_log = logging.getLogger(__name__)

_NOTICE_SECONDS = 1.0
"""Seconds of compilation after which the page shows a message."""


def warm_up(game: str) -> None:
    """Call all compiled functions that a session of a game uses."""
    session = GameSession(Setup(game=game, size=9))
    session.play(point_at(2, 2, 9))
    session.play(point_at(2, 3, 9))
    session.forbidden()
    session.captured()
    session.undo()
    placed = Setup(game=game, size=9).new_game()
    placed.set_up([(point_at(4, 4, 9), BLACK), (point_at(5, 5, 9), WHITE)], WHITE)
    placed.why_illegal(placed.legal_moves()[0])


class BackgroundWarmUp:
    """Warm-up of all games in a thread; a game that a visitor waits for comes next."""

    def __init__(self, first: Callable[[], None] = lambda: None) -> None:
        """`first` runs after the first game; it compiles the code that most visitors need next."""
        self._first = first
        self._left = list(GAME_TITLES)
        self._ready: set[str] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="warm-up", daemon=True).start()

    def is_ready(self, games: Iterable[str] = GAME_TITLES) -> bool:
        """Return whether these games are compiled."""
        return self._ready.issuperset(games)

    def prefer(self, game: str) -> None:
        """Compile this game before the remaining ones."""
        with self._lock:
            self._left.sort(key=lambda one: one != game)

    def _run(self) -> None:
        for number in range(len(GAME_TITLES)):
            if number == 1:
                self._compile("the first opponent", self._first)
            with self._lock:
                game = self._left.pop(0)
            self._compile(game, partial(warm_up, game))
            self._ready.add(game)

    @staticmethod
    def _compile(name: str, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception:  # a visitor who plays this game sees the error
            _log.exception("compiling %s failed", name)


class _Compiler(event.Listener):
    """Records since when Numba has been compiling."""

    def __init__(self) -> None:
        self.since = 0.0
        self._depth = 0

    def on_start(self, _: event.Event) -> None:
        if self._depth == 0:
            self.since = time.monotonic()
        self._depth += 1

    def on_end(self, _: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.since = 0.0


_compiler = _Compiler()
event.register("numba:compile", _compiler)  # type: ignore[no-untyped-call]


def is_compiling() -> bool:
    """Return whether Numba has been compiling for longer than `_NOTICE_SECONDS`."""
    since = _compiler.since
    return since > 0 and time.monotonic() - since > _NOTICE_SECONDS
