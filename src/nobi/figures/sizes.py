"""How networks fare on boards of different sizes."""

import math
from collections.abc import Sequence
from pathlib import Path

from nobi.arena.summary import Interval
from nobi.evolve.transfer import TransferReport
from nobi.figures.style import COLOURS, explain_bands, new_figure, save_figure

LEAST_EXTENT = 0.5
"""Of the axis: a difference of a hundredth is not to look like one of all or nothing."""


def size_curve(report: TransferReport, path: Path, title: str, trained_on: int | None) -> None:
    """Fitness by board size, a line an opponent, with 95 % intervals as bands; the training board is marked."""
    opponents = list(dict.fromkeys(result.opponent for result in report.sizes))
    sizes = list(dict.fromkeys(result.size for result in report.sizes))
    lines = {
        f"against {opponent}": [result.fitness for result in report.sizes if result.opponent == opponent]
        for opponent in opponents
    }
    size_lines(lines, sizes, path, title, trained_on)


def fitness_limits(found: Sequence[Interval]) -> tuple[float, float]:
    """The part of the scale from −1 to 1 that holds these intervals, in steps of a quarter, and a little beyond."""
    low = max(-1.0, min((one.low for one in found), default=-1.0))
    high = min(1.0, max((one.high for one in found), default=1.0))
    low, high = math.floor(4 * low) / 4, math.ceil(4 * high) / 4
    if high - low < LEAST_EXTENT:
        low = max(-1.0, high - LEAST_EXTENT)
        high = low + LEAST_EXTENT
    beyond = 0.025 * (high - low)
    return low - beyond, high + beyond


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
        explain_bands(axes)
        bottom, top = fitness_limits([fitness for line in lines.values() for fitness in line])
        if trained_on is not None:
            axes.axvline(trained_on, color="grey", ls=":", lw=1)
            axes.annotate("trained here", (trained_on, bottom), xytext=(4, 4), textcoords="offset points", color="grey")
        axes.set_xticks(sizes, [f"{size}x{size}" for size in sizes])
        axes.set_xlabel("board")
        axes.set_ylabel("fitness")
        axes.set_ylim(bottom, top)
        axes.set_title(title, loc="left")
        axes.legend()
        save_figure(figure, path)
