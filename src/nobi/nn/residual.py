"""The forward pass of a nobi-net without torch, for players and the search, with the compiled convolutions.

Batch normalisation is reduced to a scale and a shift per channel. Several threads may evaluate at the same time.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.compiling import compiled
from nobi.memory import zeros
from nobi.nn.kernels import matrix_product
from nobi.nn.pooling import activate, pool
from nobi.nn.simd import PANEL
from nobi.nn.transforms import Floats
from nobi.nn.winograd import Shape, convolve, share_work, transform_filters

EPSILON = 1e-5
"""The constant added to variances, as in training."""


class Evaluation(NamedTuple):
    """The outputs of the network for a batch of positions."""

    policy: NDArray[np.float32]  # [b, n·n] the logits of moves
    value: NDArray[np.float32] | None = None  # [b] the probability that the player to move wins, if it predicts that


class _Norm(NamedTuple):
    scale: Floats
    shift: Floats


class _Block(NamedTuple):
    norm1: _Norm
    first: Floats
    norm2: _Norm
    second: Floats
    pooling: NDArray[np.float32] | None  # [2 · width, width]


class _Head(NamedTuple):
    """The head's weights; `matrix` as panels for `matrix_product`."""

    matrix: Floats
    bias: Floats
    pooling: NDArray[np.float32]  # [half, 2 · half]
    moves: Floats
    moves_bias: Floats
    hidden: NDArray[np.float32]  # [2 · half, 2 · half]
    hidden_bias: Floats
    value: Floats
    value_bias: Floats


class ResidualNetwork:
    """The weights of a nobi-net, transformed for inference."""

    def __init__(self, tensors: Mapping[str, NDArray[np.float32]], planes: int) -> None:
        """Transform the weights.

        Args:
            tensors: keyed by the names in the torch module; filters are [outputs, inputs, 3, 3].
            planes: the number of input planes; a plane of ones is added to them.
        """
        self._planes = planes
        self._channels = -(-(planes + 1) // PANEL) * PANEL
        stem = tensors["stem.weight"]
        padding = ((0, 0), (0, self._channels - planes - 1), (0, 0), (0, 0))
        self._stem = transform_filters(np.pad(stem, padding))
        self.width = len(stem)
        count = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("blocks."))
        self._blocks = [_block(tensors, f"blocks.{i}.") for i in range(count)]
        self._norm = _norm(tensors, "norm.")
        self._head = _head(tensors)

    def evaluate(self, planes: NDArray[Any], threads: int = 1) -> Evaluation:
        """Return the outputs for positions given as planes float32[b, P, n, n]."""
        boards, count, size, columns = planes.shape
        if count != self._planes or size != columns:
            raise ValueError(f"the network takes {self._planes} planes of a square board, not {planes.shape[1:]}")
        cells, width = size * size, self.width
        inputs = np.zeros((boards, size, size, self._channels), np.float32)
        inputs[..., :count] = planes.transpose(0, 2, 3, 1)
        inputs[..., count] = 1.0
        x, y, h = (np.empty(boards * cells * width, np.float32) for _ in range(3))
        convolve(
            inputs.reshape(-1), self._stem, x, Shape(boards, size, self._channels, width), relu=False, threads=threads
        )
        shape = Shape(boards, size, width, width)
        pooled, place = np.empty((boards, 2 * width), np.float32), np.empty(boards * width, np.float32)
        for block in self._blocks:
            (scale1, shift1), (scale2, shift2) = block.norm1, block.norm2
            convolve(x, block.first, h, shape, scale=scale1, shift=np.tile(shift1, boards), relu=True, threads=threads)
            shifts = np.tile(shift2, (boards, 1))
            if block.pooling is not None:
                pool(h, scale2, shift2, pooled.reshape(-1), place, boards, cells, width)
                add_product(pooled, block.pooling, shifts)
            convolve(
                h,
                block.second,
                y,
                shape,
                scale=scale2,
                shift=shifts.reshape(-1),
                relu=True,
                residual=x,
                threads=threads,
            )
            x, y = y, x
        policy, value = np.empty((boards, cells), np.float32), np.empty(boards, np.float32)
        half = len(self._head.moves)

        def work(worker: int, workers: int) -> None:
            rectified, columns = zeros(cells * width, np.float32), zeros(cells * 2 * half, np.float32)
            pooled, (scale, shift) = zeros(2 * half, np.float32), self._norm
            _evaluate_head(
                worker, workers, x, scale, shift, self._head, rectified, columns, pooled, boards, cells, width, half,
                policy, value,
            )  # fmt: skip

        share_work(work, min(threads, boards))
        return Evaluation(policy, sigmoid(value))


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probabilities of logits."""
    return (1.0 / (1.0 + np.exp(-logits.astype(np.float64)))).astype(np.float32)


def _norm(tensors: Mapping[str, NDArray[np.float32]], prefix: str) -> _Norm:
    weight, bias, mean, variance = (
        tensors[prefix + name].astype(np.float64) for name in ("weight", "bias", "mean", "variance")
    )
    scale = weight / np.sqrt(variance + EPSILON)
    return _Norm(scale.astype(np.float32), (bias - mean * scale).astype(np.float32))


def _block(tensors: Mapping[str, NDArray[np.float32]], prefix: str) -> _Block:
    pooling = tensors.get(prefix + "pooling")
    return _Block(
        _norm(tensors, prefix + "norm1."),
        transform_filters(tensors[prefix + "first.weight"]),
        _norm(tensors, prefix + "norm2."),
        transform_filters(tensors[prefix + "second.weight"]),
        None if pooling is None else np.ascontiguousarray(pooling.T),
    )


def _head(tensors: Mapping[str, NDArray[np.float32]]) -> _Head:
    matrix = tensors["head.weight"].T  # [width, 2 · half]
    panels = matrix.reshape(len(matrix), -1, PANEL).transpose(1, 0, 2)
    return _Head(
        np.ascontiguousarray(panels).reshape(-1),
        tensors["head.bias"],
        np.ascontiguousarray(tensors["head_pooling.weight"]),
        np.ascontiguousarray(tensors["moves.weight"][0]),
        tensors["moves.bias"][:1],
        np.ascontiguousarray(tensors["value_hidden.weight"]),
        tensors["value_hidden.bias"],
        tensors["value.weight"][0],
        tensors["value.bias"],
    )


@compiled
def add_product(a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32]) -> None:
    """Compute c [i, j] += a [i, k] · b [k, j] for small matrices, for which NumPy would start threads."""
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@compiled
def _evaluate_head(
    worker: int,
    workers: int,
    x: Floats,
    scale: Floats,
    shift: Floats,
    head: _Head,
    rectified: Floats,
    columns: Floats,
    pooled: Floats,
    boards: int,
    cells: int,
    width: int,
    half: int,
    policy: NDArray[np.float32],
    value: NDArray[np.float32],
) -> None:
    """Evaluate the boards worker, worker + workers, …; `rectified`, `columns` and `pooled` are the worker's workspace.

    The first half of the head's channels is pooled; the pooled numbers are the inputs of the value, and shift the
    second half, which is the input of the policy.
    """
    for board in range(worker, boards, workers):
        activate(x[board * cells * width : (board + 1) * cells * width], scale, shift, rectified, cells, width)
        matrix_product(rectified, 0, cells, width, head.matrix, 0, 2 * half, columns, 0)
        pooled[:] = np.float32(0)
        for cell in range(cells):
            for k in range(half):
                number = max(columns[2 * half * cell + k] + head.bias[k], np.float32(0))
                pooled[k] += number
                pooled[half + k] = max(pooled[half + k], number)
        for k in range(half):
            pooled[k] /= np.float32(cells)
        for cell in range(cells):
            policy[board, cell] = head.moves_bias[0]
        for k in range(half):
            more = head.bias[half + k]
            for j in range(2 * half):
                more += head.pooling[k, j] * pooled[j]
            for cell in range(cells):
                policy[board, cell] += head.moves[k] * max(columns[2 * half * cell + half + k] + more, np.float32(0))
        total = head.value_bias[0]
        for k in range(2 * half):
            unit = head.hidden_bias[k]
            for j in range(2 * half):
                unit += head.hidden[k, j] * pooled[j]
            total += head.value[k] * max(unit, np.float32(0))
        value[board] = total
