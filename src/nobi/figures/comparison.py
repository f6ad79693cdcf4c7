"""Comparisons of networks: percentile curves, scatter plots, lines over board sizes, our results and the papers'.

S08 figures 3, 4, 5 and 10, S09 figures 2 and 4.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolution.transfer import TransferReport
from nobi.figures.style import (
    COLOURS,
    LINES,
    MARKERS,
    add_legends,
    bars_of,
    explain_bands,
    legend_below,
    legend_height,
    saved_panels,
    saved_plot,
)
from nobi.statistics import Interval, bounded_mean, correlation, expected_share, percentiles

PERCENTAGES = np.linspace(0, 100, 101)
"""The percentages at which percentile curves are drawn."""
WIDTH = 3.5
"""Inches of a panel."""
FITNESS_TICKS = (-1, -0.5, 0, 0.5, 1)
MIN_EXTENT = 0.5
"""Minimum extent of a fitness axis, so that small differences do not look large."""


@dataclass(frozen=True)
class Panel:
    """Percentile curves in one frame."""

    title: str
    curves: dict[str, NDArray[np.float64]]
    """label → fitness [network]."""


def percentile_curves(panels: Sequence[Panel], path: Path, title: str) -> None:
    """Draw the percentage of networks that reach at least a fitness.

    The bands are 95 % intervals that hold for any distribution; where there are too few networks for a bound, it is the
    end of the scale. Up to seven labels have the same style in all panels.
    """
    labels = list(dict.fromkeys(label for panel in panels for label in panel.curves))
    height = 2.9 + legend_height([[*panel.curves, "95 % interval"] for panel in panels], WIDTH)
    with saved_panels(path, title, len(panels), width=WIDTH, height=height) as axes:
        for one, panel in zip(axes, panels, strict=True):
            styles = curve_styles(labels if len(labels) <= len(COLOURS) else list(panel.curves))
            for label, fitness in panel.curves.items():
                colour, line = styles[label]
                found = percentiles(fitness, [float(100 - percentage) for percentage in PERCENTAGES])
                low, high = (np.clip([getattr(at, end) for at in found], -1, 1) for end in ("low", "high"))
                one.fill_between(PERCENTAGES, low, high, color=colour, alpha=0.15, lw=0)
                one.plot(PERCENTAGES, [at.value for at in found], color=colour, ls=line, lw=1.6, label=label)
            explain_bands(one)
            one.set(xlim=(0, 100), ylim=(-1.03, 1.03), xticks=range(0, 101, 20), yticks=FITNESS_TICKS)
            one.set_title(panel.title, loc="left", fontsize="medium")
            one.set_xlabel("networks that reach it (%)")
        axes[0].set_ylabel("fitness")
        add_legends(axes)


def curve_styles(labels: Sequence[str]) -> dict[str, tuple[str, Any]]:
    """Return the colour and the line style of each label.

    Up to seven labels differ in both. Of more labels, those that are equal up to a comma, such as `CONV, p = 3` and
    `CONV, p = 5`, share a colour and differ in line style.
    """
    if len(labels) <= len(COLOURS):
        return dict(zip(labels, zip(COLOURS, LINES, strict=True), strict=False))
    families: dict[str, list[str]] = {}
    for label in labels:
        families.setdefault(label.partition(",")[0], []).append(label)
    return {
        label: (COLOURS[number % len(COLOURS)], LINES[(member + number // len(COLOURS)) % len(LINES)])
        for number, members in enumerate(families.values())
        for member, label in enumerate(members)
    }


@dataclass(frozen=True)
class Cloud:
    """Networks of one kind."""

    label: str
    x: NDArray[np.float64]
    """[network] fitness on one board."""
    y: NDArray[np.float64]
    """[network] fitness of the same networks on another board."""


@dataclass(frozen=True)
class ScatterPanel:
    """Clouds in one frame."""

    title: str
    xlabel: str
    ylabel: str
    clouds: list[Cloud]


def scatter_plot(panels: Sequence[ScatterPanel], path: Path, title: str) -> None:
    """Draw every network as a point, or a cross in the second cloud, on equal axes from −1 to 1."""
    with saved_panels(path, title, len(panels), width=3.2, height=3.9, share=False) as axes:
        for one, panel in zip(axes, panels, strict=True):
            one.plot([-1, 1], [-1, 1], color="grey", lw=0.6, zorder=1)
            for cloud, colour, mark in zip(panel.clouds, cycle(COLOURS), cycle("ox^+"), strict=False):
                r = correlation(cloud.x, cloud.y).value
                text = "r undefined" if math.isnan(r) else f"r = {r:.2f}".replace("-", "\N{MINUS SIGN}")
                size: dict[str, float] = {"ms": 3, "mew": 0} if mark == "o" else {"ms": 4, "mew": 0.9}
                style: dict[str, Any] = {"color": colour, "alpha": 0.7, "zorder": 2, **size}
                one.plot(cloud.x, cloud.y, mark, label=f"{cloud.label}, {text}", **style)
            one.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), box_aspect=1, xlabel=panel.xlabel, ylabel=panel.ylabel)
            one.set(xticks=FITNESS_TICKS, yticks=FITNESS_TICKS)
            one.set_title(panel.title, loc="left", fontsize="medium")
            legend_below(one, handletextpad=0.2)


def size_curve(report: TransferReport, path: Path, title: str, trained_on: int | None) -> None:
    """Draw fitness by board size, a line per opponent; the board of training is marked."""
    lines: dict[str, list[Interval]] = {}
    for result in report.sizes:
        lines.setdefault(f"against {result.opponent}", []).append(result.fitness)
    sizes = list(dict.fromkeys(result.size for result in report.sizes))
    size_lines(lines, sizes, path, title, trained_on)


def size_lines(
    lines: dict[str, list[Interval]],
    sizes: list[int],
    path: Path,
    title: str,
    trained_on: int | None = None,
    runs: Mapping[str, Sequence[NDArray[np.float64]]] | None = None,
) -> None:
    """Draw fitness by board size, a line per label, with 95 % intervals as bands.

    With `runs`, label → [size][run], the values of single runs are drawn as dots instead of bands, which are wide and
    overlap if there are few runs.
    """
    with saved_plot(path, title) as axes:
        for colour, marker, (label, line) in zip(COLOURS, MARKERS, lines.items(), strict=False):
            low, high = [max(-1.0, fitness.low) for fitness in line], [min(1.0, fitness.high) for fitness in line]
            axes.plot(sizes, [fitness.value for fitness in line], marker=marker, color=colour, label=label)
            if runs is None:
                axes.fill_between(sizes, low, high, color=colour, alpha=0.2, lw=0)
                continue
            for size, values in zip(sizes, runs[label], strict=True):
                axes.plot([size] * len(values), values, ".", ms=4, color=colour, alpha=0.6)
        if runs is None:
            explain_bands(axes)
        else:
            axes.plot([], [], ".", ms=4, color="grey", label="single runs")
        bottom, top = fitness_limits([fitness for line in lines.values() for fitness in line])
        if trained_on is not None:
            axes.axvline(trained_on, color="grey", ls=":", lw=1, label="board of training" if runs else None)
        if trained_on is not None and not runs:
            axes.annotate("trained here", (trained_on, bottom), xytext=(4, 4), textcoords="offset points", color="grey")
        axes.set_xticks(sizes, [f"{size}x{size}" for size in sizes])
        axes.set(xlabel="board", ylabel="fitness", ylim=(bottom, top))
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def runs_by_size(
    runs: Mapping[str, Sequence[NDArray[np.float64]]],
    sizes: Sequence[int],
    path: Path,
    title: str,
    trained_on: int | None = None,
) -> None:
    """Draw the mean fitness of runs by board size, label → [size][run], and the values of single runs."""
    lines = {label: [bounded_mean(values) for values in by_size] for label, by_size in runs.items()}
    size_lines(lines, list(sizes), path, title, trained_on, runs)


def fitness_limits(found: Sequence[Interval]) -> tuple[float, float]:
    """Return the part of the scale from −1 to 1 that contains these intervals, in steps of a quarter, with a margin."""
    low = max(-1.0, min((one.low for one in found), default=-1.0))
    high = min(1.0, max((one.high for one in found), default=1.0))
    low, high = math.floor(4 * low) / 4, math.ceil(4 * high) / 4
    if high - low < MIN_EXTENT:
        low = max(-1.0, high - MIN_EXTENT)
        high = low + MIN_EXTENT
    margin = 0.025 * (high - low)
    return low - margin, high + margin


def win_rates(lines: Mapping[str, Sequence[tuple[int, Interval]]], path: Path, title: str) -> None:
    """Draw shares of games won, label → (playouts, share), with 95 % intervals over a logarithmic axis."""
    with saved_plot(path, title) as axes:
        for colour, marker, (label, points) in zip(COLOURS, MARKERS, lines.items(), strict=False):
            values, errors = bars_of([share for _, share in points], 100)
            x = [x for x, _ in points]
            axes.errorbar(x, values, yerr=errors, marker=marker, color=colour, label=label, capsize=3, lw=1.3)
        axes.set_xscale("log")
        ticks = list(dict.fromkeys(x for points in lines.values() for x, _ in points))
        axes.set_xticks(ticks, [f"{x:,.0f}" for x in ticks])
        axes.minorticks_off()
        axes.axhline(50, color="grey", ls=":", lw=1)
        axes.set(xlabel="playouts a move", ylabel="games won, %", ylim=(-2, 102))
        axes.legend(loc="lower right", title="bars: 95 % interval")


@dataclass(frozen=True)
class SharePanel:
    """Shares of games won by board size: label → a share for each size, or for the first ones."""

    title: str
    lines: dict[str, list[Interval]]


ELO_TICKS = (-400, -200, -100, 0, 100, 200, 400)


def share_panels(panels: Sequence[SharePanel], sizes: Sequence[int], path: Path, title: str) -> None:
    """Draw shares of games won by board size, with 95 % intervals as bars, and the Elo difference on the right."""
    labels = list(dict.fromkeys(label for panel in panels for label in panel.lines))
    at = np.arange(len(sizes), dtype=np.float64)
    with saved_panels(path, title, len(panels), width=3.1, height=3.9) as axes:
        for one, panel in zip(axes, panels, strict=True):
            one.axhline(50, color="grey", lw=1)
            for i, label in enumerate(labels):
                shares = panel.lines.get(label, [])
                x = at[: len(shares)] + 0.08 * (i - (len(labels) - 1) / 2)
                style: dict[str, Any] = {
                    "color": COLOURS[i],
                    "marker": MARKERS[i],
                    "ls": LINES[i],
                    "lw": 1.3,
                    "capsize": 2,
                }
                values, errors = bars_of(shares, 100)
                # a label without shares too: the same entries in every panel make one common legend
                one.errorbar(x, values, yerr=errors, label=label, **style)
            one.set_xticks(at, [f"{size}x{size}" for size in sizes])
            one.set(xlabel="board", ylim=(-2, 102))
            one.set_title(panel.title, loc="left", fontsize="medium")
        axes[0].set_ylabel("games won, %")
        right = axes[-1].secondary_yaxis("right")
        right.set_yticks(
            [100 * expected_share(elo) for elo in ELO_TICKS], [f"{elo:+d}" if elo else "0" for elo in ELO_TICKS]
        )
        right.set_ylabel("Elo difference")
        add_legends(axes)


@dataclass(frozen=True)
class PaperComparison:
    """One case: our estimate and the paper's number."""

    label: str
    ours: Interval
    paper: Interval | float | None = None
    each: tuple[float, ...] = ()
    """The values of single runs, drawn as points."""


def compare_with_paper(cases: Sequence[PaperComparison], path: Path, title: str, xlabel: str) -> None:
    """Draw our estimates with 95 % intervals and the paper's numbers, the first case at the top."""
    at = np.arange(len(cases), dtype=np.float64)
    # long labels make the figure wider, so that the plot and its title keep their width
    width = 6.0 + 0.09 * max(0, max(len(case.label) for case in cases) - 16)
    title = fill(title, 48)
    with saved_plot(path, title, width, 0.9 + 0.32 * len(cases) + 0.2 * title.count("\n")) as axes:
        values, errors = bars_of([case.ours for case in cases])
        style: dict[str, Any] = {"color": COLOURS[0], "marker": "o", "ls": "", "capsize": 3, "label": "ours, 95 %"}
        axes.errorbar(values, at - 0.12, xerr=errors, **style)
        singles = [(value, y + 0.1) for y, case in zip(at, cases, strict=True) for value in case.each]
        if singles:
            single: dict[str, Any] = {"color": COLOURS[0], "alpha": 0.6, "ms": 3, "mew": 0, "label": "single runs"}
            axes.plot(*zip(*singles, strict=True), "o", **single)
        papers = [
            (case.paper if isinstance(case.paper, Interval) else Interval(*[case.paper] * 3), y + 0.12)
            for y, case in zip(at, cases, strict=True)
            if case.paper is not None
        ]
        if papers:
            x, around = bars_of([paper for paper, _ in papers])
            axes.errorbar(
                x, [y for _, y in papers], xerr=around, color=COLOURS[1], marker="D", ls="", capsize=3, label="paper"
            )
        if min(interval.low for interval in (*(case.ours for case in cases), *(paper for paper, _ in papers))) < 0:
            axes.axvline(0, color="grey", lw=1)
        axes.set_yticks(at, [case.label for case in cases])
        axes.set(xlabel=xlabel, ylim=(len(cases) - 0.5, -0.5))
        if singles or papers:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
