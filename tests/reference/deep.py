"""The deep networks with the papers' formulas, in NumPy: one position, one layer after another.

`x` is [planes, n, n]; filters are [outputs, inputs, p, p].
"""

import numpy as np
from scipy.signal import correlate2d


def relu(x):
    return np.maximum(x, 0)


def conv(x, filters, padding=0.0):
    """Pads every plane with a number, or each plane with its own number, so that the board keeps its size."""
    reach = filters.shape[-1] // 2
    beyond = np.broadcast_to(padding, len(x))
    wide = [np.pad(plane, reach, constant_values=value) for plane, value in zip(x, beyond, strict=True)]
    return np.array(
        [sum(correlate2d(plane, f, "valid") for plane, f in zip(wide, row, strict=True)) for row in filters]
    )


def c14(x, convolutions, top, top_bias, edge):
    """`convolutions` are pairs (filters, biases); `top` is [cell, n, n, planes], the weights of all inputs.

    With `edge` there is an eighth channel, empty on the board and padded with ones (C14 section 2.3.1).
    """
    for i, (filters, biases) in enumerate(convolutions):
        if i == 0 and edge:
            x = np.concatenate([x, np.zeros_like(x[:1])])
            values = conv(x, filters, [0.0] * (len(x) - 1) + [1.0])
        else:
            values = conv(x, filters)
        x = relu(values + biases[:, None, None])
    return np.array([np.sum(weights * x.transpose(1, 2, 0)) for weights in top]) + top_bias


def m15(x, hidden, top, colour):
    """`hidden` and `top` are pairs (filters, biases [outputs, n, n]); `colour` 0 is black's softmax, 1 white's."""
    for filters, biases in hidden:
        x = relu(conv(x, filters) + biases)
    return (conv(x, top[0]) + top[1])[colour].ravel()


def image(board, turns, mirrored):
    """A board [..., n, n], optionally reflected left to right, then rotated."""
    return np.rot90(board[..., ::-1] if mirrored else board, turns, axes=(-2, -1))
