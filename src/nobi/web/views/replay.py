"""A small board that replays a finished game."""

from nicegui import ui

from nobi.web.board import Board
from nobi.web.champion import WatchedGame
from nobi.web.views.common import button

TICK_SECONDS = 0.28
_PAUSE_TICKS = 8
"""Number of ticks for which the last position stays before `ended` is true."""


class Replay:
    """Title, board and status line; `tick` shows the next move."""

    def __init__(self, title: str, size: int, *, controls: bool = False) -> None:
        """`controls` adds buttons to pause and step."""
        self._game: WatchedGame | None = None
        self._move = 0
        self._waited = 0
        self._running = True
        with ui.element("div").classes("replay"):
            with ui.element("div").classes("replay-title"):
                self.title = ui.label(title)
                self.extra = ui.element("div").classes("replay-extra")
            self.board = Board(size=size, stones="." * size**2, label=title)
            with ui.element("div").classes("replay-under"):
                self.sentence = ui.label().classes("hinted")
                if controls:
                    with ui.element("div").classes("replay-steps"):
                        button("", lambda: self._step(-1), icon="chevron_left", style="quiet").props(
                            'aria-label="previous"'
                        )
                        self._pause = button("", self._toggle, icon="pause", style="quiet").props('aria-label="pause"')
                        button("", lambda: self._step(1), icon="chevron_right", style="quiet").props(
                            'aria-label="next"'
                        )

    @property
    def game(self) -> WatchedGame | None:
        """The game shown."""
        return self._game

    @property
    def ended(self) -> bool:
        """Whether the game has been shown to its end and the pause after it is over."""
        return self._game is None or self._waited >= _PAUSE_TICKS

    def show(self, game: WatchedGame | None, size: int = 0) -> None:
        """Show another game; None clears the board."""
        self._game, self._move, self._waited, self._running = game, 0, 0, True
        if game is None:
            size = size or int(self.board.props.get("size", 9))
            self.board.show(size=size, stones="." * size**2, last=-1)
            self.sentence.set_text("")
        else:
            self._draw()

    def tick(self) -> None:
        """Show the next move, unless paused."""
        if self._game is None or not self._running:
            return
        if self._move < len(self._game.cells):
            self._move += 1
            self._draw()
        else:
            self._waited += 1

    def _step(self, way: int) -> None:
        if self._game:
            self._set_running(False)
            self._move = min(max(0, self._move + way), len(self._game.cells))
            self._draw()

    def _toggle(self) -> None:
        if self._game and self._move == len(self._game.cells):
            self._move = 0
        self._set_running(not self._running)

    def _set_running(self, running: bool) -> None:
        self._running = running
        self._pause.props(f"icon={'pause' if running else 'play_arrow'} aria-label={'pause' if running else 'play'}")

    def _draw(self) -> None:
        game = self._game
        assert game is not None  # noqa: S101
        last = game.cells[self._move - 1] if self._move else -1
        self.board.show(size=game.size, stones=game.positions[self._move], last=last)
        done = self._move == len(game.cells)
        self.sentence.set_text(game.sentence if done else f"Move {self._move} of {len(game.cells)}")
