"""The one-dimensional transforms of Winograd's algorithm F(4x4, 3x3), on vectors of channels, and those of filters.

Lavin and Gray, "Fast algorithms for convolutional neural networks" (2016), with the points 0, ±1, ±2 and ∞. Products
with a matrix and with its transpose are adjoint: one is for the forward pass, the other for the backward pass.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled, inlined
from nobi.nn.simd import LANES, PANEL, load, splat, store

Floats = NDArray[np.float32]
"""float32[i], flat."""
Vector = Any
"""A vector of `simd`, inside compiled code."""
_F = np.float32

PLANES = 36
"""Entries of a transformed patch."""


@inlined
def b_transposed(d0: Vector, d1: Vector, d2: Vector, d3: Vector, d4: Vector, d5: Vector) -> tuple[Vector, ...]:
    """Return Bᵀd, from inputs to planes."""
    two, four, five = splat(_F(2)), splat(_F(4)), splat(_F(5))
    even, odd = d4 - four * d2, d3 - four * d1
    near, far = d4 - d2, two * (d3 - d1)
    return four * d0 + (d4 - five * d2), even + odd, even - odd, near + far, near - far, four * d1 + (d5 - five * d3)


@inlined
def b_product(t0: Vector, t1: Vector, t2: Vector, t3: Vector, t4: Vector, t5: Vector) -> tuple[Vector, ...]:
    """Return B t, from gradients of planes to those of inputs."""
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
def a_transposed(m0: Vector, m1: Vector, m2: Vector, m3: Vector, m4: Vector, m5: Vector) -> tuple[Vector, ...]:
    """Return Aᵀm, from products to outputs."""
    plus, minus, far_plus, far_minus = m1 + m2, m1 - m2, m3 + m4, m3 - m4
    return (
        m0 + (plus + far_plus),
        minus + splat(_F(2)) * far_minus,
        plus + splat(_F(4)) * far_plus,
        minus + splat(_F(8)) * far_minus + m5,
    )


@inlined
def a_product(y0: Vector, y1: Vector, y2: Vector, y3: Vector) -> tuple[Vector, ...]:
    """Return A y, from gradients of outputs to those of products."""
    even, odd = y0 + y2, y1 + y3
    far_even, far_odd = y0 + splat(_F(4)) * y2, splat(_F(2)) * y1 + splat(_F(8)) * y3
    return y0, even + odd, even - odd, far_even + far_odd, far_even - far_odd, y3


@inlined
def g_product(w0: Vector, w1: Vector, w2: Vector) -> tuple[Vector, ...]:
    """Return G w, from filters to planes."""
    sixth = splat(_F(1 / 6))
    even, odd = splat(_F(0)) - sixth * (w0 + w2), sixth * w1
    far_even, far_odd = splat(_F(1 / 24)) * w0 + sixth * w2, splat(_F(1 / 12)) * w1
    return splat(_F(1 / 4)) * w0, even - odd, even + odd, far_even + far_odd, far_even - far_odd, w2


@inlined
def g_transposed(u0: Vector, u1: Vector, u2: Vector, u3: Vector, u4: Vector, u5: Vector) -> tuple[Vector, ...]:
    """Return Gᵀu, from gradients of planes to those of filters."""
    sixth, plus, far_plus = splat(_F(1 / 6)), u1 + u2, u3 + u4
    return (
        splat(_F(1 / 4)) * u0 - sixth * plus + splat(_F(1 / 24)) * far_plus,
        sixth * (u2 - u1) + splat(_F(1 / 12)) * (u3 - u4),
        sixth * (far_plus - plus) + u5,
    )


@inlined
def load6(x: Floats, at: int, step: int) -> tuple[Vector, ...]:
    """Load six vectors, `step` numbers apart."""
    return (
        load(x, at),
        load(x, at + step),
        load(x, at + 2 * step),
        load(x, at + 3 * step),
        load(x, at + 4 * step),
        load(x, at + 5 * step),
    )


@inlined
def store6(x: Floats, at: int, step: int, v: tuple[Vector, ...]) -> None:
    """Store six vectors, `step` numbers apart."""
    store(x, at, v[0])
    store(x, at + step, v[1])
    store(x, at + 2 * step, v[2])
    store(x, at + 3 * step, v[3])
    store(x, at + 4 * step, v[4])
    store(x, at + 5 * step, v[5])


@inlined
def add6(x: Floats, at: int, step: int, v: tuple[Vector, ...]) -> None:
    """Add six vectors to the array, `step` numbers apart."""
    store(x, at, load(x, at) + v[0])
    store(x, at + step, load(x, at + step) + v[1])
    store(x, at + 2 * step, load(x, at + 2 * step) + v[2])
    store(x, at + 3 * step, load(x, at + 3 * step) + v[3])
    store(x, at + 4 * step, load(x, at + 4 * step) + v[4])
    store(x, at + 5 * step, load(x, at + 5 * step) + v[5])


@compiled
def filters_to_planes(w: Floats, u: Floats, channels: int, outputs: int) -> None:
    """Compute u [36, outputs / PANEL, channels, PANEL] = G w Gᵀ for w [3, 3, channels, outputs]."""
    plane = channels * outputs
    for c in range(channels):
        for k in range(0, outputs, LANES):
            i = c * outputs + k
            o = ((k // PANEL) * channels + c) * PANEL + k % PANEL
            t0 = g_product(load(w, i), load(w, i + 3 * plane), load(w, i + 6 * plane))
            t1 = g_product(load(w, i + plane), load(w, i + 4 * plane), load(w, i + 7 * plane))
            t2 = g_product(load(w, i + 2 * plane), load(w, i + 5 * plane), load(w, i + 8 * plane))
            store6(u, o, plane, g_product(t0[0], t1[0], t2[0]))
            store6(u, o + 6 * plane, plane, g_product(t0[1], t1[1], t2[1]))
            store6(u, o + 12 * plane, plane, g_product(t0[2], t1[2], t2[2]))
            store6(u, o + 18 * plane, plane, g_product(t0[3], t1[3], t2[3]))
            store6(u, o + 24 * plane, plane, g_product(t0[4], t1[4], t2[4]))
            store6(u, o + 30 * plane, plane, g_product(t0[5], t1[5], t2[5]))


@inlined
def _sum_of_workers(du: Floats, at: int, plane: int, workers: int) -> tuple[Vector, ...]:
    """Return Gᵀ of one column of 6 of the 36 planes, summed over workers."""
    u0, u1, u2 = load(du, at), load(du, at + 6 * plane), load(du, at + 12 * plane)
    u3, u4, u5 = load(du, at + 18 * plane), load(du, at + 24 * plane), load(du, at + 30 * plane)
    for w in range(1, workers):
        i = at + w * PLANES * plane
        u0, u1, u2 = u0 + load(du, i), u1 + load(du, i + 6 * plane), u2 + load(du, i + 12 * plane)
        u3, u4, u5 = u3 + load(du, i + 18 * plane), u4 + load(du, i + 24 * plane), u5 + load(du, i + 30 * plane)
    return g_transposed(u0, u1, u2, u3, u4, u5)


@compiled
def filter_gradient(du: Floats, workers: int, dw: Floats, channels: int, outputs: int) -> None:
    """Compute dw [3, 3, channels, outputs] = Gᵀ (Σ du) G for du [workers, 36, channels, outputs]."""
    plane = channels * outputs
    for i in range(0, plane, LANES):
        q0, q1 = _sum_of_workers(du, i, plane, workers), _sum_of_workers(du, i + plane, plane, workers)
        q2, q3 = _sum_of_workers(du, i + 2 * plane, plane, workers), _sum_of_workers(du, i + 3 * plane, plane, workers)
        q4, q5 = _sum_of_workers(du, i + 4 * plane, plane, workers), _sum_of_workers(du, i + 5 * plane, plane, workers)
        r0 = g_transposed(q0[0], q1[0], q2[0], q3[0], q4[0], q5[0])
        r1 = g_transposed(q0[1], q1[1], q2[1], q3[1], q4[1], q5[1])
        r2 = g_transposed(q0[2], q1[2], q2[2], q3[2], q4[2], q5[2])
        store(dw, i, r0[0])
        store(dw, i + plane, r0[1])
        store(dw, i + 2 * plane, r0[2])
        store(dw, i + 3 * plane, r1[0])
        store(dw, i + 4 * plane, r1[1])
        store(dw, i + 5 * plane, r1[2])
        store(dw, i + 6 * plane, r2[0])
        store(dw, i + 7 * plane, r2[1])
        store(dw, i + 8 * plane, r2[2])
