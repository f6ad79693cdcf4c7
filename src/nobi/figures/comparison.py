"""How many networks are how good: percentile curves (S08 figures 3 and 4, S09 figure 2).

MERGED figures/scatter.py: The same networks on two boards: scatter plots (S08 figures 5 and 10, S09 figure 4).

MERGED figures/sizes.py: How networks fare on boards of different sizes.

MERGED figures/curves.py: Shares, such as of games won, against a number: lines with 95 % intervals.

MERGED figures/beside.py: Our figures beside the paper's, a line a case.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.transfer import TransferReport
from nobi.figures.style import (
    COLOURS,
    LINES,
    add_legends,
    explain_bands,
    label_edges,
    legend_below,
    legend_height,
    new_figure,
    panel_grid,
    save_figure,
)
from nobi.statistics import Interval, correlation, percentiles

SHARES = np.linspace(0, 100, 101)
"""Where the curves are drawn, in % of the networks."""
WIDTH = 3.5
"""Inches of a panel."""


@dataclass(frozen=True)
class Panel:
    """Curves that stand in one frame."""

    title: str
    curves: dict[str, NDArray[np.float64]]
    """label → fitness [network]."""


def percentile_curves(
    panels: Sequence[Panel], path: Path, title: str, *, columns: int = 2, ylabel: str = "fitness"
) -> None:
    """Draws what share of the networks reaches at least a fitness.

    The bands are 95 % intervals that hold for any distribution; where networks are too few for a bound, it is the end
    of the scale. If there are at most seven labels, each looks the same in all panels.

    Args:
        panels: what to draw.
        path: where to save.
        title: stands above.
        columns: how many panels stand side by side.
        ylabel: what kind of fitness it is.
    """
    labels = list(dict.fromkeys(label for panel in panels for label in panel.curves))
    height = 2.9 + legend_height([[*panel.curves, "95 % interval"] for panel in panels], WIDTH)
    with panel_grid(len(panels), columns, title, width=WIDTH, height=height) as (figure, axes):
        for one, panel in zip(axes, panels, strict=True):
            looks = looks_of(labels if len(labels) <= len(COLOURS) else list(panel.curves))
            for label, fitness in panel.curves.items():
                colour, line = looks[label]
                found = percentiles(fitness, [float(100 - share) for share in SHARES])
                low, high = (np.clip([getattr(at, end) for at in found], -1, 1) for end in ("low", "high"))
                one.fill_between(SHARES, low, high, color=colour, alpha=0.15, lw=0)
                one.plot(SHARES, [at.value for at in found], color=colour, ls=line, lw=1.6, label=label)
            explain_bands(one)
            one.set(xlim=(0, 100), ylim=(-1.03, 1.03), xticks=range(0, 101, 20), yticks=[-1, -0.5, 0, 0.5, 1])
            one.set_title(panel.title, loc="left", fontsize="medium")
        label_edges(axes, min(columns, len(panels)), "networks that reach it (%)", ylabel)
        add_legends(figure, axes)
        save_figure(figure, path)


def looks_of(labels: Sequence[str]) -> dict[str, tuple[str, Any]]:
    """Label → colour and style of line.

    Up to seven differ in both. Of more, those that begin alike up to a comma, such as `CONV, p = 3` and `CONV, p = 5`,
    share a colour and differ in style.
    """
    if len(labels) <= len(COLOURS):
        return dict(zip(labels, zip(COLOURS, LINES, strict=True), strict=False))
    families: dict[str, list[str]] = {}
    for label in labels:
        families.setdefault(label.partition(",")[0], []).append(label)
    return {
        label: (COLOURS[number % len(COLOURS)], LINES[(place + number // len(COLOURS)) % len(LINES)])
        for number, members in enumerate(families.values())
        for place, label in enumerate(members)
    }


MARKS = ("o", "x", "^", "+")


@dataclass(frozen=True)
class Cloud:
    """Networks of one kind."""

    label: str
    x: NDArray[np.float64]
    """[network] the fitness on one board."""
    y: NDArray[np.float64]
    """[network] that of the same networks on another."""


@dataclass(frozen=True)
class ScatterPanel:
    """Clouds that stand in one frame."""

    title: str
    xlabel: str
    ylabel: str
    clouds: list[Cloud]


def scatter_plot(panels: Sequence[ScatterPanel], path: Path, title: str, *, columns: int = 3) -> None:
    """Draws every network as a point: points for the first cloud, crosses for the second; equal axes from −1 to 1.

    Args:
        panels: what to draw.
        path: where to save.
        title: stands above.
        columns: how many panels stand side by side.
    """
    with panel_grid(len(panels), columns, title, width=3.2, height=3.9, share=False) as (figure, axes):
        for one, panel in zip(axes, panels, strict=True):
            one.plot([-1, 1], [-1, 1], color="grey", lw=0.6, zorder=1)
            for cloud, colour, mark in zip(panel.clouds, cycle(COLOURS), cycle(MARKS), strict=False):
                one.plot(
                    cloud.x, cloud.y, mark, color=colour, ms=3 if mark == "o" else 4, mew=0 if mark == "o" else 0.9,
                    alpha=0.7, zorder=2, label=f"{cloud.label}, {_correlation_text(cloud)}",
                )  # fmt: skip
            one.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), box_aspect=1, xlabel=panel.xlabel, ylabel=panel.ylabel)
            one.set_xticks([-1, -0.5, 0, 0.5, 1])
            one.set_yticks([-1, -0.5, 0, 0.5, 1])
            one.set_title(panel.title, loc="left", fontsize="medium")
            legend_below(figure, one, handletextpad=0.2)
        save_figure(figure, path)


def _correlation_text(cloud: Cloud) -> str:
    r = correlation(cloud.x, cloud.y).value
    return "r undefined" if math.isnan(r) else f"r = {r:.2f}".replace("-", "\N{MINUS SIGN}")


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


def share_lines(
    lines: Mapping[str, Sequence[tuple[float, Interval]]],
    path: Path,
    title: str,
    *,
    xlabel: str,
    ylabel: str,
    logarithmic: bool = True,
) -> None:
    """Draws shares of 0 to 1 as percentages.

    Args:
        lines: label → (where, share) in order.
        path: where to save.
        title: stands above.
        xlabel: what the numbers are.
        ylabel: what the shares are.
        logarithmic: whether equal factors are equal distances.
    """
    with new_figure() as (figure, axes):
        ticks: list[float] = []
        for colour, marker, (label, points) in zip(COLOURS, "os^Dv<>", lines.items(), strict=False):
            at = [x for x, _ in points]
            ticks += [x for x in at if x not in ticks]
            values = [100 * share.value for _, share in points]
            errors = [
                [100 * (share.value - share.low) for _, share in points],
                [100 * (share.high - share.value) for _, share in points],
            ]
            axes.errorbar(at, values, yerr=errors, marker=marker, color=colour, label=label, capsize=3, lw=1.3)
        if logarithmic:
            axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{x:,.0f}" for x in ticks])
        axes.minorticks_off()
        axes.axhline(50, color="grey", ls=":", lw=1)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(-2, 102))
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right", title="bars: 95 % interval")
        save_figure(figure, path)


@dataclass(frozen=True)
class PaperComparison:
    """One case."""

    label: str
    ours: Interval
    paper: float | None = None


def compare_with_paper(cases: Sequence[PaperComparison], path: Path, title: str, what: str) -> None:
    """Draws ours with 95 % intervals and the paper's figures, from the first case at the top to the last.

    Args:
        cases: what is compared.
        path: where to save.
        title: stands above.
        what: the figure, and its unit.
    """
    at = np.arange(len(cases), dtype=np.float64)
    with new_figure(6.0, 0.9 + 0.32 * len(cases)) as (figure, axes):
        values = np.array([[case.ours.value, case.ours.low, case.ours.high] for case in cases])
        errors = np.abs(values[:, 1:] - values[:, :1]).T
        axes.errorbar(
            values[:, 0], at - 0.12, xerr=errors, color=COLOURS[0], marker="o", ls="", capsize=3, label="ours, 95 %"
        )
        papers = [(case.paper, place + 0.12) for place, case in zip(at, cases, strict=True) if case.paper is not None]
        if papers:
            axes.plot(*zip(*papers, strict=True), color=COLOURS[1], marker="D", ls="", label="paper")
        if values[:, 1].min() < 0 or min((paper for paper, _ in papers), default=0) < 0:
            axes.axvline(0, color="grey", lw=1)
        axes.set_yticks(at, [case.label for case in cases])
        axes.set_ylim(len(cases) - 0.5, -0.5)
        axes.set_xlabel(what)
        axes.set_title(title, loc="left")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        save_figure(figure, path)
