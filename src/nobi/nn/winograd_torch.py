"""The compiled convolutions with torch's autograd, for training on the CPU.

Tensors are float32[board, row, column, channel], contiguous; the compiled code works on their memory without copies.
Batch normalisation uses the sums over each board computed by the preceding convolution, so that a block of

    y = x + conv₂(relu(norm₂(conv₁(relu(norm₁(x)))) + pooled))

reads and writes every activation once for each convolution.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nobi.nn.pooling import activate, activate_back, normalise_back, pool, pool_back
from nobi.nn.residual import EPSILON
from nobi.nn.transforms import Floats
from nobi.nn.winograd import (
    NONE,
    Shape,
    convolve,
    convolve_back,
    transform_filters,
    transform_filters_back,
)


class Statistics(NamedTuple):
    """The mean and variance of a batch normalisation."""

    mean: NDArray[np.float64]
    """[channel]"""
    variance: NDArray[np.float64]
    """[channel]"""
    number: int
    """The count of numbers in the batch; 0 if mean and variance are constants without gradients."""


def batch_statistics(sums: Tensor, cells: int) -> Statistics:
    """Return the statistics of a batch, from sums and sums of squares [board, 2, channel] over its boards."""
    total = sums.detach().numpy().sum(axis=0, dtype=np.float64)
    count = len(sums) * cells
    mean = total[0] / count
    return Statistics(mean, np.maximum(total[1] / count - mean * mean, 0.0), count)


class _Norm(NamedTuple):
    """z = x · scale + shift, with the values required by the gradient."""

    scale: Floats
    shift: Floats
    mean: NDArray[np.float64]
    inverse: NDArray[np.float64]
    """1 / deviation."""
    number: int

    @classmethod
    def of(cls, gamma: Tensor, beta: Tensor, statistics: Statistics) -> "_Norm":
        inverse = 1.0 / np.sqrt(statistics.variance + EPSILON)
        scale = gamma.detach().numpy() * inverse
        shift = beta.detach().numpy() - statistics.mean * scale
        return cls(scale.astype(np.float32), shift.astype(np.float32), statistics.mean, inverse, statistics.number)

    def back(self, dz: Floats, x: Floats, dshift: Floats, dscale: Floats, more: Floats) -> tuple[Tensor, Tensor]:
        """Convert dz into the gradient of x (+ more) in place; return the gradients of gamma and beta.

        dshift and dscale [board, channel] are the sums of dz and of dz · x.
        """
        channels = len(self.scale)
        sum_dz = dshift.reshape(-1, channels).sum(axis=0, dtype=np.float64)
        sum_dz_x = dscale.reshape(-1, channels).sum(axis=0, dtype=np.float64)
        dgamma = self.inverse * (sum_dz_x - self.mean * sum_dz)
        slope, offset = np.zeros(channels), np.zeros(channels)
        if self.number:
            slope = -self.scale * self.inverse * dgamma / self.number
            offset = -self.scale * sum_dz / self.number - slope * self.mean
        rows = len(x) // channels
        normalise_back(dz, x, self.scale, slope.astype(np.float32), offset.astype(np.float32), more, rows, channels)
        return _tensor(dgamma), _tensor(sum_dz)


def _tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array, np.float32))


def _flat(tensor: Tensor) -> Floats:
    return tensor.detach().contiguous().numpy().reshape(-1)


def _empty(*shape: int) -> Floats:
    return np.empty(int(np.prod(shape)), np.float32)


def _filter_gradient(dw: Floats, channels: int, outputs: int) -> Tensor:
    return torch.from_numpy(dw.reshape(3, 3, channels, outputs).transpose(3, 2, 0, 1))


class Convolution(torch.autograd.Function):
    """conv(relu(x)) or conv(x), with the sums that a following batch normalisation needs."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, relu: bool, threads: int) -> tuple[Tensor, Tensor]:
        """Return y [b, n, n, k] and the sums [b, 2, k] of y and y², from x [b, n, n, c] and weight [k, c, 3, 3]."""
        boards, size, _, channels = x.shape
        outputs = weight.shape[0]
        shape = Shape(boards, size, channels, outputs)
        x = x.contiguous()
        y, sums = torch.empty(boards, size, size, outputs), torch.empty(boards, 2, outputs)
        filters = transform_filters(weight.detach().numpy())
        convolve(_flat(x), filters, _flat(y), shape, relu=relu, sums=_flat(sums), threads=threads)
        ctx.save_for_backward(x, weight)
        ctx.shape, ctx.relu, ctx.threads = shape, relu, threads
        ctx.mark_non_differentiable(sums)
        return y, sums

    @staticmethod
    def backward(ctx: Any, dy: Tensor, _: Tensor) -> tuple[Tensor | None, Tensor, None, None]:
        """Return the gradients of x and weight."""
        x, weight = ctx.saved_tensors
        boards, _, channels, outputs = ctx.shape
        wanted = ctx.needs_input_grad[0]
        dx = torch.empty_like(x) if wanted else None
        dw, db = _empty(9, channels, outputs), _empty(boards, outputs)
        sums = (_empty(boards, channels), _empty(boards, channels)) if wanted else (NONE, NONE)
        convolve_back(
            _flat(x), _flat(dy), transform_filters_back(weight.detach().numpy()), dw, db, ctx.shape, relu=ctx.relu,
            dz=NONE if dx is None else _flat(dx), dshift=sums[0], dscale=sums[1], threads=ctx.threads,
        )  # fmt: skip
        return dx, _filter_gradient(dw, channels, outputs), None, None


class Block(torch.autograd.Function):
    """A pre-activation residual block with batch normalisation, and global pooling if `matrix` is given."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        weight1: Tensor,
        gamma1: Tensor,
        beta1: Tensor,
        weight2: Tensor,
        gamma2: Tensor,
        beta2: Tensor,
        matrix: Tensor | None,
        statistics: tuple[Statistics, Any],
        threads: int,
    ) -> tuple[Tensor, Tensor]:
        """Return y, of the shape of x float[b, n, n, c], and the sums float[b, 2, c] of y and y².

        `matrix` float[h, 2h] maps mean and maximum of relu(norm₂) to a shift of each channel. `statistics` are those of
        norm₁ and a function from the sums of conv₁ to the statistics of norm₂.
        """
        boards, size, _, channels = x.shape
        hidden, cells = weight1.shape[0], size * size
        first, second = Shape(boards, size, channels, hidden), Shape(boards, size, hidden, channels)
        of_first, of_second = statistics
        norm1 = _Norm.of(gamma1, beta1, of_first)
        h, h_sums = torch.empty(boards, size, size, hidden), torch.empty(boards, 2, hidden)
        shift1 = np.tile(norm1.shift, boards)
        convolve(
            _flat(x), transform_filters(weight1.detach().numpy()), _flat(h), first, scale=norm1.scale, shift=shift1,
            relu=True, sums=_flat(h_sums), threads=threads,
        )  # fmt: skip
        norm2 = _Norm.of(gamma2, beta2, of_second(h_sums))
        shift2 = np.tile(norm2.shift, boards)
        pooled = place = NONE
        if matrix is not None:
            pooled, place = _empty(boards, 2, hidden), _empty(boards, hidden)
            pool(_flat(h), norm2.scale, norm2.shift, pooled, place, boards, cells, hidden)
            shift2 += _flat(torch.from_numpy(pooled).view(boards, -1) @ matrix.T)
        y, sums = torch.empty_like(x), torch.empty(boards, 2, channels)
        convolve(
            _flat(h), transform_filters(weight2.detach().numpy()), _flat(y), second, scale=norm2.scale, shift=shift2,
            relu=True, residual=_flat(x), sums=_flat(sums), threads=threads,
        )  # fmt: skip
        ctx.save_for_backward(x, h, weight1, weight2, matrix)
        ctx.kept = norm1, norm2, shift1, shift2, pooled, place, first, second, threads
        ctx.mark_non_differentiable(sums)
        return y, sums

    @staticmethod
    def backward(ctx: Any, dy: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of x and of all weights."""
        x, h, weight1, weight2, matrix = ctx.saved_tensors
        norm1, norm2, shift1, shift2, pooled, place, first, second, threads = ctx.kept
        boards, size, channels, hidden = first
        dy = dy.contiguous()
        dh, dw2 = torch.empty_like(h), _empty(9, hidden, channels)
        db, dshift, dscale = _empty(boards, channels), _empty(boards, hidden), _empty(boards, hidden)
        convolve_back(
            _flat(h), _flat(dy), transform_filters_back(weight2.detach().numpy()), dw2, db, second, scale=norm2.scale,
            shift=shift2, relu=True, dz=_flat(dh), dshift=dshift, dscale=dscale, threads=threads,
        )  # fmt: skip
        dmatrix = None
        if matrix is not None:
            of_shift = torch.from_numpy(dshift).view(boards, hidden)  # torch's products: NumPy's start threads
            dmatrix = of_shift.T @ torch.from_numpy(pooled).view(boards, -1)
            dpooled = _flat(of_shift @ matrix)
            pool_back(
                _flat(h),
                norm2.scale,
                norm2.shift,
                dpooled,
                place,
                _flat(dh),
                dshift,
                dscale,
                boards,
                size * size,
                hidden,
            )
        dgamma2, dbeta2 = norm2.back(_flat(dh), _flat(h), dshift, dscale, NONE)
        dx, dw1 = torch.empty_like(x), _empty(9, channels, hidden)
        db, dshift, dscale = _empty(boards, hidden), _empty(boards, channels), _empty(boards, channels)
        convolve_back(
            _flat(x), _flat(dh), transform_filters_back(weight1.detach().numpy()), dw1, db, first, scale=norm1.scale,
            shift=shift1, relu=True, dz=_flat(dx), dshift=dshift, dscale=dscale, threads=threads,
        )  # fmt: skip
        dgamma1, dbeta1 = norm1.back(_flat(dx), _flat(x), dshift, dscale, _flat(dy))
        gradients = (dx, _filter_gradient(dw1, channels, hidden), dgamma1, dbeta1)
        return (*gradients, _filter_gradient(dw2, hidden, channels), dgamma2, dbeta2, dmatrix, None, None)


class NormalisedRelu(torch.autograd.Function):
    """relu(norm(x)), as before the head of a network."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, gamma: Tensor, beta: Tensor, statistics: Statistics) -> Tensor:
        """Return relu(norm(x)) for x float[b, n, n, c]."""
        norm = _Norm.of(gamma, beta, statistics)
        y = torch.empty_like(x)
        channels = x.shape[-1]
        activate(_flat(x), norm.scale, norm.shift, _flat(y), x.numel() // channels, channels)
        ctx.save_for_backward(x, y)
        ctx.norm = norm
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        """Return the gradients of x, gamma and beta."""
        x, y = ctx.saved_tensors
        boards, size, _, channels = x.shape
        dz = torch.empty_like(x)
        dshift, dscale = _empty(boards, channels), _empty(boards, channels)
        activate_back(_flat(x), _flat(y), _flat(dy), _flat(dz), dshift, dscale, boards, size * size, channels)
        dgamma, dbeta = ctx.norm.back(_flat(dz), _flat(x), dshift, dscale, NONE)
        return dz, dgamma, dbeta, None
