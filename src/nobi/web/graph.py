"""The graph of Black's chance to win and of the score over the moves of a game."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui


class Graph(ui.element, component="graph.js"):
    """The graph; a click jumps to a move."""

    def show(
        self,
        chances: Mapping[int, float],
        total: int,
        current: int,
        scores: Mapping[int, float] | None = None,
        marks: Sequence[int] = (),
    ) -> None:
        """Show the known values of a game of `total` moves, with a line at the `current` move.

        Args:
            chances: number of moves → Black's chance to win, 0 to 1.
            total: the moves of the game.
            current: the number of moves on the board.
            scores: number of moves → Black's lead in points.
            marks: numbers of moves to mark.
        """
        found = {
            "chances": [[ply, round(chance, 4)] for ply, chance in sorted(chances.items())],
            "scores": [[ply, round(score, 1)] for ply, score in sorted((scores or {}).items())],
            "marks": list(marks),
            "total": total,
            "current": current,
        }
        if any(self.props.get(name) != value for name, value in found.items()):
            self.props.update(found)
            self.update()

    def on_jump(self, handler: Callable[[int], Any]) -> None:
        """Call the handler with the number of a move."""

        def jump(args: Any) -> None:
            ply = args.get("ply") if isinstance(args, dict) else None
            if isinstance(ply, int):
                handler(ply)

        self.on("jump", lambda event: jump(event.args))
