"""The board as a NiceGUI element: properties are sent to `board.js`, clicks are sent back."""

from collections.abc import Callable
from typing import Any

from nicegui import events, ui


class Board(ui.element, component="board.js"):
    """A Go board."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self._serial = 0
        self.show(**properties)

    def show(self, **properties: Any) -> None:
        """Set properties in one message; unchanged ones are not sent."""
        changed = {name: value for name, value in properties.items() if self.props.get(name) != value}
        if changed:
            self.props.update(changed)
            self.update()

    def refuse(self) -> None:
        """Remove the stone that the browser showed before the server refused the move."""
        self._serial += 1
        self.show(serial=self._serial)

    def on_play(self, handler: Callable[[Any], Any]) -> None:
        """Call the handler with the cell of a click. The value comes from the browser and must be checked."""
        self.on("play", lambda event: handler(_field(event, "cell")))

    def on_swept(self, handler: Callable[[Any], Any]) -> None:
        """Call the handler with the run number of a sweep animation that has ended."""
        self.on("swept", lambda event: handler(_field(event, "run")))


def _field(event: events.GenericEventArguments, name: str) -> Any:
    return event.args.get(name) if isinstance(event.args, dict) else None
