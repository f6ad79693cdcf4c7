"""The evaluation of a position by a network: board, output (S08 figure 2, S09 figure 1), hidden units of all sweeps."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, PASS
from nobi.board.text import row_column
from nobi.figures.board import draw_board, draw_stones, set_board_axes
from nobi.figures.style import COLOURS, blank_figure, place_axes, place_text, save_figure
from nobi.games.base import COLOUR_NAMES
from nobi.players.inspection import Inspection, LayerInspection, colours_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


WIDTH, MARGIN, SIDE = 7.2, 0.3, 2.6
"""Inches: the figure, its margin, the board."""
BAR, BAR_SPACE = 0.12, 0.7
"""Inches: a colour bar without and with its numbers."""
MAP_SPACE = WIDTH - 2 * MARGIN - BAR_SPACE
"""Inches to the left of the colour bars."""
ARROW, GAP, HEADING, SPACING = 0.3, 0.06, 0.38, 0.2
"""Inches: the column of arrows, the space between maps, the text above a block of maps, the space around a block."""
SMALLEST_MAP, LARGEST_MAP, MOST_UNITS = 0.4, 0.7, 10


@dataclass(frozen=True)
class Block:
    """The maps of up to MOST_UNITS units of a layer in its sweeps with the same forget gates."""

    title: str
    arrows: list[str]
    first: int
    """The number of the first unit."""
    maps: NDArray[np.float32]
    """[sweep, unit, n, n]"""


@dataclass(frozen=True)
class Plan:
    """The layout of blocks: the number of rows, blocks per row, and in inches the size of a block and of a map."""

    rows: int
    across: int
    width: float
    height: float
    side: float


def inside_figure(view: Inspection, path: Path, title: str) -> None:
    """Draw the evaluation of a position by a network."""
    blocks = list(blocks_of(view.layers))
    plan = plan_of(blocks)
    top = 0.75
    below = top + SIDE + 0.45
    with blank_figure(WIDTH, below + plan.rows * plan.height) as figure:
        place_text(figure, MARGIN + 0.2, 0.15, title, fontsize=10)
        _draw_top(figure, view, top)
        if blocks:
            _draw_blocks(figure, blocks, plan, below)
        save_figure(figure, path)


def blocks_of(layers: list[LayerInspection]) -> Iterator[Block]:
    """Yield the hidden units of all layers in blocks."""
    for number, layer in enumerate(layers, 1):
        name = f"layer {number}" if len(layers) > 1 else "hidden units"
        if layer.is_tanh:  # the outputs are ±1 nearly everywhere, so that all maps would look the same
            name += ", before tanh"
        maps = layer.inputs() if layer.is_tanh else layer.hidden
        units = layer.hidden.shape[1]
        width = -(-units // -(-units // MOST_UNITS))
        for gates in dict.fromkeys(label.gates for label in layer.sweeps):
            chosen = [d for d, label in enumerate(layer.sweeps) if label.gates == gates]
            title = f"{name}, forget gates: {gates}" if gates else name
            arrows = [layer.sweeps[d].arrow for d in chosen]
            for first in range(0, units, width):
                yield Block(title, arrows, first + 1, maps[chosen, first : first + width])


def plan_of(blocks: list[Block]) -> Plan:
    """Return the layout: two blocks per row, unless their maps would be too small."""
    if not blocks:
        return Plan(0, 1, 0.0, 0.0, 0.0)
    units = max(block.maps.shape[1] for block in blocks)
    across = 2 if len(blocks) > 1 and ARROW + units * (SMALLEST_MAP + GAP) + SPACING <= MAP_SPACE / 2 else 1
    side = min(LARGEST_MAP, (MAP_SPACE / across - ARROW - SPACING) / units - GAP)
    width = MAP_SPACE / across if across > 1 else ARROW + units * (side + GAP) + SPACING
    height = HEADING + len(blocks[0].arrows) * (side + GAP) + SPACING
    return Plan(-(-len(blocks) // across), across, width, height, side)


def _draw_bar(figure: "Figure", image: Any, axes: Any) -> None:
    bar = figure.colorbar(image, cax=axes)
    bar.outline.set_linewidth(0.5)
    axes.grid(False)
    axes.tick_params(labelsize=7, length=2, width=0.5, pad=2)


def _draw_top(figure: "Figure", view: Inspection, top: float) -> None:
    """Draw the board at the left and the output at the right."""
    game = view.game
    left, right = MARGIN + 0.2, MARGIN + MAP_SPACE - SIDE
    last = game.moves[-1] if game.moves else PASS
    colours = colours_of(game)
    turn = "the game is over" if game.is_over else f"{COLOUR_NAMES[game.to_move]} to move"
    place_text(figure, left, top - 0.25, f"position, {turn}")
    place_text(figure, right, top - 0.25, f"{view.measure}, brighter is better")
    at = row_column(last, game.size) if last != PASS else None
    draw_board(place_axes(figure, left, top, SIDE, SIDE), colours, last=at)
    _draw_output(figure, view, colours, right, top)


def _draw_output(figure: "Figure", view: Inspection, colours: NDArray[np.uint8], left: float, top: float) -> None:
    """Draw the values of the legal moves, the best with a frame; elsewhere stones, or × on an empty point."""
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    size = view.game.size
    legal = view.game.legal_mask()
    shown = next(mask for mask in (legal, colours == EMPTY, ~legal) if mask.any())  # all points when the game is over
    axes = place_axes(figure, left, top, SIDE, SIDE)
    colour_map = colormaps["viridis"].with_extremes(bad="0.87")
    image = axes.imshow(np.ma.masked_where(~shown, view.output), cmap=colour_map, interpolation="none")
    step = set_board_axes(axes, size)
    draw_stones(axes, colours, radius=0.3, line=0.6)
    rows, columns = np.nonzero((colours == EMPTY) & ~shown)
    axes.plot(columns, rows, "x", color="0.45", markersize=0.3 * step, markeredgewidth=0.8)
    for move in view.best:
        if move != PASS:
            row, column = row_column(move, size)
            frame = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=COLOURS[1], zorder=5)
            frame.set_linewidth(min(2.5, 0.15 * step))
            axes.add_patch(frame)
    edge = 0.1 * step / 72  # the margin of the axes around the squares
    _draw_bar(figure, image, place_axes(figure, left + SIDE + SPACING, top + edge, BAR, SIDE - 2 * edge))


def _draw_blocks(figure: "Figure", blocks: list[Block], plan: Plan, top: float) -> None:
    """Draw all blocks, with one colour bar."""
    largest = max(float(np.abs(block.maps).max()) for block in blocks) or 1.0
    style = {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest, "interpolation": "none"}
    left = MARGIN + (MAP_SPACE - plan.across * plan.width) / 2
    image = None
    for i, block in enumerate(blocks):
        row, column = divmod(i, plan.across)
        image = _draw_block(figure, block, left + column * plan.width, top + row * plan.height, plan.side, style)
    right = left + plan.across * plan.width + SPACING
    _draw_bar(figure, image, place_axes(figure, right, top + HEADING, BAR, plan.height - HEADING - GAP - SPACING))


def _draw_block(figure: "Figure", block: Block, left: float, top: float, side: float, style: dict[str, Any]) -> Any:
    """Draw the maps of a block, a row per sweep and a column per unit; return one of them."""
    place_text(figure, left + ARROW, top, block.title, fontsize=8)
    image = None
    for row, (arrow, maps) in enumerate(zip(block.arrows, block.maps, strict=True)):
        y = top + HEADING + row * (side + GAP)
        place_text(figure, left + ARROW / 2, y + side / 2, arrow, fontsize=11, ha="center", va="center")
        for column, values in enumerate(maps):
            x = left + ARROW + column * (side + GAP)
            if row == 0:
                unit = str(block.first + column)
                place_text(figure, x + side / 2, y - 0.04, unit, fontsize=7, ha="center", va="bottom")
            axes = place_axes(figure, x, y, side, side)
            image = axes.imshow(values, **style)
            axes.set(xticks=[], yticks=[])
            axes.spines[:].set(visible=True, linewidth=0.4)
    return image
