"""A table of conclusions under several readings of a paper, as a figure with coloured cells."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nobi.figures.style import COLOURS, new_figure, save_figure
from nobi.statistics import Interval

GROUND = {True: "#9fd3c7", False: "#f2b199", None: "#e6e6e6"}
"""Whether an effect is positive → the colour of its cell."""
MEANING = {
    True: "as the paper claims",
    False: "the opposite",
    None: "undecided",
}
_WIDTH, _HEIGHT = 0.82, 0.27


@dataclass(frozen=True)
class Conclusion:
    """A conclusion and its effect under each reading; above 0 the conclusion holds."""

    name: str
    effects: Mapping[str, Interval]


def conclusion_table(conclusions: Sequence[Conclusion], path: Path, title: str) -> None:
    """Draw a row for each conclusion and a column for each reading, the first of which is the default.

    The number in a cell is the effect; cells whose effect equals the default's exactly have no number.
    """
    readings = list(conclusions[0].effects)
    default = readings[0]
    width, height = 4.6 + _WIDTH * len(readings), 1.9 + _HEIGHT * len(conclusions)
    with new_figure(width, height) as (figure, axes):
        from matplotlib.patches import Patch, Rectangle

        for row, conclusion in enumerate(conclusions):
            for column, reading in enumerate(readings):
                effect = conclusion.effects[reading]
                same = reading != default and effect == conclusion.effects[default]
                ground = GROUND[effect.is_positive]
                axes.add_patch(Rectangle((column, row), 1, 1, fc=ground, ec="white", lw=1.5, alpha=0.45 if same else 1))
                if not same:
                    digits = 1 if abs(effect.value) >= 10 else 2
                    text = f"{effect.value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")
                    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize="small")
        axes.set(xlim=(0, len(readings)), ylim=(len(conclusions), 0))
        axes.set_yticks([row + 0.5 for row in range(len(conclusions))], [one.name for one in conclusions])
        axes.set_xticks([column + 0.5 for column in range(len(readings))], [textwrap.fill(one, 13) for one in readings])
        axes.tick_params(length=0, labelsize="small")
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        for side in axes.spines.values():
            side.set_visible(False)
        axes.axvline(1, color=COLOURS[-1], lw=1)
        keys = [Patch(fc=GROUND[holds], label=MEANING[holds]) for holds in (True, None, False)]
        keys.append(Patch(fc=GROUND[True], alpha=0.45, label="pale: the same runs as the default"))
        figure.legend(handles=keys, loc="outside lower center", ncols=4, fontsize="small")
        figure.suptitle(title, x=0.01, ha="left", fontsize="large")
        save_figure(figure, path)
