"""A chart as an element of NiceGUI: properties go to `plot.js`, what is picked comes back."""

from collections.abc import Callable
from typing import Any

from nicegui import ui


class Plot(ui.element, component="plot.js"):
    """Lines, bars, points or a matrix."""

    def __init__(self, **properties: Any) -> None:
        super().__init__()
        self.show(**properties)

    def show(self, **properties: Any) -> None:
        """Sets properties, all in one message; those that have not changed are left alone."""
        changed = {name: value for name, value in properties.items() if self.props.get(name) != value}
        if changed:
            self.props.update(changed)
            self.update()

    def on_pick(self, handler: Callable[[int], Any]) -> None:
        """Calls the handler with the number of what was picked, which must be checked."""

        def pick(args: Any) -> None:
            number = args.get("i") if isinstance(args, dict) else None
            if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
                handler(number)

        self.on("pick", lambda event: pick(event.args))
