"""How many networks are how good: percentile curves (S08 figures 3 and 4, S09 figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.evolve.measures import percentiles
from nobi.figures.grid import LINES, add_legends, label_edges, legend_height, panel_grid
from nobi.figures.style import COLOURS, explain_bands, save_figure

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
