"""Global pooling and the gradient of normalisation, compiled: operations on whole boards between convolutions.

All arrays are flat; `x` is [board, cell, channel] as in `winograd`. z = x · scale + shift is the output of a batch
normalisation, with `scale` and `shift` per channel.
"""

import numpy as np

from nobi.compiling import compiled
from nobi.nn.simd import LANES, load, splat, store, where_larger
from nobi.nn.transforms import Floats

_F = np.float32


@compiled
def pool(
    x: Floats, scale: Floats, shift: Floats, pooled: Floats, place: Floats, boards: int, cells: int, channels: int
) -> None:
    """Compute the mean and the maximum of relu(z) over each board.

    Args:
        x: [board, cell, channel].
        scale: [channel].
        shift: [channel].
        pooled: [board, 2, channel] receives mean and maximum.
        place: [board, channel] receives the first cell with the maximum.
        boards: number of boards.
        cells: cells of a board.
        channels: a multiple of PANEL.
    """
    zero, inverse = splat(_F(0)), splat(_F(1) / _F(cells))
    for board in range(boards):
        for c in range(0, channels, LANES):
            factor, offset = load(scale, c), load(shift, c)
            total, largest, where = zero, zero, zero
            for cell in range(cells):
                value = load(x, (board * cells + cell) * channels + c) * factor + offset
                value = where_larger(value, zero, value, zero)
                total = total + value
                where = where_larger(value, largest, splat(_F(cell)), where)
                largest = where_larger(value, largest, value, largest)
            store(pooled, 2 * board * channels + c, total * inverse)
            store(pooled, (2 * board + 1) * channels + c, largest)
            store(place, board * channels + c, where)


@compiled
def pool_back(
    x: Floats, scale: Floats, shift: Floats, gradient: Floats, place: Floats, dz: Floats, dshift: Floats,
    dscale: Floats, boards: int, cells: int, channels: int,
) -> None:  # fmt: skip
    """Add the gradient of `pool` to dz [board, cell, channel], and to its sums over each board.

    Args:
        x: as in `pool`.
        scale: as in `pool`.
        shift: as in `pool`.
        gradient: [board, 2, channel] of `pooled`.
        place: as written by `pool`.
        dz: the gradient of z so far.
        dshift: [board, channel] the sums of dz.
        dscale: [board, channel] the sums of dz · x.
        boards: number of boards.
        cells: cells of a board.
        channels: a multiple of PANEL.
    """
    zero, inverse = splat(_F(0)), splat(_F(1) / _F(cells))
    for board in range(boards):
        for c in range(0, channels, LANES):
            factor, offset = load(scale, c), load(shift, c)
            mean = load(gradient, 2 * board * channels + c) * inverse
            total, weighted = zero, zero
            for cell in range(cells):
                at = (board * cells + cell) * channels + c
                own = load(x, at)
                change = where_larger(own * factor + offset, zero, mean, zero)
                total, weighted = total + change, weighted + change * own
                store(dz, at, load(dz, at) + change)
            store(dshift, board * channels + c, load(dshift, board * channels + c) + total)
            store(dscale, board * channels + c, load(dscale, board * channels + c) + weighted)
        for c in range(channels):
            at = (board * cells + int(place[board * channels + c])) * channels + c
            if x[at] * scale[c] + shift[c] > _F(0):
                change = gradient[(2 * board + 1) * channels + c]
                dz[at] += change
                dshift[board * channels + c] += change
                dscale[board * channels + c] += change * x[at]


@compiled
def activate(x: Floats, scale: Floats, shift: Floats, y: Floats, rows: int, channels: int) -> None:
    """Set y [row, channel] to relu(x · scale + shift)."""
    zero = splat(_F(0))
    for row in range(rows):
        for c in range(0, channels, LANES):
            at = row * channels + c
            value = load(x, at) * load(scale, c) + load(shift, c)
            store(y, at, where_larger(value, zero, value, zero))


@compiled
def activate_back(
    x: Floats, y: Floats, dy: Floats, dz: Floats, dshift: Floats, dscale: Floats, boards: int, cells: int, channels: int
) -> None:
    """Compute dz, the gradient of z for y = relu(z); dshift and dscale [board, channel] sum dz and dz · x."""
    zero = splat(_F(0))
    for board in range(boards):
        for c in range(0, channels, LANES):
            total, weighted = zero, zero
            for cell in range(cells):
                at = (board * cells + cell) * channels + c
                value = where_larger(load(y, at), zero, load(dy, at), zero)
                total, weighted = total + value, weighted + value * load(x, at)
                store(dz, at, value)
            store(dshift, board * channels + c, total)
            store(dscale, board * channels + c, weighted)


@compiled
def normalise_back(
    dz: Floats, x: Floats, scale: Floats, slope: Floats, offset: Floats, more: Floats, rows: int, channels: int
) -> None:
    """Set dz to dz · scale + x · slope + offset (+ more): the gradient of a batch normalisation's input."""
    for row in range(rows):
        for c in range(0, channels, LANES):
            at = row * channels + c
            value = load(dz, at) * load(scale, c) + (load(x, at) * load(slope, c) + load(offset, c))
            if len(more) > 0:
                value = value + load(more, at)
            store(dz, at, value)
