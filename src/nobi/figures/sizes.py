"""How networks fare on boards of different sizes."""

from pathlib import Path

from nobi.evolve.transfer import TransferReport
from nobi.figures.style import COLOURS, new_figure, save_figure


def size_curve(report: TransferReport, path: Path, title: str, trained_on: int | None) -> None:
    """Fitness by board size, a line an opponent, with 95 % intervals as bands; the training board is marked."""
    opponents = list(dict.fromkeys(result.opponent for result in report.sizes))
    with new_figure() as (figure, axes):
        for colour, opponent in zip(COLOURS, opponents, strict=False):
            rows = [result for result in report.sizes if result.opponent == opponent]
            sizes = [row.size for row in rows]
            axes.plot(sizes, [row.fitness.value for row in rows], "o-", color=colour, label=f"against {opponent}")
            axes.fill_between(
                sizes,
                [max(-1.0, row.fitness.low) for row in rows],
                [min(1.0, row.fitness.high) for row in rows],
                color=colour,
                alpha=0.2,
                lw=0,
            )
        if trained_on is not None:
            axes.axvline(trained_on, color="grey", ls=":", lw=1)
            axes.annotate("trained here", (trained_on, -1), xytext=(4, 4), textcoords="offset points", color="grey")
        ticks = sorted({result.size for result in report.sizes})
        axes.set_xticks(ticks, [f"{size}x{size}" for size in ticks])
        axes.set_xlabel("board")
        axes.set_ylabel("fitness")
        axes.set_ylim(-1.05, 1.05)
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right")
        save_figure(figure, path)
