"""The compiled convolutions against torch in float64: values, gradients, any board, any number of threads."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nobi.nn import winograd
from nobi.nn.winograd import NONE, Shape, convolve, convolve_back, transform_filters, transform_filters_back

CLOSE = 3e-5
"""Tolerance relative to the largest number: Winograd's transforms lose about one decimal digit of float32."""


def close(found, expected):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= CLOSE * max(1e-6, np.abs(expected).max())


class Case:
    """Random operands of a convolution, and the results of torch in float64."""

    def __init__(self, boards, size, channels, outputs, relu=True, bare=False, seed=0):
        rng = np.random.default_rng(seed)

        def normal(*shape):
            return rng.normal(size=shape).astype(np.float32)

        self.shape, self.relu, self.bare = Shape(boards, size, channels, outputs), relu, bare
        self.x, self.dy = normal(boards, size, size, channels), normal(boards, size, size, outputs)
        self.weight = normal(outputs, channels, 3, 3) / np.float32(np.sqrt(9 * channels))
        self.scale, self.shift, self.bias = normal(channels), normal(boards, channels), normal(outputs)
        self.residual = normal(boards, size, size, outputs)
        self._expect()

    def _expect(self):
        x, weight, scale, shift, bias, residual, dy = (
            torch.tensor(a.astype(np.float64))
            for a in (self.x, self.weight, self.scale, self.shift, self.bias, self.residual, self.dy)
        )
        z = x.permute(0, 3, 1, 2)
        if not self.bare:
            z = z * scale[:, None, None] + shift[:, :, None, None]
        z, weight = z.detach().requires_grad_(), weight.requires_grad_()
        y = torch.conv2d(torch.relu(z) if self.relu else z, weight, padding=1)
        if not self.bare:
            y = y + bias[:, None, None] + residual.permute(0, 3, 1, 2)
        y.backward(dy.permute(0, 3, 1, 2))
        self.y = y.detach().permute(0, 2, 3, 1).numpy()
        self.dz = z.grad.permute(0, 2, 3, 1).numpy()
        self.dw = weight.grad.permute(2, 3, 1, 0).numpy()

    def forward(self, threads=1):
        y = np.empty_like(self.residual)
        sums = np.empty((self.shape.boards, 2, self.shape.outputs), np.float32)
        more = {} if self.bare else {
            "scale": self.scale, "shift": self.shift.ravel(), "bias": self.bias, "residual": self.residual.ravel()
        }  # fmt: skip
        convolve(self.x.ravel(), transform_filters(self.weight), y.reshape(-1), self.shape, relu=self.relu,
                 sums=sums.reshape(-1), threads=threads, **more)  # fmt: skip
        return y, sums

    def backward(self, threads=1, inputs=True):
        boards, _, channels, outputs = self.shape
        found = {"dw": np.empty((3, 3, channels, outputs), np.float32), "db": np.empty((boards, outputs), np.float32)}
        if inputs:
            found |= {"dz": np.empty_like(self.x)}
            found |= {name: np.empty((boards, channels), np.float32) for name in ("dshift", "dscale")}
        more = {} if self.bare else {"scale": self.scale, "shift": self.shift.ravel()}
        convolve_back(self.x.ravel(), self.dy.ravel(), transform_filters_back(self.weight), shape=self.shape,
                      relu=self.relu, threads=threads, **more,
                      **{name: array.reshape(-1) for name, array in found.items()})  # fmt: skip
        return found


cases = st.builds(
    Case,
    boards=st.integers(1, 9),
    size=st.integers(5, 25),
    channels=st.sampled_from([16, 32, 48, 80]),
    outputs=st.sampled_from([16, 32, 64]),
    relu=st.booleans(),
    bare=st.booleans(),
    seed=st.integers(0, 1000),
)


@settings(max_examples=40, deadline=None)
@given(cases)
def test_values_and_gradients_are_those_of_torch(case):
    y, sums = case.forward()
    close(y, case.y)
    close(sums[:, 0], case.y.sum((1, 2)))
    close(sums[:, 1], (case.y**2).sum((1, 2)))
    found = case.backward()
    close(found["dz"], case.dz)
    close(found["dw"], case.dw)
    close(found["db"], case.dy.sum((1, 2), dtype=np.float64))
    close(found["dshift"], case.dz.sum((1, 2)))
    close(found["dscale"], (case.dz * case.x).sum((1, 2)))


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_bits_only_in_the_sum_over_boards(threads):
    case = Case(11, 9, 32, 48)
    for one, other in zip(case.forward(), case.forward(threads), strict=True):
        np.testing.assert_array_equal(one, other)
    alone, shared = case.backward(), case.backward(threads)
    for name in ("dz", "db", "dshift", "dscale"):
        np.testing.assert_array_equal(alone[name], shared[name])
    close(shared["dw"], case.dw)
    np.testing.assert_array_equal(shared["dw"], case.backward(threads)["dw"])


def test_a_position_does_not_depend_on_the_others_in_its_batch():
    case = Case(7, 13, 16, 32)
    whole, _ = case.forward()
    for board in range(7):
        one = Case(1, 13, 16, 32)
        for name in ("x", "shift", "residual"):
            setattr(one, name, getattr(case, name)[board : board + 1])
        one.weight, one.scale, one.bias = case.weight, case.scale, case.bias
        np.testing.assert_array_equal(one.forward()[0][0], whole[board])


def test_the_gradient_of_the_input_is_optional():
    case = Case(3, 7, 16, 16)
    np.testing.assert_array_equal(case.backward(inputs=False)["dw"], case.backward()["dw"])


def test_no_writes_beyond_the_end_of_arrays(monkeypatch):
    """Guard values around the workspaces are unchanged: compiled code does not check bounds."""
    guarded = []

    def zeros_between_guards(length, dtype):
        whole = np.full(length + 128, 7.0, dtype)
        whole[64:-64] = 0.0
        guarded.append(whole)
        return whole[64:-64]

    monkeypatch.setattr(winograd, "zeros", zeros_between_guards)
    winograd._local.__dict__.clear()
    for size, boards, channels, outputs in [(5, 1, 16, 16), (6, 3, 48, 16), (19, 5, 32, 64), (25, 2, 16, 80)]:
        case = Case(boards, size, channels, outputs)
        case.forward()
        case.backward()
    winograd._local.__dict__.clear()
    assert len(guarded) > 8
    for whole in guarded:
        assert (whole[:64] == 7).all()
        assert (whole[-64:] == 7).all()


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("x", np.zeros(3, np.float32)), ("y", np.zeros(9 * 9 * 16)), ("shift", np.zeros(15, np.float32))],
)
def test_arrays_of_the_wrong_length_or_type_are_refused(name, wrong):
    arrays = {"x": np.zeros(9 * 9 * 16, np.float32), "y": np.zeros(9 * 9 * 16, np.float32), "shift": NONE, name: wrong}
    filters = transform_filters(np.zeros((16, 16, 3, 3), np.float32))
    with pytest.raises(ValueError, match=name):
        convolve(filters=filters, shape=Shape(1, 9, 16, 16), relu=True, **arrays)


def test_channels_are_multiples_of_sixteen():
    with pytest.raises(ValueError, match="multiples of 16"):
        transform_filters(np.zeros((16, 20, 3, 3), np.float32))
