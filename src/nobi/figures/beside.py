"""Our figures beside the paper's, a line a case."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nobi.arena.summary import Interval
from nobi.figures.style import COLOURS, new_figure, save_figure


@dataclass(frozen=True)
class Beside:
    """One case."""

    label: str
    ours: Interval
    paper: float | None = None


def beside_paper(cases: Sequence[Beside], path: Path, title: str, what: str) -> None:
    """Draws ours with 95 % intervals and the paper's figures, from the first case at the top to the last.

    Args:
        cases: what is compared.
        path: where to save.
        title: stands above.
        what: the figure, and its unit.
    """
    at = np.arange(len(cases), dtype=np.float64)
    with new_figure(6.0, 0.9 + 0.32 * len(cases)) as (figure, axes):
        values = np.array([[case.ours.value, case.ours.low, case.ours.high] for case in cases])
        errors = np.abs(values[:, 1:] - values[:, :1]).T
        axes.errorbar(
            values[:, 0], at - 0.12, xerr=errors, color=COLOURS[0], marker="o", ls="", capsize=3, label="ours, 95 %"
        )
        papers = [(case.paper, place + 0.12) for place, case in zip(at, cases, strict=True) if case.paper is not None]
        if papers:
            axes.plot(*zip(*papers, strict=True), color=COLOURS[1], marker="D", ls="", label="paper")
        if values[:, 1].min() < 0 or min((paper for paper, _ in papers), default=0) < 0:
            axes.axvline(0, color="grey", lw=1)
        axes.set_yticks(at, [case.label for case in cases])
        axes.set_ylim(len(cases) - 0.5, -0.5)
        axes.set_xlabel(what)
        axes.set_title(title, loc="left")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        save_figure(figure, path)
