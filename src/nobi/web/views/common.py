"""Shared parts of the views: buttons, choices, error messages, and a board that replays a game."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nicegui import ui

from nobi.errors import NobiError
from nobi.web.champion import WatchedGame
from nobi.web.elements import Board
from nobi.web.setup import GAME_TITLES
from nobi.web.warmup import BackgroundWarmUp

if TYPE_CHECKING:
    from collections.abc import Iterator

TICK_SECONDS = 0.28
_PAUSE_TICKS = 8
"""Number of ticks for which the last position stays before `ended` is true."""
COMPILING = "Compiling the game for this computer. This happens only once and takes up to a minute."


def button(text: str, action: Callable[[], Any], *, icon: str = "", style: str = "") -> ui.button:
    """Create a button; `style` is empty, `strong` or `quiet`."""
    made = ui.button(text, on_click=action, icon=icon or None, color=None).props("unelevated no-caps no-wrap")
    made.classes(f"plain {style}")
    return made


@contextmanager
def show_errors() -> "Iterator[None]":
    """Show a NobiError to the visitor."""
    try:
        yield
    except NobiError as error:
        ui.notify(str(error), position="bottom", timeout=4000)


async def wait_until_compiled(warming: BackgroundWarmUp, games: Iterable[str] = GAME_TITLES) -> None:
    """Show an inactive board with the reason until these games are compiled."""
    wanted = set(games)
    if warming.is_ready(wanted):
        return
    for game in wanted:
        warming.prefer(game)
    note = ui.element("div").classes("view play")
    with note, ui.element("div").classes("stage"):
        with ui.element("div").classes("frame"):
            Board(size=9, stones="." * 81, label="an empty board")
        with ui.element("div").classes("under"):
            words = ui.label(COMPILING)
            words.classes("pulse").props("aria-live=polite")
    while not warming.is_ready(wanted):
        await asyncio.sleep(0.1)
    note.delete()


class Choice:
    """A row of buttons, one of which is selected."""

    def __init__(self, options: Mapping[str, str], value: str, action: Callable[[str], Any], label: str) -> None:
        """`options` are the texts by value; `label` is for screen readers."""
        self.value = value
        self._buttons: dict[str, ui.element] = {}
        self._offered = set(options)
        self._group = ui.element("div").classes("choice").props(f'role=group aria-label="{label}"')
        with self._group:
            for key, text in options.items():
                one = ui.element("button").props("type=button").on("click", lambda key=key: action(key))
                with one:
                    ui.label(text)
                self._buttons[key] = one
        self.set(value)

    def set(self, value: str) -> None:
        """Mark the selected value."""
        self.value = value
        for key, one in self._buttons.items():
            one.classes(add="on" if key == value else None, remove=None if key == value else "on")
            one.props(f"aria-pressed={'true' if key == value else 'false'}")

    def offer(self, value: str, visible: bool) -> None:
        """Show or hide an option; a single option needs no buttons."""
        self._buttons[value].set_visibility(visible)
        self._offered = self._offered | {value} if visible else self._offered - {value}
        self._group.set_visibility(len(self._offered) > 1)


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
