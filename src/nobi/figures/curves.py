"""Shares, such as of games won, against a number: lines with 95 % intervals."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nobi.arena.summary import Interval
from nobi.figures.style import COLOURS, new_figure, save_figure


def share_lines(
    lines: Mapping[str, Sequence[tuple[float, Interval]]],
    path: Path,
    title: str,
    *,
    xlabel: str,
    ylabel: str,
    logarithmic: bool = True,
) -> None:
    """Draws shares of 0 to 1 as percentages.

    Args:
        lines: label → (where, share) in order.
        path: where to save.
        title: stands above.
        xlabel: what the numbers are.
        ylabel: what the shares are.
        logarithmic: whether equal factors are equal distances.
    """
    with new_figure() as (figure, axes):
        ticks: list[float] = []
        for colour, marker, (label, points) in zip(COLOURS, "os^Dv<>", lines.items(), strict=False):
            at = [x for x, _ in points]
            ticks += [x for x in at if x not in ticks]
            values = [100 * share.value for _, share in points]
            errors = [
                [100 * (share.value - share.low) for _, share in points],
                [100 * (share.high - share.value) for _, share in points],
            ]
            axes.errorbar(at, values, yerr=errors, marker=marker, color=colour, label=label, capsize=3, lw=1.3)
        if logarithmic:
            axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{x:,.0f}" for x in ticks])
        axes.minorticks_off()
        axes.axhline(50, color="grey", ls=":", lw=1)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(-2, 102))
        axes.set_title(title, loc="left")
        axes.legend(loc="lower right", title="bars: 95 % interval")
        save_figure(figure, path)
