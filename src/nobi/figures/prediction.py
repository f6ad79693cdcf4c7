"""What gradient training on expert moves is drawn as: C14's figures 3, 6, 7 and 8, M15's figure 1."""

import textwrap
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.arena.summary import Interval
from nobi.features import planes_named
from nobi.figures.grid import LINES
from nobi.figures.style import COLOURS, blank_figure, explain_bands, new_figure, place_axes, place_text, save_figure
from nobi.imitate.metrics import MOVES_A_GROUP, Quality, large_enough

OVER_GAMES = "95 % interval over games"
_FILTERS = "RdBu_r"
MOST_UPRIGHT = 14
"""Labels of an axis that stand side by side without turning."""


def training_curve(lines: list[dict[str, Any]], path: Path, title: str) -> None:
    """Loss and accuracy in the course of a run (C14 figure 6); vertical lines where the rate was lowered in a step.

    Args:
        lines: the metrics of the run.
        path: where to save.
        title: stands above.
    """
    with new_figure(7.2, 3.2, ncols=2) as (figure, (left, right)):
        for axes, name, label in ((left, "loss", "negative log likelihood"), (right, "accuracy", "accuracy, %")):
            factor = 100 if name == "accuracy" else 1
            for colour, line, key, what in (
                (COLOURS[0], "-", name, "training"),
                (COLOURS[1], "--", f"validation_{name}", "validation"),
            ):
                points = [(one["positions"] / 1000, factor * one[key]) for one in lines if key in one]
                if points:
                    axes.plot(*zip(*points, strict=True), color=colour, ls=line, label=what)
            for at in annealed_at(lines):
                axes.axvline(at / 1000, color="grey", ls=":", lw=1)
            axes.set(xlabel="positions seen, thousands", ylabel=label)
            if axes.get_legend_handles_labels()[1]:
                axes.legend()
        figure.suptitle(title, x=0.01, ha="left")
        save_figure(figure, path)


def validation_curves(runs: dict[str, list[dict[str, Any]]], path: Path, title: str) -> None:
    """Accuracy on validation positions in the course of several runs.

    Args:
        runs: label → the metrics of the run.
        path: where to save.
        title: stands above.
    """
    with new_figure(7.2, 3.6) as (figure, axes):
        # a run more than there are colours: the line tells the first from the eighth
        styles = zip(
            cycle(COLOURS), [LINES[(i + i // len(COLOURS)) % len(LINES)] for i in range(len(runs))], strict=False
        )
        for (label, lines), (colour, line) in zip(runs.items(), styles, strict=True):
            found = [(one["positions"] / 1000, 100 * one["validation_accuracy"]) for one in lines]
            axes.plot(*zip(*found, strict=True), color=colour, ls=line, label=label)
        axes.set(xlabel="positions seen, thousands", ylabel="accuracy on validation positions, %")
        axes.set_ylim(bottom=0)
        axes.set_title(title, loc="left")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        save_figure(figure, path)


def annealed_at(lines: list[dict[str, Any]]) -> list[float]:
    """After how many positions the rate was lowered, if that happened now and then; for smooth schedules, nowhere."""
    rates = [line["rate"] for line in lines]
    lowered = [i for i in range(1, len(rates)) if rates[i] < rates[i - 1]]
    if len(lowered) > len(rates) // 2:
        return []
    return [(lines[i]["positions"] + lines[i - 1]["positions"]) / 2 for i in lowered]


def top_curve(curves: dict[str, list[Interval]], path: Path, title: str) -> None:
    """How often the expert's move is among the best n, a curve a network (C14 figure 8, M15 figure 1)."""
    with new_figure() as (figure, axes):
        for (label, curve), colour, line in zip(curves.items(), cycle(COLOURS), cycle(LINES), strict=False):
            guesses = np.arange(1, len(curve) + 1)
            axes.plot(guesses, [100 * one.value for one in curve], color=colour, ls=line, label=label)
            _band(axes, guesses, curve, colour)
        explain_bands(axes, OVER_GAMES)
        axes.set(xlabel="guesses n", ylabel="expert's move among the best n, %", ylim=(0, 101))
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right")
        save_figure(figure, path)


def moves_curve(curves: dict[str, dict[int, Quality]], path: Path, title: str = "Accuracy by move number") -> None:
    """Accuracy by how many moves were made, a curve a network (C14 figure 7); groups of too few games are left out."""
    with new_figure() as (figure, axes):
        for (label, groups), colour, line in zip(curves.items(), cycle(COLOURS), cycle(LINES), strict=False):
            enough = large_enough(groups)
            middle = np.array(list(enough)) + (MOVES_A_GROUP + 1) / 2
            accuracy = [quality.accuracy for quality in enough.values()]
            axes.plot(middle, [100 * one.value for one in accuracy], color=colour, ls=line, label=label)
            _band(axes, middle, accuracy, colour)
        explain_bands(axes, OVER_GAMES)
        axes.set(xlabel=f"move number (means over {MOVES_A_GROUP})", ylabel="accuracy, %")
        axes.set_ylim(bottom=0)
        axes.set_title(title, loc="left")
        axes.legend()
        save_figure(figure, path)


def accuracy_by_group(groups: dict[str, dict[str, Interval]], path: Path, what: str) -> None:
    """Accuracy by rank or board, with 95 % intervals.

    Args:
        groups: network → name of the group → accuracy.
        path: where to save.
        what: what the groups are.
    """
    names = list(dict.fromkeys(name for found in groups.values() for name in found))
    with new_figure() as (figure, axes):
        for i, (label, found) in enumerate(groups.items()):
            at = np.array([names.index(name) for name in found]) + 0.12 * (i - (len(groups) - 1) / 2)
            values = np.array([[100 * one.value, 100 * one.low, 100 * one.high] for one in found.values()])
            errors = np.abs(values[:, 1:] - values[:, :1]).T
            colour, marker = COLOURS[i % len(COLOURS)], "os^Dv<>"[i % 7]
            axes.errorbar(at, values[:, 0], errors, color=colour, marker=marker, ls="", capsize=3, label=label)
        axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > MOST_UPRIGHT else 0)
        axes.set(xlabel=what, ylabel="accuracy, %")
        axes.set_ylim(bottom=0)
        axes.set_title(f"Accuracy by {what}", loc="left")
        axes.legend(title=f"bars: {OVER_GAMES}")
        save_figure(figure, path)


def plane_names(planes: str, settings: object) -> list[str]:
    """The names of the inputs of a network with these planes and settings; C14's may do without the last, ko."""
    names = planes_named(planes).channels
    return list(names if getattr(settings, "ko", True) else names[:-1])


def filter_figure(
    filters: NDArray[np.float32],
    path: Path,
    title: str,
    planes: Sequence[str] = (),
    *,
    rows: int = 4,
    columns: int = 8,
    seed: int = 0,
) -> None:
    """Channels of convolution filters drawn at random from all (C14 figure 3); white is 0, each with its own scale.

    Args:
        filters: float32[outputs, inputs, width, width].
        path: where to save.
        title: stands above.
        planes: the names of the inputs; an input that is not named is the edge of the board, which C14 adds.
        rows: of pictures.
        columns: of pictures.
        seed: chooses which.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    inputs = filters.shape[1]
    names = [*planes, *["edge of the board"] * (inputs - len(planes))] if planes else [""] * inputs
    flat = filters.reshape(-1, *filters.shape[2:])
    chosen = np.random.default_rng(seed).permutation(len(flat))[: rows * columns]
    rows = -(-len(chosen) // columns)
    cell, label, head, bar = 0.8, 0.3, 0.35, 0.75
    with blank_figure(columns * cell + bar, head + rows * (cell + label)) as figure:
        for place, number in enumerate(chosen):
            line, column = divmod(place, columns)
            x, y = column * cell + 0.05, head + line * (cell + label)
            output, channel = divmod(int(number), inputs)
            text = f"filter {output + 1}\n{textwrap.shorten(names[channel], 20, placeholder=' …')}".rstrip()
            place_text(figure, x, y, text, fontsize=5, linespacing=1.1)
            axes = place_axes(figure, x, y + label - 0.05, cell - 0.1, cell - 0.1)
            strongest = float(np.abs(flat[number]).max()) or 1.0
            axes.imshow(flat[number], cmap=_FILTERS, vmin=-strongest, vmax=strongest)
            axes.axis("off")
        scale = place_axes(figure, columns * cell + 0.15, head + label, 0.1, rows * (cell + label) - label - 0.15)
        found = figure.colorbar(ScalarMappable(Normalize(-1, 1), _FILTERS), cax=scale, ticks=[-1, 0, 1])
        found.ax.tick_params(labelsize=6, length=2)
        found.set_label("weight, as a share of the largest of its picture", fontsize=6)
        scale.grid(visible=False)
        place_text(figure, 0.05, 0.08, title, fontsize=10)
        save_figure(figure, path)


def _band(axes: Any, at: NDArray[Any], curve: list[Interval], colour: str) -> None:
    low, high = [100 * one.low for one in curve], [100 * one.high for one in curve]
    axes.fill_between(at, low, high, color=colour, alpha=0.2, lw=0)
