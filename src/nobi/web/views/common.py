"""Shared parts of the views: buttons, choices and error messages."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nicegui import ui

from nobi.errors import NobiError
from nobi.web.board import Board
from nobi.web.setup import GAME_TITLES
from nobi.web.warmup import WarmUp

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPILING = "Compiling the game for this computer. This happens only once and takes up to a minute."


def button(text: str, action: Callable[[], Any], *, icon: str = "", style: str = "") -> ui.button:
    """A button; `style` is empty, `strong` or `quiet`."""
    made = ui.button(text, on_click=action, icon=icon or None, color=None).props("unelevated no-caps no-wrap")
    made.classes(f"plain {style}")
    return made


@contextmanager
def sentences() -> "Iterator[None]":
    """Show a NobiError to the visitor."""
    try:
        yield
    except NobiError as fault:
        ui.notify(str(fault), position="bottom", timeout=4000)


async def wait_until_compiled(warming: WarmUp, games: Iterable[str] = GAME_TITLES) -> None:
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
        with ui.element("div").classes("choice").props(f'role=group aria-label="{label}"'):
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
        """Show or hide an option."""
        self._buttons[value].set_visibility(visible)
