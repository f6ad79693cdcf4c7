"""The figure of a reviewed game: Black's chance to win over the moves, and the largest losses."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nobi.figures.style import COLOURS, new_figure, save_figure


def review_figure(
    chances: Mapping[int, float], losses: Sequence[tuple[int, str, float]], path: Path, title: str
) -> None:
    """Draws the chance to win as a line, with a gap where it is not known.

    Args:
        chances: number of moves → Black's chance to win, 0 to 1.
        losses: (number, name, loss in percentage points) of the moves to mark.
        path: where to save.
        title: stands above.
    """
    with new_figure(7.2, 3.4) as (figure, axes):
        last = max([*chances, *(number for number, _, _ in losses), 1])
        line = [100 * chances[ply] if ply in chances else float("nan") for ply in range(last + 1)]
        axes.axhline(50, color="grey", lw=0.8, ls=":")
        axes.fill_between(range(last + 1), line, 0, color=COLOURS[0], alpha=0.12, lw=0)
        axes.plot(range(last + 1), line, color=COLOURS[0], lw=1.5)
        for number, name, loss in losses:
            at = 100 * chances.get(number - 1, 0.5)
            falls = 100 * chances.get(number, 0.0) <= at  # Black's losses are named above the line, White's below it
            axes.plot([number - 1], [at], "o", color=COLOURS[1], ms=5)
            axes.annotate(
                f"{number} {name}, \N{MINUS SIGN}{loss:.0f}",
                (number - 1, at),
                xytext=(0, 8 if falls else -15),
                textcoords="offset points",
                ha="right" if number > 0.85 * last else "left" if number < 0.15 * last else "center",
                fontsize="small",
                color=COLOURS[1],
            )
        axes.set(xlim=(0, last), ylim=(0, 104), xlabel="move", ylabel="Black's chance to win, %")
        axes.set_title(title, loc="left")
        save_figure(figure, path)
