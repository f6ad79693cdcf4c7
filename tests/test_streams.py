"""Random streams: the known generator, uniform draws, and streams that do not depend on each other."""

import numpy as np
from scipy import stats

from nobi.compiling import compiled
from nobi.streams import below, derive_seed, draw, fraction, stream_of


@compiled
def draws(streams, out):
    for i in range(len(out)):
        out[i] = draw(streams, 0)


@compiled
def draws_below(streams, n, out):
    for i in range(len(out)):
        out[i] = below(streams, 0, n)


@compiled
def fractions(streams, out):
    for i in range(len(out)):
        out[i] = fraction(streams, 0)


def test_the_generator_is_splitmix64():
    """The first numbers for the seed 1234567, as published with the reference implementation's ports."""
    out = np.zeros(5, np.uint64)
    draws(np.array([1234567], np.uint64), out)
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert out.tolist() == expected


def test_draws_below_n_are_uniform():
    for n in (2, 3, 49, 361):
        out = np.zeros(200 * n, np.int64)
        draws_below(np.array([stream_of(5, n)], np.uint64), n, out)
        assert out.min() == 0
        assert out.max() == n - 1
        assert stats.chisquare(np.bincount(out, minlength=n)).pvalue > 1e-4


def test_fractions_are_uniform():
    out = np.zeros(10_000)
    fractions(np.array([stream_of(1, 2)], np.uint64), out)
    assert out.min() >= 0
    assert out.max() < 1
    assert stats.kstest(out, "uniform").pvalue > 1e-4


def test_streams_of_neighbouring_games_and_seeds_are_unrelated():
    first = np.array([[draw_first(seed, game) for game in range(100)] for seed in range(100)])
    assert len(np.unique(first)) == first.size
    bits = (first.ravel()[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    assert abs(bits.mean(axis=0) - 0.5).max() < 0.025  # five standard errors
    assert abs(np.corrcoef(first[:, :-1].ravel() / 2**64, first[:, 1:].ravel() / 2**64)[0, 1]) < 0.05


def test_streams_belong_to_games_not_to_lanes():
    assert stream_of(0, 1) != stream_of(1, 0)


def draw_first(seed, game):
    out = np.zeros(1, np.uint64)
    draws(np.array([stream_of(seed, game)], np.uint64), out)
    return out[0]


def test_derived_seeds_are_fixed():
    """Recorded studies depend on them."""
    found = [derive_seed(seed, number) for seed, number in ((0, 0), (0, 9), (5, 1009))]
    assert found == [2598789274482403935, 3460977188972079956, 8150090441664968527]
    assert all(type(seed) is int for seed in found)
    assert max(derive_seed(seed, number) for seed in range(20) for number in range(20)) < 2**63
