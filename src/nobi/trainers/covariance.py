"""The matrix arithmetic of CMA-ES, compiled, with the order of every sum fixed in the source.

A library's eigenvectors depend on its version and on the processor, for which it selects its code; those of a nearly
spherical matrix are arbitrary. Here the compiler may neither reorder nor fuse operations, so the same matrix gives
identical results on every processor. The inner loops add multiples of contiguous rows, or rotate two of them, element
by element: such loops vectorise without a change of order.

The eigenvalues and eigenvectors are computed by Householder's reduction to a tridiagonal matrix and the QL algorithm
with implicit shifts (Wilkinson & Reinsch, "Handbook for automatic computation", 1971; Golub & Van Loan, "Matrix
computations", section 8.3).
"""

import math

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_EPSILON = 2.0**-52
_MAX_STEPS = 60
"""Maximum number of QL steps for one eigenvalue; two are usual."""


@compiled
def add_multiple(factor: float, row: Vector, total: Vector, begin: int, end: int) -> None:
    """Compute total[j] += factor·row[j] for j from begin to end − 1."""
    for j in range(begin, end):
        total[j] += factor * row[j]


@compiled
def rotate(c: float, s: float, row: Vector, following: Vector) -> None:
    """Rotate two rows in their plane."""
    for j in range(len(row)):
        x, y = row[j], following[j]
        row[j] = c * x - s * y
        following[j] = s * x + c * y


@compiled
def tridiagonalise(a: Matrix, d: Vector, e: Vector, u: Vector, p: Vector, scales: Vector) -> None:
    """Reduce a symmetric matrix A = Q·T·Qᵀ to the tridiagonal T with the diagonal d and the subdiagonal e[1:].

    Row k of `a` becomes the vector u of the reflection H_k = I − scales[k]·u·uᵀ, whose first k + 1 entries are 0; Q is
    the product H_0·H_1·…
    """
    n = len(a)
    for k in range(n - 2):
        norm = 0.0
        for j in range(k + 1, n):
            norm += a[k, j] * a[k, j]
        norm = math.sqrt(norm)
        d[k] = a[k, k]
        first = a[k, k + 1]
        alpha = -norm if first > 0 else norm
        e[k + 1] = alpha
        for j in range(k + 1):
            a[k, j] = 0.0
        if norm == 0.0:
            scales[k] = 0.0
            continue
        a[k, k + 1] = first - alpha
        scale = 1.0 / (norm * (norm + abs(first)))
        scales[k] = scale
        # p = scale·A·u, q = p − (scale·pᵀu / 2)·u, A ← A − u·qᵀ − q·uᵀ
        for j in range(k + 1, n):
            u[j] = a[k, j]
            p[j] = 0.0
        for i in range(k + 1, n):
            add_multiple(scale * u[i], a[i], p, k + 1, n)
        dot = 0.0
        for j in range(k + 1, n):
            dot += p[j] * u[j]
        add_multiple(-0.5 * scale * dot, u, p, k + 1, n)
        for i in range(k + 1, n):
            add_multiple(-u[i], p, a[i], k + 1, n)
            add_multiple(-p[i], u, a[i], k + 1, n)
    if n > 1:
        d[n - 2] = a[n - 2, n - 2]
        e[n - 1] = a[n - 2, n - 1]
    d[n - 1] = a[n - 1, n - 1]


@compiled
def multiply_reflections(a: Matrix, scales: Vector, q: Matrix, p: Vector) -> None:
    """Compute the product Q of the reflections that `tridiagonalise` has written to `a`."""
    n = len(a)
    for i in range(n):
        for j in range(n):
            q[i, j] = 1.0 if i == j else 0.0
    for back in range(n - 2):
        k = n - 3 - back
        if scales[k] == 0.0:
            continue
        for j in range(k + 1, n):
            p[j] = 0.0
        for i in range(k + 1, n):
            add_multiple(a[k, i], q[i], p, k + 1, n)
        for i in range(k + 1, n):
            add_multiple(-scales[k] * a[k, i], p, q[i], k + 1, n)


@compiled
def diagonalise(d: Vector, e: Vector, vectors: Matrix) -> bool:
    """Compute the eigenvalues d of the tridiagonal matrix (d, e) by the QL algorithm, and rotate the rows of `vectors`.

    Returns:
        Whether it converged, as it does for every finite matrix.
    """
    n = len(d)
    for i in range(1, n):
        e[i - 1] = e[i]
    e[n - 1] = 0.0
    for low in range(n):
        for step in range(_MAX_STEPS + 1):
            m = low
            while m < n - 1 and abs(e[m]) > _EPSILON * (abs(d[m]) + abs(d[m + 1])):
                m += 1
            if m == low:
                break
            if step == _MAX_STEPS:
                return False
            g = (d[low + 1] - d[low]) / (2.0 * e[low])
            r = math.sqrt(g * g + 1.0)
            g = d[m] - d[low] + e[low] / (g + (r if g >= 0 else -r))
            s, c, p = 1.0, 1.0, 0.0
            i = m - 1
            while i >= low:
                f, b = s * e[i], c * e[i]
                r = math.sqrt(f * f + g * g)
                e[i + 1] = r
                if r == 0.0:  # the matrix splits here
                    d[i + 1] -= p
                    e[m] = 0.0
                    break
                s, c = f / r, g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + 1] = g + p
                g = c * r - b
                rotate(c, s, vectors[i], vectors[i + 1])
                i -= 1
            if i < low:
                d[low] -= p
                e[low] = g
                e[m] = 0.0
    return True


@compiled
def decompose(a: Matrix, values: Vector, vectors: Matrix, q: Matrix, scratch: Matrix) -> bool:
    """Compute the eigenvalues and eigenvectors of a symmetric matrix.

    Args:
        a: [n, n] the matrix; it is overwritten.
        values: [n] receives the eigenvalues, in no particular order.
        vectors: [n, n] receives the eigenvectors as rows.
        q: [n, n] scratch.
        scratch: [4, n] scratch.

    Returns:
        Whether the algorithm converged.
    """
    n = len(a)
    tridiagonalise(a, values, scratch[0], scratch[1], scratch[2], scratch[3])
    multiply_reflections(a, scratch[3], q, scratch[2])
    for i in range(n):
        for j in range(n):
            vectors[i, j] = q[j, i]
    return diagonalise(values, scratch[0], vectors)


@compiled
def multiply_by_root(roots: Vector, vectors: Matrix, z: Matrix, w: Matrix, y: Matrix) -> None:
    """Compute y = C^½·z, where C has these eigenvectors, and `roots` are the square roots of its eigenvalues.

    Args:
        roots: [n].
        vectors: [n, n] the eigenvectors as rows.
        z: [n, candidate].
        w: [n, candidate] scratch.
        y: [n, candidate] receives the result.
    """
    n, count = z.shape
    for k in range(n):
        for s in range(count):
            w[k, s] = 0.0
            y[k, s] = 0.0
    for k in range(n):
        for j in range(n):
            add_multiple(vectors[k, j], z[j], w[k], 0, count)
        for s in range(count):
            w[k, s] *= roots[k]
    for k in range(n):
        for i in range(n):
            add_multiple(vectors[k, i], w[k], y[i], 0, count)


@compiled
def update_covariance(c: Matrix, keep: float, weights: Vector, steps: Matrix) -> None:
    """Compute c ← keep·c + Σ over s of weights[s]·steps[s]·steps[s]ᵀ, with steps [s, n]."""
    n = len(c)
    for i in range(n):
        for j in range(n):
            c[i, j] *= keep
        for s in range(len(weights)):
            add_multiple(weights[s] * steps[s, i], steps[s], c[i], 0, n)


@compiled
def norm_of(x: Vector) -> float:
    """Return the Euclidean norm."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return math.sqrt(total)


@compiled
def combine(weights: Vector, rows: Matrix, total: Vector) -> None:
    """Compute total = Σ over s of weights[s]·rows[s]."""
    for j in range(len(total)):
        total[j] = 0.0
    for s in range(len(weights)):
        add_multiple(weights[s], rows[s], total, 0, len(total))
