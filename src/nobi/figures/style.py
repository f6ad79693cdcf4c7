"""The look of all figures, and how they are saved.

MERGED figures/grid.py: Panels side by side that share their axes: what the figures of the studies have in common.

MERGED figures/titles.py: Titles of figures in words: networks, games, trainers and optimisers as a reader calls them.
"""

import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nobi.spec import parse_spec
from nobi.storage import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which the colour-blind can tell apart."""

_STYLE: Any = {
    "figure.dpi": 150,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.hashsalt": "nobi",
}


@contextmanager
def blank_figure(width: float, height: float) -> Iterator["Figure"]:
    """An empty figure of so many inches in the common style; it needs no screen."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height))


@contextmanager
def new_figure(width: float = 6.0, height: float = 3.6, **subplots: Any) -> Iterator[tuple["Figure", Any]]:
    """A figure of so many inches and its axes, in the common style."""
    with blank_figure(width, height) as figure:
        figure.set_layout_engine("constrained")
        yield figure, figure.subplots(**subplots)


def place_axes(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """Axes at a place of their own, in inches from the upper left corner of the figure."""
    whole_width, whole_height = figure.get_size_inches()
    bottom = whole_height - top - height
    return figure.add_axes((left / whole_width, bottom / whole_height, width / whole_width, height / whole_height))


def place_text(figure: "Figure", left: float, top: float, text: str, **style: Any) -> None:
    """A line of text whose upper left corner is so many inches from that of the figure."""
    width, height = figure.get_size_inches()
    figure.text(left / width, 1 - top / height, text, **{"va": "top", **style})


def explain_bands(axes: "Axes", text: str = "95 % interval") -> None:
    """An entry of the legend that says what the bands around curves are."""
    axes.fill_between([], [], color="grey", alpha=0.25, lw=0, label=text)


def save_figure(figure: "Figure", path: Path) -> None:
    """Writes the figure as PNG and as SVG, without a date: the same figure is the same file."""
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix[1:], metadata=metadata)
        atomic_write(path.with_suffix(suffix), buffer.getvalue())


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


_NAMES = {
    "atari-go": "Atari-Go",
    "go": "Go",
    "gomoku": "Gomoku",
    "pente": "Pente",
    "mdrnn": "MDRNN",
    "mdlstm": "MDLSTM",
    "conv": "CONV",
    "mlp": "MLP",
    "stacked": "stacked network",
    "c14-small": "C14's small network",
    "c14-large": "C14's large network",
    "m15": "M15's network",
    "cmaes": "CMA-ES",
    "es": "an evolution strategy",
    "guess": "guessing",
    "nsga2": "NSGA-II",
    "sgd": "plain descent",
    "nesterov": "Nesterov's momentum",
    "adamw": "AdamW",
    "muon": "Muon",
    "naive": "the naive player",
    "random": "the random player",
    "heuristic": "the heuristic player",
}
_COLUMNS = 62
"""Letters of a title that stand side by side above a figure of usual width."""


def in_words(spec: str) -> str:
    """`mdlstm:hidden=3` → `MDLSTM (hidden 3)`; what has no other name keeps its own."""
    if spec.endswith(".safetensors"):
        return spec
    name, settings = parse_spec(spec)
    title = _NAMES.get(name, name)
    return f"{title} ({', '.join(f'{key} {value}' for key, value in settings.items())})" if settings else title


def boards_in_words(sizes: Sequence[int]) -> str:
    """`5x5, 7x7 and 9x9`."""
    *most, last = [f"{size}x{size}" for size in sizes]
    return f"{', '.join(most)} and {last}" if most else last


def title(text: str) -> str:
    """A sentence as a title: a capital letter at its beginning, and lines no longer than a figure is wide."""
    return textwrap.fill(text[:1].upper() + text[1:], _COLUMNS)
