"""A position as an SVG picture, for notebooks."""

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import COLUMNS, is_star

CELL = 26
"""Pixels from one line to the next."""

_WOOD, _LINE, _TEXT = "#e3b768", "#4a3a1d", "#5c4a26"
_STONES = {BLACK: ("#1b1b1b", "#000"), WHITE: ("#fafafa", "#777")}


def board_svg(colours: NDArray[np.uint8], last: tuple[int, int] | None = None) -> str:
    """The stones `colours` [n, n] on a wooden board with coordinates; the latest move, (row, column), is marked."""
    size = len(colours)
    width = CELL * (size + 1)
    lines, stars, stones, labels = [], [], [], []
    first, end = CELL, CELL * size
    for i in range(size):
        at = CELL * (i + 1)
        lines.append(f"M{first} {at}H{end}M{at} {first}V{end}")
        labels.append(f'<text x="{at}" y="{width - 3}">{COLUMNS[i]}</text><text x="8" y="{at + 3}">{size - i}</text>')
        for j in range(size):
            x, y = CELL * (j + 1), at
            if (colour := int(colours[i, j])) in _STONES:
                fill, edge = _STONES[colour]
                stones.append(f'<circle cx="{x}" cy="{y}" r="{0.47 * CELL:.1f}" fill="{fill}" stroke="{edge}"/>')
            elif is_star(i, j, size):
                stars.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{_LINE}"/>')
    if last is not None:
        row, column = last
        mark = "#fff" if colours[row, column] == BLACK else "#000"
        stones.append(
            f'<circle cx="{CELL * (column + 1)}" cy="{CELL * (row + 1)}" r="{0.2 * CELL:.1f}" fill="none" '
            f'stroke="{mark}" stroke-width="2"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width}" width="{width}" height="{width}">'
        f'<rect width="{width}" height="{width}" rx="4" fill="{_WOOD}"/>'
        f'<path d="{"".join(lines)}" stroke="{_LINE}" stroke-width="1" fill="none"/>{"".join(stars)}{"".join(stones)}'
        f'<g font-family="sans-serif" font-size="9" fill="{_TEXT}" text-anchor="middle">{"".join(labels)}</g></svg>'
    )
