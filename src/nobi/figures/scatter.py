"""The same networks on two boards: scatter plots (S08 figures 5 and 10, S09 figure 4)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nobi.evolve.measures import correlation
from nobi.figures.grid import legend_below, panel_grid
from nobi.figures.style import COLOURS, save_figure

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
