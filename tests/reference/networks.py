"""The size-scalable networks with the papers' formulas: plain loops over points.

Every network takes `own` and `enemy`, [n, n] arrays of 0 and 1, and gives its preferences, [n, n], before any final
sigmoid. The columns of a first layer's `w_in` are (own, enemy).
"""

import numpy as np

SWEEPS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]  # the vertical and horizontal steps of the four diagonal sweeps


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def board_inputs(own, enemy):
    """Two inputs per point: [n, n, 2]."""
    return np.stack([own, enemy], axis=-1).astype(float)


def points_in_order(size, sweep):
    down, right = sweep
    return [(row, column) for row in range(size)[::down] for column in range(size)[::right]]


def beside_in_row(point, sweep):
    """The predecessor of this point in the same row; it may be beyond the border."""
    return point[0], point[1] - sweep[1]


def beside_in_column(point, sweep):
    return point[0] - sweep[0], point[1]


# --- MDRNN


def mdrnn_sweep(inputs, w_in, w_h, w_b, border, sweep):
    """The outputs of the hidden units at each point, [n, n, k], for inputs [n, n, any number]."""
    h = {}
    for point in points_in_order(len(inputs), sweep):
        total = w_in @ inputs[point]
        for before in (beside_in_row(point, sweep), beside_in_column(point, sweep)):
            if before in h:
                total = total + w_h @ h[before]
            elif border == "value":
                total = total + w_h @ w_b
            else:
                total = total + w_b
        h[point] = np.tanh(total)
    return on_board(h, len(inputs))


def on_board(values, size):
    """A dict of vectors by point as an array [n, n, k]."""
    return np.array([[values[row, column] for column in range(size)] for row in range(size)])


def mdrnn_layer(inputs, w_in, w_h, w_b, border="value"):
    """The hidden units' sum over all sweeps: [n, n, k]."""
    return sum(mdrnn_sweep(inputs, w_in, w_h, w_b, border, sweep) for sweep in SWEEPS)


def mdrnn(own, enemy, w_in, w_h, w_out, w_b, border="value"):
    """`w_in` [k, 2], `w_h` [k, k], `w_out` [k], `w_b` [k]; Schaul and Schmidhuber 2008, section III."""
    return mdrnn_layer(board_inputs(own, enemy), w_in, w_h, w_b, border) @ w_out


# --- MDLSTM


def published_gate(before, point, size, sweep):
    """The forget gate, 0 or 1, for the state from `before` at `point` in the published code.

    The outgoing links of a point are numbered in row-major order of their targets on the board.
    """
    row, column = before
    links = [(row + sweep[0], column), (row, column + sweep[1])]
    on_the_board = [(r, c) for r, c in links if 0 <= r < size and 0 <= c < size]
    return sorted(on_the_board).index(point)


def mdlstm_sweep(inputs, w_in, w_h, w_b, sweep, gate_of):
    """The outputs of the cells at each point, [n, n, k]. `gate_of(before, point)` is the number of a forget gate."""
    k = w_h.shape[1]
    h, state = {}, {}
    for point in points_in_order(len(inputs), sweep):
        predecessors = [beside_in_row(point, sweep), beside_in_column(point, sweep)]
        total = w_in @ inputs[point]
        for before in predecessors:
            total = total + (w_h @ h[before] if before in h else w_b)
        input_gate, *forget_gates, cell, output_gate = total.reshape(-1, k)
        s = sigmoid(input_gate) * np.tanh(cell)
        for before in predecessors:
            if before in state:
                s = s + sigmoid(forget_gates[gate_of(before, point)]) * state[before]
        state[point] = s
        h[point] = sigmoid(output_gate) * np.tanh(s)
    return on_board(h, len(inputs))


def mdlstm_layer(inputs, w_in, w_h, w_b, mode="symmetric"):
    """The cells' sum over all sweeps: [n, n, k]."""
    size = len(inputs)
    total = 0
    for sweep in SWEEPS:
        rules = {
            "symmetric": [
                lambda before, point: 0 if before[0] == point[0] else 1,
                lambda before, point: 1 if before[0] == point[0] else 0,
            ],
            "tied": [lambda before, point: 0],  # noqa: ARG005
            "original": [lambda before, point, sweep=sweep: published_gate(before, point, size, sweep)],
        }
        for gate_of in rules[mode]:
            total = total + mdlstm_sweep(inputs, w_in, w_h, w_b, sweep, gate_of)
    return total


def mdlstm(own, enemy, w_in, w_h, w_out, w_b, mode="symmetric"):
    """`w_in` [5k, 2], `w_h` [5k, k], `w_out` [k], `w_b` [5k], 4k in place of 5k in mode `tied`.

    The rows are those of the input gate, the forget gates, the cell and the output gate, k each.
    """
    return mdlstm_layer(board_inputs(own, enemy), w_in, w_h, w_b, mode) @ w_out


# --- Stacked


def stacked(own, enemy, layers, w_out, cell="mdlstm", mode="symmetric", border="value"):
    """Each layer, a triple (w_in, w_h, w_b), has as inputs the sum of the sweeps of the layer before it.

    `w_in` has 2 columns in the first layer and k in the others; `w_out` [k] combines the last one's units.
    """
    values = board_inputs(own, enemy)
    for w_in, w_h, w_b in layers:
        if cell == "mdrnn":
            values = mdrnn_layer(values, w_in, w_h, w_b, border)
        else:
            values = mdlstm_layer(values, w_in, w_h, w_b, mode)
    return values @ w_out


# --- CONV


def conv(own, enemy, w_in, w_out, w_pad, planes=1):
    """`w_in` [k, planes, p, p], `w_out` [k], `w_pad` [planes]: the values of the points beyond the border.

    One plane is own - enemy, two are own and enemy. Row 0, column 0 of a filter belongs to the upper left point.
    """
    inputs = [own - enemy] if planes == 1 else [own, enemy]
    size, reach = len(own), w_in.shape[-1] // 2
    out = np.zeros((size, size))
    for row in range(size):
        for column in range(size):
            for filters, weight in zip(w_in, w_out, strict=True):
                total = 0.0
                for plane, filter_, padding in zip(inputs, filters, w_pad, strict=True):
                    for (i, j), w in np.ndenumerate(filter_):
                        r, c = row + i - reach, column + j - reach
                        on_the_board = 0 <= r < size and 0 <= c < size
                        total += w * (plane[r, c] if on_the_board else padding)
                out[row, column] += weight * np.tanh(total)
    return out


# --- MLP


def mlp(own, enemy, w_in, b_in, w_out, b_out, unit="tanh"):
    """`w_in` [k, 2n²], `b_in` [k], `w_out` [n², k], `b_out` [n²]; inputs: the own plane, then the enemy's, by rows."""
    inputs = np.concatenate([own.ravel(), enemy.ravel()]).astype(float)
    activation = {"tanh": np.tanh, "sigmoid": sigmoid}[unit]
    hidden = activation(w_in @ inputs + b_in)
    return (w_out @ hidden + b_out).reshape(own.shape)
