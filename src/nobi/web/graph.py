"""The graph of Black's chance to win over the moves of a game."""

from collections.abc import Callable
from typing import Any

from nicegui import ui


class Graph(ui.element, component="graph.js"):
    """The graph; a click jumps to a move."""

    def show(self, chances: dict[int, float], total: int, current: int) -> None:
        """Shows what is known of a game of `total` moves, with a line at the `current` one."""
        found = {
            "chances": [[ply, round(rng, 4)] for ply, rng in sorted(chances.items())],
            "total": total,
            "current": current,
        }
        if any(self.props.get(name) != value for name, value in found.items()):
            self.props.update(found)
            self.update()

    def on_jump(self, handler: Callable[[int], Any]) -> None:
        """Calls the handler with the number of a move."""

        def jump(args: Any) -> None:
            ply = args.get("ply") if isinstance(args, dict) else None
            if isinstance(ply, int):
                handler(ply)

        self.on("jump", lambda event: jump(event.args))
