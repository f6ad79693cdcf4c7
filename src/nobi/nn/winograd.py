"""3x3 convolutions on boards by Winograd's algorithm F(4x4, 3x3), forward and backward, compiled.

Lavin and Gray, "Fast algorithms for convolutional neural networks" (2016): a tile of 4x4 outputs depends on a patch d
of 6x6 inputs. With the constant matrices A, B and G (`transforms`),

    y = Aᵀ [(G w Gᵀ) ⊙ (Bᵀ d B)] A,

where ⊙ is the elementwise product of the 36 entries: with the sum over input channels, these are 36 matrix products of
tiles x channels by channels x outputs instead of nine larger ones. That is a quarter of the multiplications of a direct
convolution.

Layout. Activations are flat float32 arrays [board, row, column, channel]; channel counts are multiples of PANEL. A
worker computes `group` boards at a time, so that their 36 planes [tile, channel] stay in its cache. Missing operands
are arrays of length 0. The other operations of a residual block are fused with the transforms of its convolutions, so
that a block needs no extra pass over memory:

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.memory import zeros
from nobi.nn.kernels import PADDING, TILE, convolve_groups, convolve_groups_back
from nobi.nn.simd import PANEL
from nobi.nn.transforms import PLANES, Floats, filter_gradient, filters_to_planes

GROUP = 4
"""Number of boards that a worker transforms at a time, unless there are fewer."""
NONE: Floats = np.empty(0, np.float32)
"""A missing operand."""


class Shape(NamedTuple):
    """The shape of a convolution."""

    boards: int
    size: int
    channels: int
    outputs: int


def transform_filters(weight: NDArray[np.float32]) -> Floats:
    """Return the filters [outputs, channels, 3, 3] transformed for `convolve`."""
    outputs, channels = weight.shape[:2]
    _check_channels(channels, outputs)
    transformed = zeros(PLANES * channels * outputs, np.float32)
    filters_to_planes(np.ascontiguousarray(weight.transpose(2, 3, 1, 0)).reshape(-1), transformed, channels, outputs)
    return transformed


def transform_filters_back(weight: NDArray[np.float32]) -> Floats:
    """Return the filters [outputs, channels, 3, 3] transformed for `convolve_back`."""
    return transform_filters(np.asarray(weight).transpose(1, 0, 2, 3))


def convolve(
    x: Floats, filters: Floats, y: Floats, shape: Shape, *, scale: Floats = NONE, shift: Floats = NONE, relu: bool,
    bias: Floats = NONE, residual: Floats = NONE, sums: Floats = NONE, threads: int = 1,
) -> None:  # fmt: skip
    """Compute y = conv(relu(x · scale + shift)) + bias + residual.

    Args:
        x: [board, row, column, channel], flat, as all arrays here.
        filters: of `transform_filters`.
        y: [board, row, column, output] receives the result; it may be `residual`.
        shape: the shape of the convolution.
        scale: [channel].
        shift: [board, channel].
        relu: whether to rectify.
        bias: [output].
        residual: [board, row, column, output].
        sums: [board, 2, output] receives the sums of y and of y² over each board.
        threads: threads to use; the result does not depend on it.
    """
    boards, size, channels, outputs = shape
    check_lengths(shape, x=x, filters=filters, y=y, scale=scale, shift=shift, bias=bias, residual=residual, sums=sums)
    group = min(GROUP, boards)

    def work(worker: int, workers: int) -> None:
        planes, products, padded, _ = _workspace(size, channels, outputs, group)
        convolve_groups(
            worker, workers, x, scale, shift, int(relu), filters, bias, residual, y, sums, boards, size, channels,
            outputs, group, planes, products, padded,
        )  # fmt: skip

    share_work(work, min(threads, -(-boards // group)))


def convolve_back(
    x: Floats, dy: Floats, filters: Floats, dw: Floats, db: Floats, shape: Shape, *, scale: Floats = NONE,
    shift: Floats = NONE, relu: bool, dz: Floats = NONE, dshift: Floats = NONE, dscale: Floats = NONE,
    threads: int = 1,
) -> None:  # fmt: skip
    """Compute the gradients of `convolve` from the gradient of its output.

    Args:
        x: as in `convolve`.
        dy: [board, row, column, output] the gradient of y.
        filters: of `transform_filters_back`.
        dw: [3, 3, channel, output] receives the gradient of the filters; its last bits depend on `threads`.
        db: [board, output] receives the sums of dy over each board.
        shape: as in `convolve`.
        scale: as in `convolve`.
        shift: as in `convolve`.
        relu: as in `convolve`.
        dz: [board, row, column, channel] receives the gradient of z = x · scale + shift; without it, only the filters'
            gradients are computed.
        dshift: [board, channel] receives the sums of dz over each board.
        dscale: [board, channel] receives the sums of dz · x over each board.
        threads: threads to use.
    """
    boards, size, channels, outputs = shape
    check_lengths(
        shape, x=x, dy=dy, filters=filters, dw=dw, db=db, scale=scale, shift=shift, dz=dz, dshift=dshift, dscale=dscale
    )
    if len(dz) and not (len(dshift) and len(dscale)):
        raise ValueError("dz, dshift and dscale are computed together")
    group = min(GROUP, boards)
    threads = min(threads, -(-boards // group))
    du = _buffer(f"du{threads}", threads * PLANES * channels * outputs)
    each = PLANES * channels * outputs

    def work(worker: int, workers: int) -> None:
        planes, products, padded, gradient = _workspace(size, channels, outputs, group)
        convolve_groups_back(
            worker, workers, x, scale, shift, int(relu), dy, filters, dz, dshift, dscale,
            du[worker * each : (worker + 1) * each], db, boards, size, channels, outputs, group, planes, products,
            padded, gradient,
        )  # fmt: skip

    share_work(work, threads)
    filter_gradient(du, threads, dw, channels, outputs)


def check_lengths(shape: Shape, **arrays: Floats) -> None:
    """Raise a ValueError for an array of the wrong length, type or layout, which compiled code does not check."""
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
    """Return this thread's buffer of a name, with at least this length and arbitrary content."""
    buffers: dict[str, Floats] = _local.__dict__.setdefault("buffers", {})
    if name not in buffers or len(buffers[name]) < length:
        buffers[name] = zeros(length, np.float32)
    return buffers[name][:length]


def _workspace(size: int, channels: int, outputs: int, group: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Return this thread's planes, products, padded board and its gradient. The border of the padded board stays 0."""
    tiles = -(-size // TILE)
    side, rows = TILE * tiles + 2, group * tiles * tiles
    padded: dict[tuple[int, int], Floats] = _local.__dict__.setdefault("padded", {})
    if (size, channels) not in padded:
        padded[size, channels] = zeros(side * side * channels, np.float32)
    return (
        _buffer("planes", PLANES * (rows * channels + PADDING)),
        _buffer("products", PLANES * (rows * outputs + PADDING)),
        padded[size, channels],
        _buffer("gradient", side * side * channels),
    )


_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def share_work(work: Callable[[int, int], None], workers: int) -> None:
    """Call work(0, workers), work(1, workers), …, each in a separate thread, the first in this one."""
    global _pool
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
