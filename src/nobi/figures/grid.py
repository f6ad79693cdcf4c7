"""Panels side by side that share their axes: what the figures of the studies have in common."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nobi.figures.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
"""As many styles of lines as there are colours: curves can be told apart without either."""


@contextmanager
def panel_grid(
    panels: int, columns: int, title: str, *, width: float, height: float, share: bool = True
) -> Iterator[tuple["Figure", list["Axes"]]]:
    """A figure with so many panels in rows of `columns`, each about `width` by `height` inches, and a title above all.

    The panels share their axes, whose labels stand at the edges, unless `share` is off.
    """
    if panels < 1 or columns < 1:
        raise ValueError(f"a figure needs at least one panel and one column, not {panels} and {columns}")
    columns = min(columns, panels)
    rows = math.ceil(panels / columns)
    with new_figure(
        width * columns, height * rows, nrows=rows, ncols=columns, squeeze=False, sharex=share, sharey=share
    ) as (figure, grid):
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize="large")
        axes = list(grid.flat)
        for unused in axes[panels:]:
            unused.remove()
        yield figure, axes[:panels]


def label_edges(axes: Sequence["Axes"], columns: int, xlabel: str, ylabel: str) -> None:
    """Labels the axes of the first column and of the panels that have none below them."""
    for place, one in enumerate(axes):
        if place % columns == 0:
            one.set_ylabel(ylabel)
        if place + columns >= len(axes):
            one.set_xlabel(xlabel)
            one.tick_params(labelbottom=True)


def add_legends(figure: "Figure", axes: Sequence["Axes"]) -> None:
    """One legend below all panels if they have the same entries, else one below each; none ever hides a curve."""
    entries = [one.get_legend_handles_labels() for one in axes]
    width = float(figure.get_size_inches()[0])
    small: dict[str, Any] = {"fontsize": "small", "handlelength": 2.6, "columnspacing": 1.2}
    if all(labels == entries[0][1] for _, labels in entries):
        figure.legend(*entries[0], loc="outside lower center", ncols=_fitting(width, entries[0][1]), **small)
        return
    side_by_side = axes[0].get_gridspec().ncols  # type: ignore[union-attr]
    for one, (_, labels) in zip(axes, entries, strict=True):
        columns = _fitting(width / side_by_side, labels)
        legend_below(figure, one, ncols=columns, **small)


def legend_below(figure: "Figure", axes: "Axes", **style: Any) -> None:
    """A legend below the label of the axis, at a distance that does not depend on how high the panel becomes."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -0.48, figure.dpi_scale_trans)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, borderaxespad=0.0, **style)


def legend_height(entries: Sequence[Sequence[str]], width: float) -> float:
    """By how many inches a panel of this width grows if it gets a legend of its own; 0 if one legend serves all."""
    if all(labels == entries[0] for labels in entries):
        return 0.0
    return 0.1 + 0.17 * max(math.ceil(len(labels) / _fitting(width, labels)) for labels in entries if labels)


def _fitting(width: float, labels: Sequence[str]) -> int:
    """How many columns a legend of this many inches can have."""
    width -= 0.3
    widest = 0.55 + 0.058 * max(map(len, labels), default=0)
    return max(1, min(len(labels), int(width / widest)))
