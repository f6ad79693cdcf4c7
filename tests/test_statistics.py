"""Intervals, correlations, percentiles, Elo ratings."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

from nobi.statistics import (
    Interval,
    all_positive,
    bradley_terry,
    correlation,
    elo_difference,
    elo_of,
    mean_interval,
    most_positive,
    percentiles,
    share_interval,
)


def test_intervals_are_those_of_scipy():
    for successes, trials in [(0, 10), (3, 10), (10, 10), (517, 1000)]:
        ours = share_interval(successes, trials)
        theirs = stats.binomtest(successes, trials).proportion_ci(method="wilson")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    values = np.random.default_rng(0).normal(size=12)
    ours = mean_interval(values)
    theirs = stats.t.interval(0.95, 11, loc=values.mean(), scale=stats.sem(values))
    assert (ours.low, ours.high) == pytest.approx(theirs)
    assert ours.value == pytest.approx(values.mean())
    assert np.isnan(mean_interval(np.array([])).value)
    assert np.isnan(share_interval(0, 0).value)


@pytest.mark.parametrize("networks", [4, 10, 200])
@pytest.mark.parametrize("slope", [-1.0, 0.0, 0.7])
def test_correlation_agrees_with_scipy(networks, slope):
    rng = np.random.default_rng(networks)
    x = rng.normal(size=networks)
    y = slope * x + rng.normal(size=networks)
    ours, theirs = correlation(x, y), stats.pearsonr(x, y)
    bounds = theirs.confidence_interval(0.95)
    assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.statistic, bounds.low, bounds.high), abs=1e-9)


def test_correlations_of_few_or_exact_values():
    line = np.array([0.1, 0.2, 0.3, 0.4])
    assert correlation(line[:3], line[:3] ** 2).low == -1.0  # three are too few for an interval
    assert correlation(line[:3], line[:3] ** 2).high == 1.0
    exact = correlation(line, -2 * line)
    assert (exact.value, exact.low, exact.high) == pytest.approx((-1, -1, -1))


def test_percentiles_by_hand():
    fitness = np.arange(1.0, 11.0)[::-1]
    # P(B ≤ 1) = 0.011 and P(B ≤ 2) = 0.055 for B of 10 trials at ½: the median is between the 2nd and the 9th
    (median,) = percentiles(fitness, [50])
    assert median == Interval(5.5, 2.0, 9.0)
    low, high = percentiles(fitness, [0, 100])
    assert (low.value, low.low) == (1.0, -math.inf)
    assert (high.value, high.high) == (10.0, math.inf)
    (unknown,) = percentiles(np.zeros(0), [50])
    np.testing.assert_equal(astuple(unknown), (math.nan, -math.inf, math.inf))
    assert percentiles(np.array([0.5]), [50]) == [Interval(0.5, -math.inf, math.inf)]


@pytest.mark.parametrize("percentile", [10, 50, 90])
def test_percentiles_cover_the_truth(percentile):
    rng = np.random.default_rng(1)
    truth = stats.norm.ppf(percentile / 100)
    found = [percentiles(rng.normal(size=60), [percentile])[0] for _ in range(600)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.93
    assert np.mean([one.high - one.low for one in found]) < 1.4


def test_intervals_are_positive_negative_or_neither():
    up, down, neither = Interval(1, 0.5, 1.5), Interval(-1, -1.5, -0.5), Interval(0, -1, 1)
    assert [interval.is_positive for interval in (up, down, neither)] == [True, False, None]
    assert all_positive([up, up]) is True
    assert all_positive([up, neither]) is None
    assert all_positive([up, neither, down]) is False
    assert most_positive([up, up, down]) is True
    assert most_positive([up, neither, down]) is None
    assert most_positive([neither, down, down]) is False
    assert up.excludes(0)
    assert not neither.excludes(0)


def test_arithmetic_of_intervals():
    share = Interval(0.6, 0.5, 0.75)
    assert -share == Interval(-0.6, -0.75, -0.5)
    assert 100 * share == Interval(60, 50, 75)
    assert -2 * share == Interval(-1.2, -1.5, -1.0)
    assert share - 0.5 == Interval(0.6 - 0.5, 0, 0.25)
    gap = share - Interval(0.2, 0.1, 0.3)
    assert (gap.value, gap.low, gap.high) == pytest.approx(
        (0.4, 0.4 - math.hypot(0.1, 0.1), 0.4 + math.hypot(0.15, 0.1))
    )


def test_intervals_as_text():
    assert str(Interval(0.714, 0.655, 0.755)) == "0.71 [0.66, 0.76]"
    assert f"{Interval(12.34, 11, 14):+.1f}" == "+12.3 [+11.0, +14.0]"
    assert f"{Interval(-0.5, -math.inf, 0.25):.1f}" == "-0.5 [?, 0.2]"
    assert str(Interval(math.nan, -1, 1)) == "undefined"


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


def test_the_interval_has_the_nominal_level():
    """In many matches between players 100 Elo apart, about 95 % of the intervals contain the true value."""
    rng = np.random.default_rng(1)
    share = 1 / (1 + 10 ** (-100 / 400))
    inside = 0
    for wins in rng.binomial(60, share, 2000):
        found = elo_difference(float(wins), 60)
        inside += found.low <= 100 <= found.high
    assert 0.93 < inside / 2000 < 0.975


def likelihood(elo, points):
    """A slow, plain form of the likelihood."""
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


def test_ratings_relative_to_one_player():
    """The interval relative to the reference player is that of the difference; with two players, of their match."""
    elo = bradley_terry(np.array([[0, 30.0], [10.0, 0]]), reference=1).elo
    expected = elo_difference(30, 40)
    assert elo[0].value == pytest.approx(expected.value)
    assert elo[0].high - elo[0].low == pytest.approx(expected.high - expected.low, rel=0.1)
    assert (elo[1].low, elo[1].value, elo[1].high) == (0, 0, 0)


def test_intervals_of_ratings_have_the_nominal_level():
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


def test_a_player_that_wins_all_games_gets_a_finite_rating():
    ratings = bradley_terry(np.array([[0, 10.0, 10], [0, 0, 5], [0, 5, 0]]))
    assert ratings.added_draws
    values = [one.value for one in ratings.elo]
    assert values[0] > 400 > values[1] == pytest.approx(values[2])
    assert all(math.isfinite(one.low) and math.isfinite(one.high) for one in ratings.elo)


def test_players_without_common_games_cannot_be_compared():
    points = np.array([[0, 3.0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    assert all(math.isinf(one.high) for one in bradley_terry(points).elo)
    assert all(math.isinf(one.high) for one in bradley_terry(np.zeros((2, 2))).elo)


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(35.2, -10.4, 80.6), "+35 (−10 to +81)"),
        (Interval(math.inf, 12.0, math.inf), "+∞ (+12 to +∞)"),
        (Interval(math.nan, -math.inf, math.inf), "? (−∞ to +∞)"),
    ],
)
def test_an_interval_as_text(interval, text):
    assert interval.text("+.0f") == text


def test_an_interval_with_its_error_or_in_percent():
    assert Interval(44.2, 43.5, 44.9).plus_minus(1) == "44.2 ± 0.7"
    assert Interval(0.25, 0.125, 0.375).plus_minus(3, "+") == "+0.250 ± 0.125"
    assert Interval(5.0, 1.0, 24.0).plus_minus(1) == "5.0 (1–24)"
    assert Interval(0.9, -math.inf, math.inf).plus_minus(2) == "0.90"
    assert Interval(0.7, 0.397, 0.892).percent() == "70.0 % (39.7–89.2)"
