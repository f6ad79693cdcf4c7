"""The look of all figures, and how they are saved."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nobi.files import write_whole

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
        write_whole(path.with_suffix(suffix), buffer.getvalue())
