"""The style of all figures, how they are saved, rows of panels, and readable names for titles."""

import io
import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nobi.games import TITLES
from nobi.spec import parse_spec
from nobi.storage import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nobi.statistics import Interval

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colour-blind safe palette of Okabe and Ito."""
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)))
"""As many line styles as colours, so that curves differ in both."""
MARKERS = "os^Dv<>"
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
_NAMES = {
    **TITLES,
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
_TITLE_COLUMNS = 62
"""Characters per line of a title above a figure of the usual width."""


@contextmanager
def blank_figure(width: float, height: float) -> Iterator["Figure"]:
    """Yield an empty figure in the common style, of a size in inches; it needs no display."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height))


@contextmanager
def new_figure(width: float = 6.0, height: float = 3.6, **subplots: Any) -> Iterator[tuple["Figure", Any]]:
    """Yield a figure in the common style, of a size in inches, and its axes."""
    with blank_figure(width, height) as figure:
        figure.set_layout_engine("constrained")
        yield figure, figure.subplots(**subplots)


@contextmanager
def saved_plot(path: Path, title: str, width: float = 6.0, height: float = 3.6) -> Iterator["Axes"]:
    """Yield the axes of a figure with a title, which is saved at the end."""
    with new_figure(width, height) as (figure, axes):
        yield axes
        axes.set_title(title, loc="left")
        save_figure(figure, path)


@contextmanager
def saved_panels(
    path: Path, title: str, panels: int, *, width: float, height: float, share: bool = True
) -> Iterator[list["Axes"]]:
    """Yield axes side by side, each of this size in inches; `share`: with common scales. Save the figure at the end."""
    if panels < 1:
        raise ValueError("a figure needs at least one panel")
    # a character of the title is at most a tenth of an inch wide
    title = textwrap.fill(title, int(10 * width * panels))
    size = width * panels, height + 0.2 * title.count("\n")
    with new_figure(*size, ncols=panels, squeeze=False, sharex=share, sharey=share) as (figure, axes):
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize="large")
        yield list(axes.flat)
        save_figure(figure, path)


def place_axes(figure: "Figure", left: float, top: float, width: float, height: float) -> "Axes":
    """Return axes at a position in inches from the upper left corner of the figure."""
    whole_width, whole_height = figure.get_size_inches()
    bottom = whole_height - top - height
    return figure.add_axes((left / whole_width, bottom / whole_height, width / whole_width, height / whole_height))


def place_text(figure: "Figure", left: float, top: float, text: str, **style: Any) -> None:
    """Place text with its upper left corner at a position in inches from that of the figure."""
    width, height = figure.get_size_inches()
    figure.text(left / width, 1 - top / height, text, **{"va": "top", **style})


def explain_bands(axes: "Axes", text: str = "95 % interval") -> None:
    """Add an entry for the bands around curves to the legend."""
    axes.fill_between([], [], color="grey", alpha=0.25, lw=0, label=text)


def bars_of(intervals: Sequence["Interval"], factor: float = 1.0) -> tuple[list[float], list[list[float]]]:
    """Return the values of intervals, times a factor, and the lengths of their error bars below and above."""
    below = [factor * abs(one.value - one.low) for one in intervals]
    above = [factor * abs(one.high - one.value) for one in intervals]
    return [factor * one.value for one in intervals], [below, above]


def add_legends(axes: Sequence["Axes"]) -> None:
    """Add one legend below all panels if they have the same entries, else one below each."""
    figure: Any = axes[0].figure
    entries = [one.get_legend_handles_labels() for one in axes]
    width = float(figure.get_size_inches()[0])
    small: dict[str, Any] = {"fontsize": "small", "handlelength": 2.6, "columnspacing": 1.2}
    if all(labels == entries[0][1] for _, labels in entries):
        figure.legend(*entries[0], loc="outside lower center", ncols=_legend_columns(width, entries[0][1]), **small)
        return
    for one, (_, labels) in zip(axes, entries, strict=True):
        legend_below(one, ncols=_legend_columns(width / len(axes), labels), **small)


def legend_below(axes: "Axes", **style: Any) -> None:
    """Add a legend below the axis label, at a distance that does not depend on the height of the panel."""
    from matplotlib.transforms import ScaledTranslation

    below = axes.transAxes + ScaledTranslation(0, -0.48, axes.figure.dpi_scale_trans)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, borderaxespad=0.0, **style)


def legend_height(entries: Sequence[Sequence[str]], width: float) -> float:
    """Return the inches that a panel of this width needs for its own legend; 0 if all panels share one."""
    if all(labels == entries[0] for labels in entries):
        return 0.0
    return 0.1 + 0.17 * max(math.ceil(len(labels) / _legend_columns(width, labels)) for labels in entries if labels)


def _legend_columns(width: float, labels: Sequence[str]) -> int:
    """Return the number of columns of a legend of this width in inches."""
    widest = 0.55 + 0.058 * max(map(len, labels), default=0)
    return max(1, min(len(labels), int((width - 0.3) / widest)))


def save_figure(figure: "Figure", path: Path) -> None:
    """Write the figure as PNG and SVG, without a date: the same figure is the same file."""
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        buffer = io.BytesIO()
        figure.savefig(buffer, format=suffix[1:], metadata=metadata)
        atomic_write(path.with_suffix(suffix), buffer.getvalue())


def in_words(spec: str) -> str:
    """Return a spec in words: `mdlstm:hidden=3` → `MDLSTM (hidden 3)`; unknown names are kept."""
    if spec.endswith(".safetensors"):
        return spec
    name, settings = parse_spec(spec)
    title = _NAMES.get(name, name)
    return f"{title} ({', '.join(f'{key} {value}' for key, value in settings.items())})" if settings else title


def boards_in_words(sizes: Sequence[int]) -> str:
    """Return board sizes as text, such as `5x5, 7x7 and 9x9`."""
    *most, last = [f"{size}x{size}" for size in sizes]
    return f"{', '.join(most)} and {last}" if most else last


def title(text: str) -> str:
    """Return a sentence as a title: with a capital letter, and lines no longer than a figure is wide."""
    return textwrap.fill(text[:1].upper() + text[1:], _TITLE_COLUMNS)
