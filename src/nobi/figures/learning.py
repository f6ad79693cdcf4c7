"""Learning curves: mean and best fitness of every generation (S08 figure 6, S09 figure 3)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from nobi.arena.summary import CONFIDENCE
from nobi.figures.grid import add_legends, label_edges, legend_height, panel_grid
from nobi.figures.style import COLOURS, explain_bands, new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 500
"""Of a curve."""
MOST_IN_ALL = 3000
"""Of all curves of a figure together, which is about 250 kB of SVG with their bands."""
WIDTH = 3.5
"""Inches of a panel."""
PARTS = (("mean of the generation", "-"), ("best of the generation", "--"))
BANDS = "95 % interval over runs"


@dataclass(frozen=True)
class LearningPanel:
    """Curves that stand in one frame."""

    title: str
    curves: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    """label → the mean and the best fitness, [run, generation] each."""
    shares: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """label → numbers from 0 to 1 that are no fitness, [run, generation]; they have an axis at the right."""

    @property
    def entries(self) -> list[str]:
        """What the legend explains."""
        several = any(len(mean) > 1 for mean, _ in self.curves.values())
        return [*self.curves, *self.shares, *dict(PARTS), *([BANDS] if several else [])]


def learning_bands(
    panels: Sequence[LearningPanel], path: Path, title: str, *, columns: int = 3, ylabel: str = "fitness"
) -> None:
    """Draws learning curves averaged over runs, a colour a network: the mean fitness solid, the best broken.

    The bands are Student's 95 % intervals over the runs, if there are several. What is no fitness is dotted. Of long
    runs every point is the mean over some generations; the axis says of how many.

    Args:
        panels: what to draw.
        path: where to save.
        title: stands above.
        columns: how many panels stand side by side.
        ylabel: what kind of fitness it is.
    """
    from matplotlib.lines import Line2D

    labels = list(dict.fromkeys(label for panel in panels for label in (*panel.curves, *panel.shares)))
    colours = dict(zip(labels, cycle(COLOURS), strict=False))
    drawn = sum(len(PARTS) * len(panel.curves) for panel in panels)
    points = max(2, min(MOST_POINTS, MOST_IN_ALL // max(1, drawn)))
    columns = min(columns, len(panels))
    width = WIDTH if columns > 1 else 1.7 * WIDTH  # a lone panel fills a page
    height = (3.0 if columns > 1 else 3.6) + legend_height([panel.entries for panel in panels], width)
    with panel_grid(len(panels), columns, title, width=width, height=height, share=False) as (figure, axes):
        label_edges(axes, columns, "", ylabel)
        for one, panel in zip(axes, panels, strict=True):
            longest = max((mean.shape[1] for mean, _ in panel.curves.values()), default=1)
            block = math.ceil(longest / points)
            for label, both in panel.curves.items():
                for fitness, (_, line) in zip(both, PARTS, strict=True):
                    at, mean, low, high = band_of(fitness, block)
                    one.fill_between(at, low, high, color=colours[label], alpha=0.15, lw=0)
                    one.plot(at, mean, color=colours[label], ls=line, lw=1.3, label=label if line == "-" else None)
            for label, share in panel.shares.items():
                at, mean, low, high = band_of(share, block, least=0.0)
                beside = _axis_of_shares(one, label)
                beside.fill_between(at, low, high, color=colours[label], alpha=0.15, lw=0)
                beside.plot(at, mean, color=colours[label], ls=":", lw=1.6)
                one.add_line(Line2D([], [], color=colours[label], ls=":", lw=1.6, label=label))
            for text, line in PARTS:
                one.add_line(Line2D([], [], color="grey", ls=line, label=text))
            if BANDS in panel.entries:
                explain_bands(one, BANDS)
            one.set(xlim=(0, longest - 1 or 1), ylim=(-1.03, 1.03), yticks=[-1, -0.5, 0, 0.5, 1])
            one.set_xlabel("generation" if block == 1 else f"generation (means over {block})")
            one.set_title(panel.title, loc="left", fontsize="medium")
        add_legends(figure, axes)
        save_figure(figure, path)


def _axis_of_shares(axes: "Axes", label: str) -> "Axes":
    """An axis at the right, from 0 to 1."""
    beside = axes.twinx()
    beside.set(ylim=(0, 1.015), ylabel=label, yticks=[0, 0.25, 0.5, 0.75, 1])
    beside.spines["right"].set_visible(True)
    beside.grid(visible=False)
    return beside


def band_of(
    fitness: NDArray[np.float64], block: int, least: float = -1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Averages blocks of generations, then over runs.

    Args:
        fitness: [run, generation].
        block: how many generations are averaged; the last block may have fewer.
        least: the smallest value there is; the largest is 1.

    Returns:
        [block] each: the middle of the block, the mean over runs, and the bounds of Student's 95 % interval, which are
        the mean itself for a single run; bounds are cut where there is no such value.
    """
    runs, generations = fitness.shape
    starts = np.arange(0, generations, block)
    sizes = np.diff(np.append(starts, generations))
    means = np.add.reduceat(fitness, starts, axis=1) / sizes
    mean = means.mean(axis=0)
    spread = np.zeros_like(mean)
    if runs > 1:
        spread = stdtrit(runs - 1, (1 + CONFIDENCE) / 2) * means.std(axis=0, ddof=1) / math.sqrt(runs)
    return starts + (sizes - 1) / 2, mean, np.maximum(mean - spread, least), np.minimum(mean + spread, 1.0)


def learning_curve(metrics: list[dict[str, Any]], path: Path, title: str) -> None:
    """Draws the metrics of one run: a dict with `generation`, `mean`, `best` and perhaps `e` for every generation."""
    generations = [line["generation"] for line in metrics]
    with new_figure() as (figure, axes):
        axes.plot(generations, [line["best"] for line in metrics], color=COLOURS[1], label="best")
        axes.plot(generations, [line["mean"] for line in metrics], color=COLOURS[0], label="mean")
        if metrics and "e" in metrics[0]:
            axes.plot(generations, [line["e"] for line in metrics], color=COLOURS[2], ls="--", label="opponent's e")
        axes.set_xlabel("generation")
        axes.set_ylabel("fitness")
        axes.set_ylim(-1.05, 1.05)
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right")
        save_figure(figure, path)
