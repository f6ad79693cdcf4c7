"""3x3 convolutions on boards by Winograd's algorithm F(4x4, 3x3), forward and backward, compiled.

Lavin and Gray, "Fast algorithms for convolutional neural networks" (2016): a tile of 4x4 outputs depends on a patch d
of 6x6 inputs. With the constant matrices A, B and G of `_b_transposed` and its neighbours below,

    y = Aᵀ [(G w Gᵀ) ⊙ (Bᵀ d B)] A,

where ⊙ multiplies the 36 entries one by one: summed over input channels, 36 matrix products of tiles x channels by
channels x outputs replace nine larger ones. That is a quarter of the multiplications of a direct convolution.

Layout. Activations are flat float32 arrays [board, row, column, channel]; channel counts are multiples of PANEL. A
worker takes `group` boards at a time, so that their 36 planes [tile, channel] stay in its cache. Operands that are not
there are arrays of length 0. What surrounds a convolution in a residual block is part of its transforms, so that a block
makes no extra pass over memory:

    y = conv(relu(x · scale + shift)) + bias + residual

with `scale` per channel and `shift` per board and channel (normalisation and global pooling). The sums over the board
that batch normalisation and the gradients need are written per board and added by the caller, in the same order
for any number of workers. Only the gradient of the filters is summed per worker.

The backward pass is the exact adjoint of the forward pass and shares one transform of the output's gradient between
the gradients of input and filters.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled, inlined
from nobi.memory import zeros
from nobi.nn.simd import LANES, PANEL, ROWS, load, multiply_panel, splat, store, where_larger

Floats = NDArray[np.float32]
"""float32[i], flat."""
Vector = Any
"""A vector of `simd`, inside compiled code."""
_F = np.float32

TILE = 4
"""Rows and columns of outputs that a tile computes."""
PLANES = 36
"""Entries of a transformed patch."""
GROUP = 4
"""Boards that a worker transforms at a time, unless there are fewer."""
_PAD = 16
"""Numbers between two planes, without which all 36 would share a few sets of the cache."""
NONE: Floats = np.empty(0, np.float32)
"""An operand that is not there."""


# --- the one-dimensional transforms Bᵀd, Bt, Aᵀm, Ay, Gw, Gᵀu -----------------------------------------------------------


@inlined
def _b_transposed(d0: Vector, d1: Vector, d2: Vector, d3: Vector, d4: Vector, d5: Vector) -> tuple[Vector, ...]:
    two, four, five = splat(_F(2)), splat(_F(4)), splat(_F(5))
    even, odd = d4 - four * d2, d3 - four * d1
    near, far = d4 - d2, two * (d3 - d1)
    return four * d0 + (d4 - five * d2), even + odd, even - odd, near + far, near - far, four * d1 + (d5 - five * d3)


@inlined
def _b(t0: Vector, t1: Vector, t2: Vector, t3: Vector, t4: Vector, t5: Vector) -> tuple[Vector, ...]:
    zero, two, four, five = splat(_F(0)), splat(_F(2)), splat(_F(4)), splat(_F(5))
    plus, minus = t1 + t2, t1 - t2
    far_plus, far_minus = t3 + t4, two * (t3 - t4)
    return (
        four * t0,
        four * (t5 - minus) - far_minus,
        zero - five * t0 - far_plus - four * plus,
        far_minus + (minus - five * t5),
        t0 + (plus + far_plus),
        t5,
    )


@inlined
def _a_transposed(m0: Vector, m1: Vector, m2: Vector, m3: Vector, m4: Vector, m5: Vector) -> tuple[Vector, ...]:
    plus, minus, far_plus, far_minus = m1 + m2, m1 - m2, m3 + m4, m3 - m4
    return (
        m0 + (plus + far_plus),
        minus + splat(_F(2)) * far_minus,
        plus + splat(_F(4)) * far_plus,
        minus + splat(_F(8)) * far_minus + m5,
    )


@inlined
def _a(y0: Vector, y1: Vector, y2: Vector, y3: Vector) -> tuple[Vector, ...]:
    even, odd = y0 + y2, y1 + y3
    far_even, far_odd = y0 + splat(_F(4)) * y2, splat(_F(2)) * y1 + splat(_F(8)) * y3
    return y0, even + odd, even - odd, far_even + far_odd, far_even - far_odd, y3


@inlined
def _g(w0: Vector, w1: Vector, w2: Vector) -> tuple[Vector, ...]:
    sixth = splat(_F(1 / 6))
    even, odd = splat(_F(0)) - sixth * (w0 + w2), sixth * w1
    far_even, far_odd = splat(_F(1 / 24)) * w0 + sixth * w2, splat(_F(1 / 12)) * w1
    return splat(_F(1 / 4)) * w0, even - odd, even + odd, far_even + far_odd, far_even - far_odd, w2


@inlined
def _g_transposed(u0: Vector, u1: Vector, u2: Vector, u3: Vector, u4: Vector, u5: Vector) -> tuple[Vector, ...]:
    sixth, plus, far_plus = splat(_F(1 / 6)), u1 + u2, u3 + u4
    return (
        splat(_F(1 / 4)) * u0 - sixth * plus + splat(_F(1 / 24)) * far_plus,
        sixth * (u2 - u1) + splat(_F(1 / 12)) * (u3 - u4),
        sixth * (far_plus - plus) + u5,
    )


@inlined
def _load6(x: Floats, at: int, step: int) -> tuple[Vector, ...]:
    return (
        load(x, at),
        load(x, at + step),
        load(x, at + 2 * step),
        load(x, at + 3 * step),
        load(x, at + 4 * step),
        load(x, at + 5 * step),
    )


@inlined
def _store6(x: Floats, at: int, step: int, v: tuple[Vector, ...]) -> None:
    store(x, at, v[0])
    store(x, at + step, v[1])
    store(x, at + 2 * step, v[2])
    store(x, at + 3 * step, v[3])
    store(x, at + 4 * step, v[4])
    store(x, at + 5 * step, v[5])


@inlined
def _add6(x: Floats, at: int, step: int, v: tuple[Vector, ...]) -> None:
    store(x, at, load(x, at) + v[0])
    store(x, at + step, load(x, at + step) + v[1])
    store(x, at + 2 * step, load(x, at + 2 * step) + v[2])
    store(x, at + 3 * step, load(x, at + 3 * step) + v[3])
    store(x, at + 4 * step, load(x, at + 4 * step) + v[4])
    store(x, at + 5 * step, load(x, at + 5 * step) + v[5])


# --- forward: boards → planes → products → boards ----------------------------------------------------------------------


@compiled
def _pad_board(
    x: Floats, at: int, scale: Floats, shift: Floats, shift_at: int, relu: int, padded: Floats, size: int, channels: int,
    side: int,
) -> None:  # fmt: skip
    """padded[1 + row, 1 + column] = x · scale + shift, rectified; padded is [side, side, channels], its border 0."""
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
    """planes[6i + j, tile] = (Bᵀ d B)[i, j] for the 6x6 patches d."""
    row = side * channels
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            source = TILE * (tile_row * side + tile_column) * channels
            target = at + (tile_row * tiles + tile_column) * channels
            for c in range(0, channels, LANES):
                i, o = source + c, target + c
                q0 = _b_transposed(*_load6(padded, i, row))
                q1 = _b_transposed(*_load6(padded, i + channels, row))
                q2 = _b_transposed(*_load6(padded, i + 2 * channels, row))
                q3 = _b_transposed(*_load6(padded, i + 3 * channels, row))
                q4 = _b_transposed(*_load6(padded, i + 4 * channels, row))
                q5 = _b_transposed(*_load6(padded, i + 5 * channels, row))
                _store6(planes, o, stride, _b_transposed(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0]))
                _store6(planes, o + 6 * stride, stride, _b_transposed(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1]))
                _store6(planes, o + 12 * stride, stride, _b_transposed(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2]))
                _store6(planes, o + 18 * stride, stride, _b_transposed(q0[3], q1[3], q2[3], q3[3], q4[3], q5[3]))
                _store6(planes, o + 24 * stride, stride, _b_transposed(q0[4], q1[4], q2[4], q3[4], q4[4], q5[4]))
                _store6(planes, o + 30 * stride, stride, _b_transposed(q0[5], q1[5], q2[5], q3[5], q4[5], q5[5]))


@compiled
def matrix_product(
    a: Floats, at_a: int, rows: int, inner: int, b: Floats, at_b: int, columns: int, c: Floats, at_c: int
) -> None:
    """c [rows, columns] = a [rows, inner] · b, with b as panels [columns / PANEL, inner, PANEL]."""
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
    """y = Aᵀ m A + bias + residual of one board; sums [2, channels]: of y and of y² over the board, if wanted."""
    zero = splat(_F(0))
    if len(sums) > 0:
        for c in range(0, 2 * channels, LANES):
            store(sums, sums_at + c, zero)
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            height, width = min(TILE, size - TILE * tile_row), min(TILE, size - TILE * tile_column)
            for c in range(0, channels, LANES):
                i = at + (tile_row * tiles + tile_column) * channels + c
                q0 = _a_transposed(*_load6(products, i, 6 * stride))
                q1 = _a_transposed(*_load6(products, i + stride, 6 * stride))
                q2 = _a_transposed(*_load6(products, i + 2 * stride, 6 * stride))
                q3 = _a_transposed(*_load6(products, i + 3 * stride, 6 * stride))
                q4 = _a_transposed(*_load6(products, i + 4 * stride, 6 * stride))
                q5 = _a_transposed(*_load6(products, i + 5 * stride, 6 * stride))
                offset = load(bias, c) if len(bias) > 0 else zero
                total, squares = zero, zero
                for r in range(height):
                    if r == 0:
                        v = _a_transposed(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0])
                    elif r == 1:
                        v = _a_transposed(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1])
                    elif r == 2:
                        v = _a_transposed(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2])
                    else:
                        v = _a_transposed(q0[3], q1[3], q2[3], q3[3], q4[3], q5[3])
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
    return rows * channels + _PAD


@compiled
def _convolve(
    worker: int, workers: int, x: Floats, scale: Floats, shift: Floats, relu: int, filters: Floats, bias: Floats,
    residual: Floats, y: Floats, sums: Floats, boards: int, size: int, channels: int, outputs: int, group: int,
    planes: Floats, products: Floats, padded: Floats,
) -> None:  # fmt: skip
    """The groups worker, worker + workers, … of a forward pass; the last three arrays are this worker's workspace."""
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


# --- backward ----------------------------------------------------------------------------------------------------------


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
    q0, q1 = _a(y0[0], y1[0], y2[0], y3[0]), _a(y0[1], y1[1], y2[1], y3[1])
    q2, q3 = _a(y0[2], y1[2], y2[2], y3[2]), _a(y0[3], y1[3], y2[3], y3[3])
    _store6(planes, o, stride, _a(q0[0], q1[0], q2[0], q3[0]))
    _store6(planes, o + 6 * stride, stride, _a(q0[1], q1[1], q2[1], q3[1]))
    _store6(planes, o + 12 * stride, stride, _a(q0[2], q1[2], q2[2], q3[2]))
    _store6(planes, o + 18 * stride, stride, _a(q0[3], q1[3], q2[3], q3[3]))
    _store6(planes, o + 24 * stride, stride, _a(q0[4], q1[4], q2[4], q3[4]))
    _store6(planes, o + 30 * stride, stride, _a(q0[5], q1[5], q2[5], q3[5]))


@compiled
def _gradient_to_planes(
    dy: Floats, at: int, planes: Floats, o: int, stride: int, db: Floats, db_at: int, tiles: int, size: int, channels: int
) -> None:
    """planes = A dy Aᵀ, the adjoint of `_from_planes`; db [channels] = the sum of dy over the board."""
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
    """c [columns_a, columns_b] += aᵀ · b for a [rows, columns_a] and b [rows, columns_b]."""
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
    """gradient [side, side, channels] = the sum of B t Bᵀ over all tiles t, the adjoint of `_to_planes`."""
    row = side * channels
    for i in range(0, side * row, LANES):
        store(gradient, i, splat(_F(0)))
    for tile_row in range(tiles):
        for tile_column in range(tiles):
            source = at + (tile_row * tiles + tile_column) * channels
            target = TILE * (tile_row * side + tile_column) * channels
            for c in range(0, channels, LANES):
                i, o = source + c, target + c
                q0 = _b(*_load6(planes, i, 6 * stride))
                q1 = _b(*_load6(planes, i + stride, 6 * stride))
                q2 = _b(*_load6(planes, i + 2 * stride, 6 * stride))
                q3 = _b(*_load6(planes, i + 3 * stride, 6 * stride))
                q4 = _b(*_load6(planes, i + 4 * stride, 6 * stride))
                q5 = _b(*_load6(planes, i + 5 * stride, 6 * stride))
                _add6(gradient, o, channels, _b(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0]))
                _add6(gradient, o + row, channels, _b(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1]))
                _add6(gradient, o + 2 * row, channels, _b(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2]))
                _add6(gradient, o + 3 * row, channels, _b(q0[3], q1[3], q2[3], q3[3], q4[3], q5[3]))
                _add6(gradient, o + 4 * row, channels, _b(q0[4], q1[4], q2[4], q3[4], q4[4], q5[4]))
                _add6(gradient, o + 5 * row, channels, _b(q0[5], q1[5], q2[5], q3[5], q4[5], q5[5]))


@compiled
def _unpad_gradient(
    gradient: Floats, x: Floats, at: int, scale: Floats, shift: Floats, at_shift: int, relu: int, dz: Floats,
    dshift: Floats, dscale: Floats, size: int, channels: int, side: int,
) -> None:  # fmt: skip
    """dz = the gradient of z = x · scale + shift on one board; dshift and dscale: sums of dz and of dz · x."""
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
def _convolve_back(
    worker: int, workers: int, x: Floats, scale: Floats, shift: Floats, relu: int, dy: Floats, filters: Floats,
    dz: Floats, dshift: Floats, dscale: Floats, du: Floats, db: Floats, boards: int, size: int, channels: int,
    outputs: int, group: int, planes: Floats, products: Floats, padded: Floats, gradient: Floats,
) -> None:  # fmt: skip
    """The groups worker, worker + workers, … of a backward pass.

    dz, dshift and dscale are left out together if dz is not there. du [36, channels, outputs] is this worker's sum.
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


# --- filters -----------------------------------------------------------------------------------------------------------


@compiled
def _transform_filters(w: Floats, u: Floats, channels: int, outputs: int) -> None:
    """u [36, outputs / PANEL, channels, PANEL] = G w Gᵀ for w [3, 3, channels, outputs]."""
    plane = channels * outputs
    for c in range(channels):
        for k in range(0, outputs, LANES):
            i = c * outputs + k
            o = ((k // PANEL) * channels + c) * PANEL + k % PANEL
            t0 = _g(load(w, i), load(w, i + 3 * plane), load(w, i + 6 * plane))
            t1 = _g(load(w, i + plane), load(w, i + 4 * plane), load(w, i + 7 * plane))
            t2 = _g(load(w, i + 2 * plane), load(w, i + 5 * plane), load(w, i + 8 * plane))
            _store6(u, o, plane, _g(t0[0], t1[0], t2[0]))
            _store6(u, o + 6 * plane, plane, _g(t0[1], t1[1], t2[1]))
            _store6(u, o + 12 * plane, plane, _g(t0[2], t1[2], t2[2]))
            _store6(u, o + 18 * plane, plane, _g(t0[3], t1[3], t2[3]))
            _store6(u, o + 24 * plane, plane, _g(t0[4], t1[4], t2[4]))
            _store6(u, o + 30 * plane, plane, _g(t0[5], t1[5], t2[5]))


@inlined
def _sum_of_workers(du: Floats, at: int, plane: int, workers: int) -> tuple[Vector, ...]:
    """Gᵀ of one column of 6 of the 36 planes, summed over workers."""
    u0, u1, u2 = load(du, at), load(du, at + 6 * plane), load(du, at + 12 * plane)
    u3, u4, u5 = load(du, at + 18 * plane), load(du, at + 24 * plane), load(du, at + 30 * plane)
    for w in range(1, workers):
        i = at + w * PLANES * plane
        u0, u1, u2 = u0 + load(du, i), u1 + load(du, i + 6 * plane), u2 + load(du, i + 12 * plane)
        u3, u4, u5 = u3 + load(du, i + 18 * plane), u4 + load(du, i + 24 * plane), u5 + load(du, i + 30 * plane)
    return _g_transposed(u0, u1, u2, u3, u4, u5)


@compiled
def _filter_gradient(du: Floats, workers: int, dw: Floats, channels: int, outputs: int) -> None:
    """dw [3, 3, channels, outputs] = Gᵀ (Σ du) G for du [workers, 36, channels, outputs]."""
    plane = channels * outputs
    for i in range(0, plane, LANES):
        q0, q1 = _sum_of_workers(du, i, plane, workers), _sum_of_workers(du, i + plane, plane, workers)
        q2, q3 = _sum_of_workers(du, i + 2 * plane, plane, workers), _sum_of_workers(du, i + 3 * plane, plane, workers)
        q4, q5 = _sum_of_workers(du, i + 4 * plane, plane, workers), _sum_of_workers(du, i + 5 * plane, plane, workers)
        r0 = _g_transposed(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0])
        r1 = _g_transposed(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1])
        r2 = _g_transposed(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2])
        store(dw, i, r0[0])
        store(dw, i + plane, r0[1])
        store(dw, i + 2 * plane, r0[2])
        store(dw, i + 3 * plane, r1[0])
        store(dw, i + 4 * plane, r1[1])
        store(dw, i + 5 * plane, r1[2])
        store(dw, i + 6 * plane, r2[0])
        store(dw, i + 7 * plane, r2[1])
        store(dw, i + 8 * plane, r2[2])


# --- from Python -------------------------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """What a convolution is applied to."""

    boards: int
    size: int
    channels: int
    outputs: int


def transform_filters(weight: NDArray[np.float32]) -> Floats:
    """The filters [outputs, channels, 3, 3] as `convolve` takes them."""
    outputs, channels = weight.shape[:2]
    _check_channels(channels, outputs)
    transformed = zeros(PLANES * channels * outputs, np.float32)
    _transform_filters(np.ascontiguousarray(weight.transpose(2, 3, 1, 0)).reshape(-1), transformed, channels, outputs)
    return transformed


def transform_filters_back(weight: NDArray[np.float32]) -> Floats:
    """The same filters as `convolve_back` takes them."""
    return transform_filters(np.asarray(weight).transpose(1, 0, 2, 3))


def convolve(
    x: Floats, filters: Floats, y: Floats, shape: Shape, *, scale: Floats = NONE, shift: Floats = NONE, relu: bool,
    bias: Floats = NONE, residual: Floats = NONE, sums: Floats = NONE, threads: int = 1,
) -> None:  # fmt: skip
    """y = conv(relu(x · scale + shift)) + bias + residual.

    Args:
        x: [board, row, column, channel], flat, as all arrays here.
        filters: of `transform_filters`.
        y: [board, row, column, output] receives the result; it may be `residual`.
        shape: what the arrays hold.
        scale: [channel].
        shift: [board, channel].
        relu: whether to rectify.
        bias: [output].
        residual: [board, row, column, output].
        sums: [board, 2, output] receives the sums of y and of y² over each board.
        threads: threads to use; the result does not depend on it.
    """
    boards, size, channels, outputs = shape
    check_lengths(
        shape, x=x, filters=filters, y=y, scale=scale, shift=shift, bias=bias, residual=residual, sums=sums
    )
    group = min(GROUP, boards)

    def work(worker: int, workers: int) -> None:
        planes, products, padded, _ = _workspace(size, channels, outputs, group)
        _convolve(
            worker, workers, x, scale, shift, int(relu), filters, bias, residual, y, sums, boards, size, channels,
            outputs, group, planes, products, padded,
        )  # fmt: skip

    share_work(work, min(threads, -(-boards // group)))


def convolve_back(
    x: Floats, dy: Floats, filters: Floats, dw: Floats, db: Floats, shape: Shape, *, scale: Floats = NONE,
    shift: Floats = NONE, relu: bool, dz: Floats = NONE, dshift: Floats = NONE, dscale: Floats = NONE,
    threads: int = 1,
) -> None:  # fmt: skip
    """The gradients of `convolve`, given that of its output.

    Args:
        x: as there.
        dy: [board, row, column, output] the gradient of y.
        filters: of `transform_filters_back`.
        dw: [3, 3, channel, output] receives the gradient of the filters; its last bits depend on `threads`.
        db: [board, output] receives the sums of dy over each board.
        shape: as there.
        scale: as there.
        shift: as there.
        relu: as there.
        dz: [board, row, column, channel] receives the gradient of z = x · scale + shift; without it, only the filters'
            gradients are computed.
        dshift: [board, channel] receives the sums of dz over each board.
        dscale: [board, channel] receives the sums of dz · x over each board.
        threads: threads to use.
    """
    boards, size, channels, outputs = shape
    check_lengths(shape, x=x, dy=dy, filters=filters, dw=dw, db=db, scale=scale, shift=shift, dz=dz, dshift=dshift, dscale=dscale)
    if len(dz) and not (len(dshift) and len(dscale)):
        raise ValueError("dz, dshift and dscale are computed together")
    group = min(GROUP, boards)
    threads = min(threads, -(-boards // group))
    du = _buffer(f"du{threads}", threads * PLANES * channels * outputs)
    each = PLANES * channels * outputs

    def work(worker: int, workers: int) -> None:
        planes, products, padded, gradient = _workspace(size, channels, outputs, group)
        _convolve_back(
            worker, workers, x, scale, shift, int(relu), dy, filters, dz, dshift, dscale,
            du[worker * each : (worker + 1) * each], db, boards, size, channels, outputs, group, planes, products,
            padded, gradient,
        )  # fmt: skip

    share_work(work, threads)
    _filter_gradient(du, threads, dw, channels, outputs)


def check_lengths(shape: Shape, **arrays: Floats) -> None:
    """Compiled code checks nothing: refuse an array of the wrong length, type or layout."""
    boards, size, channels, outputs = shape
    _check_channels(channels, outputs)
    inputs, results = boards * size * size * channels, boards * size * size * outputs
    lengths = {
        "x": inputs, "dz": inputs, "y": results, "dy": results, "residual": results, "scale": channels,
        "shift": boards * channels, "dshift": boards * channels, "dscale": boards * channels, "bias": outputs,
        "db": boards * outputs, "sums": 2 * boards * outputs, "filters": PLANES * channels * outputs,
        "dw": 9 * channels * outputs,
    }  # fmt: skip
    optional = {"scale", "shift", "bias", "residual", "sums", "dz", "dshift", "dscale"}
    for name, array in arrays.items():
        if array.dtype != np.float32 or array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a flat, contiguous array of float32")
        if len(array) != lengths[name] and not (len(array) == 0 and name in optional):
            raise ValueError(f"{name} holds {len(array)} numbers instead of {lengths[name]}")


def _check_channels(channels: int, outputs: int) -> None:
    if channels % PANEL or outputs % PANEL:
        raise ValueError(f"{channels} and {outputs} channels: both must be multiples of {PANEL}")


_local = threading.local()


def _buffer(name: str, length: int) -> Floats:
    """This thread's buffer of a name, at least as long; what it holds is arbitrary."""
    buffers: dict[str, Floats] = _local.__dict__.setdefault("buffers", {})
    if name not in buffers or len(buffers[name]) < length:
        buffers[name] = zeros(length, np.float32)
    return buffers[name][:length]


def _workspace(size: int, channels: int, outputs: int, group: int) -> tuple[Floats, Floats, Floats, Floats]:
    """This thread's planes, products, padded board and its gradient. The border of the padded board stays 0."""
    tiles = -(-size // TILE)
    side, rows = TILE * tiles + 2, group * tiles * tiles
    padded: dict[tuple[int, int], Floats] = _local.__dict__.setdefault("padded", {})
    if (size, channels) not in padded:
        padded[size, channels] = zeros(side * side * channels, np.float32)
    return (
        _buffer("planes", PLANES * (rows * channels + _PAD)),
        _buffer("products", PLANES * (rows * outputs + _PAD)),
        padded[size, channels],
        _buffer("gradient", side * side * channels),
    )


_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def share_work(work: Callable[[int, int], None], workers: int) -> None:
    """work(0, workers), work(1, workers), …, each in a thread of its own, the first in this one."""
    global _pool  # noqa: PLW0603
    if workers <= 1:
        work(0, 1)
        return
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 1), "convolution")
    others = [_pool.submit(work, worker, workers) for worker in range(1, workers)]
    work(0, workers)
    for other in others:
        other.result()
