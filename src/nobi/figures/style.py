"""The look of all figures, and how they are saved."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nobi.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which the colour-blind can tell apart."""

_STYLE: Any = {
    "figure.constrained_layout.use": True,
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
def new_figure(width: float = 6.0, height: float = 3.6, **subplots: Any) -> Iterator[tuple["Figure", Any]]:
    """A figure of so many inches and its axes, in the common style; it needs no screen."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height))
        yield figure, figure.subplots(**subplots)


def save_figure(figure: "Figure", path: Path) -> None:
    """Writes the figure as PNG and as SVG, without a date: the same figure is the same file."""
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix[1:], metadata=metadata)
        write_whole(path.with_suffix(suffix), buffer.getvalue())
