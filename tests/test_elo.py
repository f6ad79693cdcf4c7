"""Ratings from results."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from nobi.statistics import bradley_terry, elo_difference, elo_of


def test_elo_of_a_share():
    assert elo_of(0.5) == 0
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(0.64) == pytest.approx(-elo_of(0.36))
    assert elo_of(1) == math.inf
    assert elo_of(0) == -math.inf


def test_difference_of_two():
    even = elo_difference(50, 100)
    assert even.value == 0
    assert even.low == pytest.approx(-even.high)
    assert elo_of(0.404) == pytest.approx(even.low, abs=1)  # Wilson's bounds of 50 out of 100 are 0.404 and 0.596
    won = elo_difference(10, 10)
    assert won.value == won.high == math.inf
    assert won.low == pytest.approx(elo_of(0.722), abs=1)
    assert math.isnan(elo_difference(0, 0).value)


def test_the_interval_holds_its_level():
    """Of many matches between players 100 Elo apart, about 95 % of the intervals hold the truth."""
    rng = np.random.default_rng(1)
    share = 1 / (1 + 10 ** (-100 / 400))
    inside = 0
    for wins in rng.binomial(60, share, 2000):
        found = elo_difference(float(wins), 60)
        inside += found.low <= 100 <= found.high
    assert 0.93 < inside / 2000 < 0.975


def likelihood(elo, points):
    """The slow, plain form of what is maximised."""
    total = 0.0
    for i in range(len(points)):
        for j in range(len(points)):
            total += points[i, j] * -math.log(1 + 10 ** ((elo[j] - elo[i]) / 400))
    return total


def test_ratings_have_the_greatest_likelihood():
    points = np.array([[0, 7, 9, 6], [3, 0, 6, 5.5], [1, 4, 0, 4], [4, 4.5, 6, 0]])
    ratings = bradley_terry(points)
    assert not ratings.added_draws
    elo = np.array([one.value for one in ratings.elo])
    assert elo.mean() == pytest.approx(0, abs=1e-9)
    slow = minimize(lambda x: -likelihood(x, points), np.zeros(4), method="Nelder-Mead",
                    options={"xatol": 1e-6, "fatol": 1e-12, "maxiter": 10000}).x  # fmt: skip
    np.testing.assert_allclose(elo, slow - slow.mean(), atol=0.01)


def test_two_players_agree_with_the_simple_formula():
    ratings = bradley_terry(np.array([[0, 30.0], [10.0, 0]]))
    first, second = ratings.elo
    assert first.value - second.value == pytest.approx(elo_of(0.75))
    # the standard error of a log-odds is 1/√(n·s·(1−s)), and each rating has half of the difference
    error = 400 / math.log(10) / math.sqrt(40 * 0.75 * 0.25)
    assert first.high - first.low == pytest.approx(1.96 * error, rel=1e-3)


def test_intervals_of_ratings_hold_their_level():
    rng = np.random.default_rng(2)
    truth = np.array([120.0, 0.0, -120.0])
    inside = 0
    for _ in range(300):
        points = np.zeros((3, 3))
        for i in range(3):
            for j in range(i):
                wins = rng.binomial(40, 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400)))
                points[i, j], points[j, i] = wins, 40 - wins
        inside += sum(one.low <= true <= one.high for one, true in zip(bradley_terry(points).elo, truth, strict=True))
    assert 0.92 < inside / 900 < 0.98


def test_who_wins_everything_gets_a_finite_rating():
    ratings = bradley_terry(np.array([[0, 10.0, 10], [0, 0, 5], [0, 5, 0]]))
    assert ratings.added_draws
    values = [one.value for one in ratings.elo]
    assert values[0] > 400 > values[1] == pytest.approx(values[2])
    assert all(math.isfinite(one.low) and math.isfinite(one.high) for one in ratings.elo)


def test_those_who_never_met_cannot_be_compared():
    points = np.array([[0, 3.0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    assert all(math.isinf(one.high) for one in bradley_terry(points).elo)
    assert all(math.isinf(one.high) for one in bradley_terry(np.zeros((2, 2))).elo)
