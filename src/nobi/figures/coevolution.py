"""A coevolutionary run: its champions (S08 figure 7), and those of one population against the other's (figure 8)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.figures.style import COLOURS, new_figure, save_figure


def champions_curve(
    metrics: list[dict[str, Any]], dominant: list[int], path: Path, title: str, against: str = ""
) -> None:
    """Draws the champions of both populations: their fitness against a player if that was measured, else the score.

    Args:
        metrics: a dict with `generation`, `population`, `score` and perhaps `absolute` for every generation.
        dominant: the generations whose champions are dominant; they are circled.
        path: where to save.
        title: stands above.
        against: the player that `absolute` was measured against.
    """
    key, meaning = ("absolute", f"score against {against}") if against else ("score", "score against its opponents")
    with new_figure() as (figure, axes):
        for colour, population in zip(COLOURS, ("a", "b"), strict=False):
            lines = [line for line in metrics if line["population"] == population]
            generations = [line["generation"] for line in lines]
            axes.plot(generations, [line[key] for line in lines], color=colour, lw=1, label=f"population {population}")
        circled = [metrics[generation][key] for generation in dominant]
        axes.plot(dominant, circled, "o", mfc="none", mec="black", ms=6, ls="", label="dominant")
        axes.set_xlabel("generation")
        axes.set_ylabel(f"champion's {meaning}")
        axes.set_ylim(-1.05, 1.05)
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right", ncols=3)
        save_figure(figure, path)


def ciao_plot(scores: NDArray[np.float64], path: Path, title: str) -> None:
    """Draws scores [i, j] of the champions i of population a against the champions j of b: bright where a wins.

    Both axes count the generations of the run; the first are at the lower left.
    """
    first, second = scores.shape
    with new_figure(4.8, 4.2) as (figure, axes):
        axes.grid(visible=False)
        # population a was host in the generations 0, 2, 4 …, b in 1, 3, 5 …
        extent = (0, 2 * second, -1, 2 * first - 1)
        image = axes.imshow(
            scores, cmap="gray", vmin=-1, vmax=1, origin="lower", extent=extent, interpolation="nearest", aspect="auto"
        )
        axes.set_xlabel("generation of population b's champion")
        axes.set_ylabel("generation of population a's champion")
        axes.set_title(title, loc="left")
        bar = figure.colorbar(image, ax=axes)
        bar.set_label("score of a's champion")
        save_figure(figure, path)
