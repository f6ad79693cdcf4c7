"""Compiling the rules before they are needed: the event loop calls them, and must never wait for a compiler."""

import threading

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import point_at
from nobi.web.session import Session
from nobi.web.setup import GAME_TITLES, Setup


def warm_up() -> None:
    """Calls everything compiled that a session calls, once for each game."""
    for name in GAME_TITLES:
        session = Session(Setup(game=name, size=9))
        session.play(point_at(2, 2, 9))
        session.play(point_at(2, 3, 9))
        session.forbidden()
        session.captured()
        session.undo()
        placed = Setup(game=name, size=9).new_game()
        placed.set_up([(point_at(4, 4, 9), BLACK), (point_at(5, 5, 9), WHITE)], WHITE)
        placed.legal_moves()


class WarmUp:
    """The same in a thread, once."""

    def __init__(self) -> None:
        self.done = threading.Event()
        threading.Thread(target=self._run, name="warm-up", daemon=True).start()

    def _run(self) -> None:
        try:
            warm_up()
        finally:
            self.done.set()
