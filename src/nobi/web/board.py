"""The board as an element of NiceGUI: properties go to `board.js`, clicks come back."""

from collections.abc import Callable
from typing import Any

from nicegui import events, ui


class Board(ui.element, component="board.js"):
    """A board of Go."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self._serial = 0
        self.show(**properties)

    def show(self, **properties: Any) -> None:
        """Sets properties, all in one message; those that have not changed are left alone."""
        changed = {name: value for name, value in properties.items() if self.props.get(name) != value}
        if changed:
            self.props.update(changed)
            self.update()

    def refuse(self) -> None:
        """Takes the stone back that the browser has shown before the server refused it."""
        self._serial += 1
        self.show(serial=self._serial)

    def on_play(self, handler: Callable[[Any], Any]) -> None:
        """Calls the handler with the cell of a click, as the browser has sent it: it must be checked."""
        self.on("play", lambda event: handler(_field(event, "cell")))

    def on_swept(self, handler: Callable[[Any], Any]) -> None:
        """Calls the handler with the number of a run of a sweep that has ended."""
        self.on("swept", lambda event: handler(_field(event, "run")))


def _field(event: events.GenericEventArguments, name: str) -> Any:
    return event.args.get(name) if isinstance(event.args, dict) else None
