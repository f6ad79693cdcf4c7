"""How networks fare on boards of different sizes."""

from pathlib import Path

from nobi.arena.summary import Interval
from nobi.evolve.transfer import TransferReport
from nobi.figures.style import COLOURS, new_figure, save_figure


def size_curve(report: TransferReport, path: Path, title: str, trained_on: int | None) -> None:
    """Fitness by board size, a line an opponent, with 95 % intervals as bands; the training board is marked."""
    opponents = list(dict.fromkeys(result.opponent for result in report.sizes))
    sizes = list(dict.fromkeys(result.size for result in report.sizes))
    lines = {
        f"against {opponent}": [result.fitness for result in report.sizes if result.opponent == opponent]
        for opponent in opponents
    }
    size_lines(lines, sizes, path, title, trained_on)


def size_lines(
    lines: dict[str, list[Interval]], sizes: list[int], path: Path, title: str, trained_on: int | None = None
) -> None:
    """Fitness by board size, a line for every label, its intervals as bands."""
    with new_figure() as (figure, axes):
        for colour, marker, (label, line) in zip(COLOURS, "os^Dv<>", lines.items(), strict=False):
            axes.plot(sizes, [fitness.value for fitness in line], marker=marker, color=colour, label=label)
            axes.fill_between(
                sizes,
                [max(-1.0, fitness.low) for fitness in line],
                [min(1.0, fitness.high) for fitness in line],
                color=colour,
                alpha=0.2,
                lw=0,
            )
        if trained_on is not None:
            axes.axvline(trained_on, color="grey", ls=":", lw=1)
            axes.annotate("trained here", (trained_on, -1), xytext=(4, 4), textcoords="offset points", color="grey")
        axes.set_xticks(sizes, [f"{size}x{size}" for size in sizes])
        axes.set_xlabel("board")
        axes.set_ylabel("fitness")
        axes.set_ylim(-1.05, 1.05)
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right")
        save_figure(figure, path)
