"""A chart as a NiceGUI element: properties are sent to `plot.js`, the picked item is sent back."""

from collections.abc import Callable
from typing import Any

from nicegui import ui


class Plot(ui.element, component="plot.js"):
    """A chart of lines, bars, points or a matrix."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self.show(**properties)

    def show(self, **properties: Any) -> None:
        """Set properties in one message; unchanged ones are not sent."""
        changed = {name: value for name, value in properties.items() if self.props.get(name) != value}
        if changed:
            self.props.update(changed)
            self.update()

    def on_pick(self, handler: Callable[[int], Any]) -> None:
        """Call the handler with the index of the picked item. The value comes from the browser and must be checked."""

        def pick(args: Any) -> None:
            number = args.get("i") if isinstance(args, dict) else None
            if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
                handler(number)

        self.on("pick", lambda event: pick(event.args))
