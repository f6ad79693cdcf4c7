"""The compiled loops of Winograd convolutions on boards, forward and backward; `winograd` describes the algorithm."""

import numpy as np

from nobi.compiling import compiled, inlined
from nobi.nn.simd import LANES, PANEL, ROWS, load, multiply_panel, splat, store, where_larger
from nobi.nn.transforms import (
    PLANES,
    Floats,
    Vector,
    a_product,
    a_transposed,
    add6,
    b_product,
    b_transposed,
    load6,
    store6,
)

_F = np.float32

TILE = 4
"""Rows and columns of the outputs of a tile."""
PADDING = 16
"""Unused numbers between two planes; without them, all 36 planes would be mapped to the same few sets of the cache."""


@compiled
def _pad_board(
    x: Floats, at: int, scale: Floats, shift: Floats, shift_at: int, relu: int, padded: Floats, size: int,
    channels: int, side: int,
) -> None:  # fmt: skip
    """Set padded[1 + row, 1 + column] to x · scale + shift, rectified; padded is [side, side, channels], border 0."""
    zero = splat(_F(0))
    for row in range(size):
        for column in range(size):
            source, target = at + (row * size + column) * channels, ((row + 1) * side + column + 1) * channels
            for c in range(0, channels, LANES):
                value = load(x, source + c)
                if len(scale) > 0:
                    value = value * load(scale, c)
                if len(shift) > 0:
                    value = value + load(shift, shift_at + c)
                if relu:
                    value = where_larger(value, zero, value, zero)
                store(padded, target + c, value)


@compiled
def _to_planes(padded: Floats, planes: Floats, at: int, stride: int, tiles: int, channels: int, side: int) -> None:
    """Compute planes[6i + j, tile] = (Bᵀ d B)[i, j] for the 6x6 patches d."""
    row = side * channels
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            source = TILE * (tile_row * side + tile_column) * channels
            target = at + (tile_row * tiles + tile_column) * channels
            for c in range(0, channels, LANES):
                i, o = source + c, target + c
                q0 = b_transposed(*load6(padded, i, row))
                q1 = b_transposed(*load6(padded, i + channels, row))
                q2 = b_transposed(*load6(padded, i + 2 * channels, row))
                q3 = b_transposed(*load6(padded, i + 3 * channels, row))
                q4 = b_transposed(*load6(padded, i + 4 * channels, row))
                q5 = b_transposed(*load6(padded, i + 5 * channels, row))
                store6(planes, o, stride, b_transposed(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0]))
                store6(planes, o + 6 * stride, stride, b_transposed(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1]))
                store6(planes, o + 12 * stride, stride, b_transposed(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2]))
                store6(planes, o + 18 * stride, stride, b_transposed(q0[3], q1[3], q2[3], q3[3], q4[3], q5[3]))
                store6(planes, o + 24 * stride, stride, b_transposed(q0[4], q1[4], q2[4], q3[4], q4[4], q5[4]))
                store6(planes, o + 30 * stride, stride, b_transposed(q0[5], q1[5], q2[5], q3[5], q4[5], q5[5]))


@compiled
def matrix_product(
    a: Floats, at_a: int, rows: int, inner: int, b: Floats, at_b: int, columns: int, c: Floats, at_c: int
) -> None:
    """Compute c [rows, columns] = a [rows, inner] · b, with b as panels [columns / PANEL, inner, PANEL]."""
    for j in range(0, columns, PANEL):
        panel = at_b + j * inner
        i = 0
        while i + ROWS <= rows:
            multiply_panel(
                ROWS, 0, a, at_a + i * inner, inner, 1, b, panel, PANEL, c, at_c + i * columns + j, columns, inner
            )
            i += ROWS
        while i + 4 <= rows:
            multiply_panel(
                4, 0, a, at_a + i * inner, inner, 1, b, panel, PANEL, c, at_c + i * columns + j, columns, inner
            )
            i += 4
        while i < rows:
            multiply_panel(
                1, 0, a, at_a + i * inner, inner, 1, b, panel, PANEL, c, at_c + i * columns + j, columns, inner
            )
            i += 1


@inlined
def _finish(y: Floats, at: int, value: Vector, bias: Vector, residual: Floats) -> Vector:
    value = value + bias
    if len(residual) > 0:
        value = value + load(residual, at)
    store(y, at, value)
    return value


@compiled
def _from_planes(
    products: Floats, at: int, stride: int, bias: Floats, residual: Floats, y: Floats, y_at: int, sums: Floats,
    sums_at: int, tiles: int, size: int, channels: int,
) -> None:  # fmt: skip
    """Compute y = Aᵀ m A + bias + residual of one board, and the sums [2, channels], if given, of y and y² over it."""
    zero = splat(_F(0))
    if len(sums) > 0:
        for c in range(0, 2 * channels, LANES):
            store(sums, sums_at + c, zero)
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            height, width = min(TILE, size - TILE * tile_row), min(TILE, size - TILE * tile_column)
            for c in range(0, channels, LANES):
                i = at + (tile_row * tiles + tile_column) * channels + c
                q0 = a_transposed(*load6(products, i, 6 * stride))
                q1 = a_transposed(*load6(products, i + stride, 6 * stride))
                q2 = a_transposed(*load6(products, i + 2 * stride, 6 * stride))
                q3 = a_transposed(*load6(products, i + 3 * stride, 6 * stride))
                q4 = a_transposed(*load6(products, i + 4 * stride, 6 * stride))
                q5 = a_transposed(*load6(products, i + 5 * stride, 6 * stride))
                offset = load(bias, c) if len(bias) > 0 else zero
                total, squares = zero, zero
                for r in range(height):
                    if r == 0:
                        v = a_transposed(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0])
                    elif r == 1:
                        v = a_transposed(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1])
                    elif r == 2:
                        v = a_transposed(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2])
                    else:
                        v = a_transposed(q0[3], q1[3], q2[3], q3[3], q4[3], q5[3])
                    o = y_at + ((TILE * tile_row + r) * size + TILE * tile_column) * channels + c
                    value = _finish(y, o, v[0], offset, residual)
                    total, squares = total + value, squares + value * value
                    if width > 1:
                        value = _finish(y, o + channels, v[1], offset, residual)
                        total, squares = total + value, squares + value * value
                    if width > 2:
                        value = _finish(y, o + 2 * channels, v[2], offset, residual)
                        total, squares = total + value, squares + value * value
                    if width > 3:
                        value = _finish(y, o + 3 * channels, v[3], offset, residual)
                        total, squares = total + value, squares + value * value
                if len(sums) > 0:
                    store(sums, sums_at + c, load(sums, sums_at + c) + total)
                    store(sums, sums_at + channels + c, load(sums, sums_at + channels + c) + squares)


@inlined
def _stride(rows: int, channels: int) -> int:
    return rows * channels + PADDING


@compiled
def convolve_groups(
    worker: int, workers: int, x: Floats, scale: Floats, shift: Floats, relu: int, filters: Floats, bias: Floats,
    residual: Floats, y: Floats, sums: Floats, boards: int, size: int, channels: int, outputs: int, group: int,
    planes: Floats, products: Floats, padded: Floats,
) -> None:  # fmt: skip
    """Compute the groups worker, worker + workers, … of a forward pass; the last three arrays are its workspace."""
    tiles = (size + TILE - 1) // TILE
    side, area, cells = TILE * tiles + 2, tiles * tiles, size * size
    in_stride, out_stride = _stride(group * area, channels), _stride(group * area, outputs)
    for first in range(worker * group, boards, workers * group):
        count = min(group, boards - first)
        for i in range(count):
            board = first + i
            _pad_board(x, board * cells * channels, scale, shift, board * channels, relu, padded, size, channels, side)
            _to_planes(padded, planes, i * area * channels, in_stride, tiles, channels, side)
        for q in range(PLANES):
            matrix_product(
                planes, q * in_stride, count * area, channels, filters, q * channels * outputs, outputs, products,
                q * out_stride,
            )  # fmt: skip
        for i in range(count):
            board = first + i
            _from_planes(
                products, i * area * outputs, out_stride, bias, residual, y, board * cells * outputs, sums,
                2 * board * outputs, tiles, size, outputs,
            )  # fmt: skip


@inlined
def _load_inside(y: Floats, at: int, inside: bool) -> Vector:
    return load(y, at) if inside else splat(_F(0))


@inlined
def _load4(y: Floats, at: int, step: int, width: int, inside: bool) -> tuple[Vector, ...]:
    return (
        _load_inside(y, at, inside),
        _load_inside(y, at + step, inside and width > 1),
        _load_inside(y, at + 2 * step, inside and width > 2),
        _load_inside(y, at + 3 * step, inside and width > 3),
    )


@inlined
def _tile_of_gradient(
    dy: Floats, i: int, size: int, channels: int, height: int, width: int, planes: Floats, o: int, stride: int,
    db: Floats, db_at: int,
) -> None:  # fmt: skip
    row = size * channels
    y0, y1 = _load4(dy, i, channels, width, True), _load4(dy, i + row, channels, width, height > 1)
    y2, y3 = (
        _load4(dy, i + 2 * row, channels, width, height > 2),
        _load4(dy, i + 3 * row, channels, width, height > 3),
    )
    upper = ((y0[0] + y0[1]) + (y0[2] + y0[3])) + ((y1[0] + y1[1]) + (y1[2] + y1[3]))
    lower = ((y2[0] + y2[1]) + (y2[2] + y2[3])) + ((y3[0] + y3[1]) + (y3[2] + y3[3]))
    store(db, db_at, load(db, db_at) + (upper + lower))
    q0, q1 = a_product(y0[0], y1[0], y2[0], y3[0]), a_product(y0[1], y1[1], y2[1], y3[1])
    q2, q3 = a_product(y0[2], y1[2], y2[2], y3[2]), a_product(y0[3], y1[3], y2[3], y3[3])
    store6(planes, o, stride, a_product(q0[0], q1[0], q2[0], q3[0]))
    store6(planes, o + 6 * stride, stride, a_product(q0[1], q1[1], q2[1], q3[1]))
    store6(planes, o + 12 * stride, stride, a_product(q0[2], q1[2], q2[2], q3[2]))
    store6(planes, o + 18 * stride, stride, a_product(q0[3], q1[3], q2[3], q3[3]))
    store6(planes, o + 24 * stride, stride, a_product(q0[4], q1[4], q2[4], q3[4]))
    store6(planes, o + 30 * stride, stride, a_product(q0[5], q1[5], q2[5], q3[5]))


@compiled
def _gradient_to_planes(
    dy: Floats,
    at: int,
    planes: Floats,
    o: int,
    stride: int,
    db: Floats,
    db_at: int,
    tiles: int,
    size: int,
    channels: int,
) -> None:
    """Compute planes = A dy Aᵀ, the adjoint of `_from_planes`, and db [channels], the sum of dy over the board."""
    for c in range(0, channels, LANES):
        store(db, db_at + c, splat(_F(0)))
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            height, width = min(TILE, size - TILE * tile_row), min(TILE, size - TILE * tile_column)
            source = at + TILE * (tile_row * size + tile_column) * channels
            target = o + (tile_row * tiles + tile_column) * channels
            if height == TILE and width == TILE:
                for c in range(0, channels, LANES):
                    _tile_of_gradient(
                        dy, source + c, size, channels, TILE, TILE, planes, target + c, stride, db, db_at + c
                    )
            else:
                for c in range(0, channels, LANES):
                    _tile_of_gradient(
                        dy, source + c, size, channels, height, width, planes, target + c, stride, db, db_at + c
                    )


@compiled
def _add_products(
    a: Floats, at_a: int, columns_a: int, b: Floats, at_b: int, columns_b: int, rows: int, c: Floats, at_c: int
) -> None:
    """Compute c [columns_a, columns_b] += aᵀ · b for a [rows, columns_a] and b [rows, columns_b]."""
    for j in range(0, columns_b, PANEL):
        i = 0
        while i + ROWS <= columns_a:
            multiply_panel(
                ROWS, 1, a, at_a + i, 1, columns_a, b, at_b + j, columns_b, c, at_c + i * columns_b + j, columns_b, rows
            )
            i += ROWS
        while i < columns_a:  # a multiple of PANEL, and ROWS is even: two at a time
            multiply_panel(
                2, 1, a, at_a + i, 1, columns_a, b, at_b + j, columns_b, c, at_c + i * columns_b + j, columns_b, rows
            )
            i += 2


@compiled
def _gradient_from_planes(
    planes: Floats, at: int, stride: int, gradient: Floats, tiles: int, channels: int, side: int
) -> None:
    """Compute gradient [side, side, channels], the sum of B t Bᵀ over all tiles t: the adjoint of `_to_planes`."""
    row = side * channels
    for i in range(0, side * row, LANES):
        store(gradient, i, splat(_F(0)))
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            source = at + (tile_row * tiles + tile_column) * channels
            target = TILE * (tile_row * side + tile_column) * channels
            for c in range(0, channels, LANES):
                i, o = source + c, target + c
                q0 = b_product(*load6(planes, i, 6 * stride))
                q1 = b_product(*load6(planes, i + stride, 6 * stride))
                q2 = b_product(*load6(planes, i + 2 * stride, 6 * stride))
                q3 = b_product(*load6(planes, i + 3 * stride, 6 * stride))
                q4 = b_product(*load6(planes, i + 4 * stride, 6 * stride))
                q5 = b_product(*load6(planes, i + 5 * stride, 6 * stride))
                add6(gradient, o, channels, b_product(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0]))
                add6(gradient, o + row, channels, b_product(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1]))
                add6(gradient, o + 2 * row, channels, b_product(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2]))
                add6(gradient, o + 3 * row, channels, b_product(q0[3], q1[3], q2[3], q3[3], q4[3], q5[3]))
                add6(gradient, o + 4 * row, channels, b_product(q0[4], q1[4], q2[4], q3[4], q4[4], q5[4]))
                add6(gradient, o + 5 * row, channels, b_product(q0[5], q1[5], q2[5], q3[5], q4[5], q5[5]))


@compiled
def _unpad_gradient(
    gradient: Floats, x: Floats, at: int, scale: Floats, shift: Floats, at_shift: int, relu: int, dz: Floats,
    dshift: Floats, dscale: Floats, size: int, channels: int, side: int,
) -> None:  # fmt: skip
    """Compute dz, the gradient of z = x · scale + shift on one board; dshift and dscale sum dz and dz · x."""
    zero = splat(_F(0))
    for c in range(0, channels, LANES):
        factor = load(scale, c) if len(scale) > 0 else splat(_F(1))
        offset = load(shift, at_shift + c) if len(shift) > 0 else zero
        total, weighted = zero, zero
        for row in range(size):
            source, target = ((row + 1) * side + 1) * channels + c, at + row * size * channels + c
            for _ in range(size):
                value, own = load(gradient, source), load(x, target)
                if relu:
                    value = where_larger(own * factor + offset, zero, value, zero)
                total, weighted = total + value, weighted + value * own
                store(dz, target, value)
                source, target = source + channels, target + channels
        store(dshift, at_shift + c, total)
        store(dscale, at_shift + c, weighted)


@compiled
def convolve_groups_back(
    worker: int, workers: int, x: Floats, scale: Floats, shift: Floats, relu: int, dy: Floats, filters: Floats,
    dz: Floats, dshift: Floats, dscale: Floats, du: Floats, db: Floats, boards: int, size: int, channels: int,
    outputs: int, group: int, planes: Floats, products: Floats, padded: Floats, gradient: Floats,
) -> None:  # fmt: skip
    """Compute the groups worker, worker + workers, … of a backward pass.

    Without dz (length 0), dshift and dscale are not computed. du [36, channels, outputs] is this worker's sum.
    """
    tiles = (size + TILE - 1) // TILE
    side, area, cells = TILE * tiles + 2, tiles * tiles, size * size
    in_stride, out_stride = _stride(group * area, channels), _stride(group * area, outputs)
    for i in range(0, PLANES * channels * outputs, LANES):
        store(du, i, splat(_F(0)))
    for first in range(worker * group, boards, workers * group):
        count = min(group, boards - first)
        for i in range(count):
            board = first + i
            _pad_board(x, board * cells * channels, scale, shift, board * channels, relu, padded, size, channels, side)
            _to_planes(padded, planes, i * area * channels, in_stride, tiles, channels, side)
            _gradient_to_planes(
                dy, board * cells * outputs, products, i * area * outputs, out_stride, db, board * outputs, tiles, size,
                outputs,
            )  # fmt: skip
        for q in range(PLANES):
            _add_products(
                planes, q * in_stride, channels, products, q * out_stride, outputs, count * area, du,
                q * channels * outputs,
            )  # fmt: skip
            if len(dz) > 0:
                matrix_product(
                    products, q * out_stride, count * area, outputs, filters, q * channels * outputs, channels, planes,
                    q * in_stride,
                )  # fmt: skip
        if len(dz) > 0:
            for i in range(count):
                board = first + i
                _gradient_from_planes(planes, i * area * channels, in_stride, gradient, tiles, channels, side)
                _unpad_gradient(
                    gradient, x, board * cells * channels, scale, shift, board * channels, relu, dz, dshift, dscale,
                    size, channels, side,
                )  # fmt: skip
