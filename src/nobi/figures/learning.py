"""Learning curves: mean and best fitness of every generation (S08 figure 6, S09 figure 3)."""

from pathlib import Path
from typing import Any

from nobi.figures.style import COLOURS, new_figure, save_figure


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
