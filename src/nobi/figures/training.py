"""Figures of training: learning curves, coevolution, and the prediction of expert moves.

S08 figures 6 to 8, S09 figure 3, C14 figures 3, 6, 7 and 8, M15 figure 1.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from nobi.features import make_planes
from nobi.figures.style import (
    COLOURS,
    LINES,
    MARKERS,
    add_legends,
    bars_of,
    blank_figure,
    explain_bands,
    legend_height,
    new_figure,
    place_axes,
    place_text,
    save_figure,
    saved_panels,
    saved_plot,
)
from nobi.imitation.metrics import MOVES_A_GROUP, PredictionMetrics, large_enough
from nobi.statistics import CONFIDENCE, MOST_RUNS, Interval, last_tenth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_POINTS = 500
"""Maximum number of points of a curve."""
MAX_TOTAL_POINTS = 3000
"""Maximum number of points of all curves of a figure: about 250 kB of SVG with their bands."""
WIDTH = 3.5
"""Inches of a panel."""
PARTS = (("mean of the generation", "-"), ("best of the generation", "--"))
BANDS = "95 % interval over runs"
SINGLES = "mean of a run, last tenth"
OVER_GAMES = "95 % interval over games"
SINGLE_STEP = 0.02
"""The distance between the points of single runs, as a share of the generations."""
MAX_UPRIGHT_LABELS = 14
"""Maximum number of upright labels of an axis; more labels are rotated."""
FILTER_COLOURS = "RdBu_r"


@dataclass(frozen=True)
class LearningPanel:
    """Learning curves in one frame."""

    title: str
    curves: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    """label → mean and best fitness, [run, generation] each."""
    shares: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """label → numbers from 0 to 1 that are not fitness, [run, generation]; they have an axis on the right."""

    @property
    def entries(self) -> list[str]:
        """The entries of the legend."""
        several = any(len(mean) > 1 for mean, _ in self.curves.values())
        more = ([BANDS] if several else []) + ([SINGLES] if self.has_singles else [])
        return [*self.curves, *self.shares, *dict(PARTS), *more]

    @property
    def has_singles(self) -> bool:
        """Whether single runs are drawn: if there are two to ten."""
        return any(1 < len(mean) <= MOST_RUNS for mean, _ in self.curves.values())


def learning_bands(panels: Sequence[LearningPanel], path: Path, title: str) -> None:
    """Draw learning curves averaged over runs, a colour per network: solid the mean fitness, dashed the best.

    The bands are Student's 95 % intervals over runs. Numbers that are not fitness are dotted. In long runs every point
    is the mean over several generations; the axis label gives their number. For up to ten runs, the mean fitness of
    each over the last tenth of the generations is a point to the right of the curves.
    """
    from matplotlib.lines import Line2D

    labels = list(dict.fromkeys(label for panel in panels for label in (*panel.curves, *panel.shares)))
    colours = dict(zip(labels, cycle(COLOURS), strict=False))
    drawn = sum(len(PARTS) * len(panel.curves) for panel in panels)
    points = max(2, min(MAX_POINTS, MAX_TOTAL_POINTS // max(1, drawn)))
    width, height = (WIDTH, 3.0) if len(panels) > 1 else (1.7 * WIDTH, 3.6)  # a single panel fills a page
    height += legend_height([panel.entries for panel in panels], width) if panels else 0
    with saved_panels(path, title, len(panels), width=width, height=height, share=False) as axes:
        axes[0].set_ylabel("fitness")
        for one, panel in zip(axes, panels, strict=True):
            longest = max((mean.shape[1] for mean, _ in panel.curves.values()), default=1)
            block = math.ceil(longest / points)
            for label, both in panel.curves.items():
                for fitness, (_, line) in zip(both, PARTS, strict=True):
                    at, mean, low, high = mean_band(fitness, block)
                    one.fill_between(at, low, high, color=colours[label], alpha=0.15, lw=0)
                    one.plot(at, mean, color=colours[label], ls=line, lw=1.3, label=label if line == "-" else None)
            for number, (label, (runs, _)) in enumerate(panel.curves.items(), 1):
                if 1 < len(runs) <= MOST_RUNS:
                    x = longest * (1 + SINGLE_STEP * number)
                    one.plot(
                        np.full(len(runs), x), last_tenth(runs), "o", color=colours[label], ms=2.5, mew=0, alpha=0.7
                    )
            for label, share in panel.shares.items():
                at, mean, low, high = mean_band(share, block, minimum=0.0)
                right = _share_axis(one, label)
                right.fill_between(at, low, high, color=colours[label], alpha=0.15, lw=0)
                right.plot(at, mean, color=colours[label], ls=":", lw=1.6)
                one.add_line(Line2D([], [], color=colours[label], ls=":", lw=1.6, label=label))
            for text, line in PARTS:
                one.add_line(Line2D([], [], color="grey", ls=line, label=text))
            if BANDS in panel.entries:
                explain_bands(one, BANDS)
            if panel.has_singles:
                one.add_line(Line2D([], [], color="grey", ls="", marker="o", ms=2.5, mew=0, label=SINGLES))
            right_end = longest * (1 + SINGLE_STEP * (len(panel.curves) + 1)) if panel.has_singles else longest - 1 or 1
            one.set(xlim=(0, right_end), ylim=(-1.03, 1.03), yticks=[-1, -0.5, 0, 0.5, 1])
            one.set_xlabel("generation" if block == 1 else f"generation (means over {block})")
            one.set_title(panel.title, loc="left", fontsize="medium")
        add_legends(axes)


def _share_axis(axes: "Axes", label: str) -> "Axes":
    """Return an axis on the right, from 0 to 1."""
    right = axes.twinx()
    right.set(ylim=(0, 1.015), ylabel=label, yticks=[0, 0.25, 0.5, 0.75, 1])
    right.spines["right"].set_visible(True)
    right.grid(visible=False)
    return right


def mean_band(
    fitness: NDArray[np.float64], block: int, minimum: float = -1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Average blocks of generations, then over runs.

    Args:
        fitness: [run, generation].
        block: generations that are averaged; the last block may have fewer.
        minimum: the smallest possible value; the largest is 1.

    Returns:
        [block] each: the middle of the block, the mean over runs, and the bounds of Student's 95 % interval, clipped to
        possible values; the mean itself for a single run.
    """
    runs, generations = fitness.shape
    starts = np.arange(0, generations, block)
    sizes = np.diff(np.append(starts, generations))
    means = np.add.reduceat(fitness, starts, axis=1) / sizes
    mean = means.mean(axis=0)
    spread = np.zeros_like(mean)
    if runs > 1:
        spread = stdtrit(runs - 1, (1 + CONFIDENCE) / 2) * means.std(axis=0, ddof=1) / math.sqrt(runs)
    return starts + (sizes - 1) / 2, mean, np.maximum(mean - spread, minimum), np.minimum(mean + spread, 1.0)


def learning_curve(metrics: list[dict[str, Any]], path: Path, title: str) -> None:
    """Draw the metrics of one run: dicts with `generation`, `mean`, `best` and perhaps `e`."""
    generations = [line["generation"] for line in metrics]
    with saved_plot(path, title) as axes:
        axes.plot(generations, [line["best"] for line in metrics], color=COLOURS[1], label="best of the generation")
        axes.plot(generations, [line["mean"] for line in metrics], color=COLOURS[0], label="mean of the generation")
        if metrics and "e" in metrics[0]:
            axes.plot(generations, [line["e"] for line in metrics], color=COLOURS[2], ls="--", label="opponent's e")
        axes.set(xlabel="generation", ylabel="fitness", ylim=(-1.05, 1.05))
        axes.legend(loc="lower right")


def champions_curve(
    metrics: list[dict[str, Any]], dominant: list[int], path: Path, title: str, against: str = ""
) -> None:
    """Draw the champions of both populations of a coevolution: their score against a player or their opponents.

    Args:
        metrics: dicts with `generation`, `population`, `score` and perhaps `absolute`.
        dominant: the generations of dominant champions, which are circled.
        path: where to save.
        title: the title.
        against: the player that `absolute` was measured against.
    """
    key, meaning = ("absolute", f"score against {against}") if against else ("score", "score against its opponents")
    with saved_plot(path, title) as axes:
        for colour, population in zip(COLOURS, ("a", "b"), strict=False):
            lines = [line for line in metrics if line["population"] == population]
            generations = [line["generation"] for line in lines]
            axes.plot(generations, [line[key] for line in lines], color=colour, lw=1, label=f"population {population}")
        circled = [metrics[generation][key] for generation in dominant]
        axes.plot(dominant, circled, "o", mfc="none", mec="black", ms=6, ls="", label="dominant")
        axes.set(xlabel="generation", ylabel=f"champion's {meaning}", ylim=(-1.05, 1.05))
        axes.legend(loc="lower right", ncols=3)


def ciao_plot(scores: NDArray[np.float64], path: Path, title: str) -> None:
    """Draw the scores [i, j] of the champions i of population a against the champions j of b: bright where a wins.

    Both axes count the generations of the run; the first are at the lower left.
    """
    first, second = scores.shape
    with saved_plot(path, title, 4.8, 4.2) as axes:
        axes.grid(visible=False)
        # population a was host in the generations 0, 2, 4 …, b in 1, 3, 5 …
        style: dict[str, Any] = {
            "cmap": "gray",
            "vmin": -1,
            "vmax": 1,
            "origin": "lower",
            "interpolation": "nearest",
            "aspect": "auto",
        }
        image = axes.imshow(scores, extent=(0, 2 * second, -1, 2 * first - 1), **style)
        axes.set(xlabel="generation of population b's champion", ylabel="generation of population a's champion")
        axes.figure.colorbar(image, ax=axes).set_label("score of a's champion")


def training_curve(lines: list[dict[str, Any]], path: Path, title: str) -> None:
    """Draw loss and accuracy during a run (C14 figure 6); vertical lines where the rate was lowered in a step."""
    with new_figure(7.2, 3.2, ncols=2) as (figure, (left, right)):
        for axes, name, label in ((left, "loss", "negative log likelihood"), (right, "accuracy", "accuracy, %")):
            factor = 100 if name == "accuracy" else 1
            for colour, line, key, split in (
                (COLOURS[0], "-", name, "training"),
                (COLOURS[1], "--", f"validation_{name}", "validation"),
            ):
                points = [(one["positions"] / 1000, factor * one[key]) for one in lines if key in one]
                if points:
                    axes.plot(*zip(*points, strict=True), color=colour, ls=line, label=split)
            for at in rate_drops(lines):
                axes.axvline(at / 1000, color="grey", ls=":", lw=1)
            axes.set(xlabel="positions seen, thousands", ylabel=label)
            if axes.get_legend_handles_labels()[1]:
                axes.legend()
        figure.suptitle(title, x=0.01, ha="left")
        save_figure(figure, path)


def rate_drops(lines: list[dict[str, Any]]) -> list[float]:
    """Return the positions after which the learning rate was lowered in a step; none for smooth schedules."""
    rates = [line["rate"] for line in lines]
    lowered = [i for i in range(1, len(rates)) if rates[i] < rates[i - 1]]
    if len(lowered) > len(rates) // 2:
        return []
    return [(lines[i]["positions"] + lines[i - 1]["positions"]) / 2 for i in lowered]


def validation_curves(runs: dict[str, list[dict[str, Any]]], path: Path, title: str) -> None:
    """Draw the accuracy on validation positions during several runs, label → metrics."""
    with saved_plot(path, title, 7.2, 3.6) as axes:
        for i, (label, lines) in enumerate(runs.items()):
            # with more runs than colours, the first and the eighth differ in line style
            style = {"color": COLOURS[i % len(COLOURS)], "ls": LINES[(i + i // len(COLOURS)) % len(LINES)]}
            found = [(one["positions"] / 1000, 100 * one["validation_accuracy"]) for one in lines]
            axes.plot(*zip(*found, strict=True), label=label, **style)
        axes.set(xlabel="positions seen, thousands", ylabel="accuracy on validation positions, %")
        axes.set_ylim(bottom=0)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def top_curve(curves: dict[str, list[Interval]], path: Path, title: str) -> None:
    """Draw how often the expert's move is among the best n, a curve per network (C14 figure 8, M15 figure 1)."""
    with saved_plot(path, title) as axes:
        _draw_curves(axes, {label: (np.arange(1, len(curve) + 1), curve) for label, curve in curves.items()})
        axes.set(xlabel="guesses n", ylabel="expert's move among the best n, %", ylim=(0, 101))
        axes.legend(loc="lower right")


def moves_curve(curves: dict[str, dict[int, PredictionMetrics]], path: Path) -> None:
    """Draw accuracy by move number, a curve per network (C14 figure 7), without groups of too few games."""
    drawn = {}
    for label, groups in curves.items():
        enough = large_enough(groups)
        middle = np.array(list(enough)) + (MOVES_A_GROUP + 1) / 2
        drawn[label] = middle, [metrics.accuracy for metrics in enough.values()]
    with saved_plot(path, "Accuracy by move number") as axes:
        _draw_curves(axes, drawn)
        axes.set(xlabel=f"move number (means over {MOVES_A_GROUP})", ylabel="accuracy, %")
        axes.set_ylim(bottom=0)
        axes.legend()


def _draw_curves(axes: "Axes", curves: dict[str, tuple[NDArray[Any], list[Interval]]]) -> None:
    """Draw shares, label → (x, shares from 0 to 1), as percentages with bands."""
    for (label, (x, curve)), colour, line in zip(curves.items(), cycle(COLOURS), cycle(LINES), strict=False):
        axes.plot(x, [100 * one.value for one in curve], color=colour, ls=line, label=label)
        low, high = [100 * one.low for one in curve], [100 * one.high for one in curve]
        axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
    explain_bands(axes, OVER_GAMES)


def accuracy_by_group(groups: dict[str, dict[str, Interval]], path: Path, what: str) -> None:
    """Draw accuracy by rank or board with 95 % intervals: network → group → accuracy; `what` names the groups."""
    names = list(dict.fromkeys(name for found in groups.values() for name in found))
    with saved_plot(path, f"Accuracy by {what}") as axes:
        for i, (label, found) in enumerate(groups.items()):
            at = np.array([names.index(name) for name in found]) + 0.12 * (i - (len(groups) - 1) / 2)
            values, errors = bars_of(list(found.values()), 100)
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
            axes.errorbar(at, values, errors, color=colour, marker=marker, ls="", capsize=3, label=label)
        axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > MAX_UPRIGHT_LABELS else 0)
        axes.set(xlabel=what, ylabel="accuracy, %")
        axes.set_ylim(bottom=0)
        axes.legend(title=f"bars: {OVER_GAMES}")


def plane_names(planes: str, settings: object) -> list[str]:
    """Return the names of the inputs of a network with these planes and settings; C14's may omit the last one, ko."""
    names = make_planes(planes).channels
    return list(names if getattr(settings, "ko", True) else names[:-1])


def filter_figure(
    filters: NDArray[np.float32],
    path: Path,
    title: str,
    planes: Sequence[str] = (),
    *,
    seed: int = 0,
) -> None:
    """Draw randomly chosen channels of convolution filters (C14 figure 3); white is 0, each has its own scale.

    Args:
        filters: float32[outputs, inputs, width, width].
        path: where to save.
        title: the title.
        planes: the names of the inputs; further inputs are the edge of the board, which C14 adds.
        seed: determines the choice.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    inputs = filters.shape[1]
    names = [*planes, *["edge of the board"] * (inputs - len(planes))] if planes else [""] * inputs
    flat = filters.reshape(-1, *filters.shape[2:])
    columns = 8
    chosen = np.random.default_rng(seed).permutation(len(flat))[: 4 * columns]
    rows = -(-len(chosen) // columns)
    cell, label, head, bar = 0.8, 0.3, 0.35, 0.75
    with blank_figure(columns * cell + bar, head + rows * (cell + label)) as figure:
        for i, number in enumerate(chosen):
            row, column = divmod(i, columns)
            x, y = column * cell + 0.05, head + row * (cell + label)
            output, channel = divmod(int(number), inputs)
            text = f"filter {output + 1}\n{textwrap.shorten(names[channel], 20, placeholder=' …')}".rstrip()
            place_text(figure, x, y, text, fontsize=5, linespacing=1.1)
            axes = place_axes(figure, x, y + label - 0.05, cell - 0.1, cell - 0.1)
            largest = float(np.abs(flat[number]).max()) or 1.0
            axes.imshow(flat[number], cmap=FILTER_COLOURS, vmin=-largest, vmax=largest)
            axes.axis("off")
        scale = place_axes(figure, columns * cell + 0.15, head + label, 0.1, rows * (cell + label) - label - 0.15)
        found = figure.colorbar(ScalarMappable(Normalize(-1, 1), FILTER_COLOURS), cax=scale, ticks=[-1, 0, 1])
        found.ax.tick_params(labelsize=6, length=2)
        found.set_label("weight, as a share of the largest of its picture", fontsize=6)
        scale.grid(visible=False)
        place_text(figure, 0.05, 0.08, title, fontsize=10)
        save_figure(figure, path)
