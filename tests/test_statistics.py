"""Dominance, CIAO, transfer and percentiles."""

import math

import numpy as np
import pytest
from scipy import stats

from nobi.evolution.transfer import dominance_tournament, transfer
from nobi.statistics import Interval, all_positive, correlation, most_positive, percentiles, share_interval


def test_everyone_dominates_where_later_is_better():
    assert dominance_tournament(lambda i, j: i - j, 5) == [0, 1, 2, 3, 4]
    assert dominance_tournament(lambda i, j: j - i, 5) == [0]
    assert dominance_tournament(lambda i, j: 0.0, 5) == [0]  # noqa: ARG005 a draw is no win
    assert dominance_tournament(lambda i, j: 1.0, 1) == [0]  # noqa: ARG005
    assert dominance_tournament(lambda i, j: 1.0, 0) == []  # noqa: ARG005


def test_rock_paper_scissors():
    hands = "RPSPR"  # paper beats rock; scissors lose to rock, paper ties, rock loses to paper
    beats = {"PR", "SP", "RS"}

    def score(i, j):
        pair = hands[i] + hands[j]
        return 1.0 if pair in beats else -1.0 if pair[::-1] in beats else 0.0

    assert dominance_tournament(score, 5) == [0, 1]


def test_no_game_more_than_needed():
    played = []

    def score(i, j):
        played.append((i, j))
        return {(1, 0): 1, (2, 1): -1, (3, 1): 1, (3, 0): 1}[i, j]

    assert dominance_tournament(score, 4) == [0, 1, 3]
    assert played == [(1, 0), (2, 1), (3, 1), (3, 0)]


@pytest.mark.parametrize("networks", [4, 10, 200])
@pytest.mark.parametrize("slope", [-1.0, 0.0, 0.7])
def test_correlation_agrees_with_scipy(networks, slope):
    rng = np.random.default_rng(networks)
    x = rng.normal(size=networks)
    y = slope * x + rng.normal(size=networks)
    ours, theirs = correlation(x, y), stats.pearsonr(x, y)
    bounds = theirs.confidence_interval(0.95)
    assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.statistic, bounds.low, bounds.high), abs=1e-9)


def test_transfer():
    small = np.array([-0.5, 0.0, 0.2, 0.4, 0.8])
    large = np.array([-0.4, 0.3, 0.2, 0.3, 0.9])  # higher, higher, equal, lower, higher
    found = transfer(small, large)
    assert found.networks == 5
    assert found.higher == share_interval(3, 5)
    assert found.higher.value == 0.6
    assert found.correlation == correlation(small, large)


def test_transfer_of_too_little():
    nothing = Interval(math.nan, -1.0, 1.0)
    line = np.array([0.1, 0.2, 0.3, 0.4])
    for small, large, p in [
        (np.zeros(4), line, 1.0),
        (line, np.zeros(4), 0.0),
        (np.full(4, 0.1), np.full(4, 0.1), 0.0),
        (line[:2], line[1:3], 1.0),
        (line[:1], line[:1], 0.0),
        (line[:0], line[:0], math.nan),
    ]:
        found = transfer(small, large)
        np.testing.assert_equal(found.correlation, nothing)
        np.testing.assert_equal(found.higher.value, p)
        assert 0 <= found.higher.low <= found.higher.high <= 1
    assert correlation(line[:3], line[:3] ** 2).low == -1.0  # three are too few for an interval
    assert correlation(line[:3], line[:3] ** 2).high == 1.0
    exact = correlation(line, -2 * line)
    assert (exact.value, exact.low, exact.high) == pytest.approx((-1, -1, -1))


def test_transfer_refuses_what_is_no_pair():
    with pytest.raises(ValueError, match="one fitness for every network"):
        transfer(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="finite"):
        transfer(np.array([0.0, np.nan]), np.zeros(2))


def test_percentiles_by_hand():
    fitness = np.arange(1.0, 11.0)[::-1]
    # P(B ≤ 1) = 0.011 and P(B ≤ 2) = 0.055 for B of 10 trials at ½: the median is between the 2nd and the 9th
    (median,) = percentiles(fitness, [50])
    assert median == Interval(5.5, 2.0, 9.0)
    low, high = percentiles(fitness, [0, 100])
    assert (low.value, low.low) == (1.0, -math.inf)
    assert (high.value, high.high) == (10.0, math.inf)
    np.testing.assert_equal(percentiles(np.zeros(0), [50]), [Interval(math.nan, -math.inf, math.inf)])
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
