import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nobi.statistics import (
    bounded_difference,
    bounded_mean,
    correlation_of_networks,
    difference,
    elo_interval,
    gain_over_runs,
    higher_over_runs,
    last_tenth,
    mean_of_published,
    per_run,
    published_correlation,
    share_interval,
    single_runs,
)
from nobi.studies.beyond.priors import share_over_runs

samples = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=3, max_size=20)


@given(samples, samples)
def test_the_difference_of_means_is_welchs(x, y):
    x, y = np.array(x), np.array(y)
    found = difference(x, y)
    assert found.value == pytest.approx(x.mean() - y.mean())
    if min(x.var(), y.var()) > 1e-6:
        expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(samples, samples)
def test_differences_of_fitness_stay_within_their_bounds(x, y):
    x, y = np.array(x), np.array(y)
    found = bounded_difference(x, y)
    assert found.value == pytest.approx(x.mean() - y.mean(), abs=1e-9)
    assert -2 <= found.low <= found.value <= found.high <= 2
    assert found.low < found.high
    opposite = bounded_difference(y, x)
    assert (opposite.low, opposite.high) == pytest.approx((-found.high, -found.low))


def test_far_from_the_bounds_the_difference_of_fitnesses_is_welchs():
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.2, 0.05, 10), rng.normal(-0.1, 0.08, 8)
    found, expected = bounded_difference(x, y), difference(x, y)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.003)


def test_runs_without_variation_have_intervals_of_positive_width():
    """Three runs at 1 and three at 0.9 are too few to tell; the same in fifty runs is enough."""
    assert bounded_difference(np.ones(3), np.full(3, 0.9)).low < 0
    assert bounded_difference(np.ones(50), np.full(50, 0.5)).low > 0


def test_single_runs_are_shown_up_to_ten():
    assert single_runs(np.arange(10.0)) == tuple(range(10))
    assert single_runs(np.arange(11.0)) == ()


def test_samples_without_spread_differ_exactly_and_single_values_have_no_interval():
    assert difference(np.ones(5), np.zeros(4)).low == 1.0
    alone = difference(np.ones(1), np.zeros(4))
    assert (alone.value, alone.low, alone.high) == (1.0, -np.inf, np.inf)


def test_intervals_over_runs_reflect_variation_between_runs_not_champions():
    """Ten runs of fifty equal champions are ten values; as five hundred, the interval would be too narrow."""
    rng = np.random.default_rng(3)
    level = rng.normal(size=10)
    run = np.repeat(np.arange(10), 50)
    found = gain_over_runs(np.zeros(500), level[run], run)
    honest = 2.26 * level.std(ddof=1) / np.sqrt(10)
    assert found.value == pytest.approx(level.mean())
    assert (found.high - found.low) / 2 == pytest.approx(honest, rel=0.01)
    assert gain_over_runs(np.zeros(12), np.ones(12), np.zeros(12, int)).low == -np.inf


def test_correlation_and_share_have_the_values_of_the_pooled_sample():
    rng = np.random.default_rng(0)
    small = rng.normal(size=60)
    large = small + rng.normal(size=60)
    run = np.repeat(np.arange(6), 10)
    found = correlation_of_networks(small, large)
    assert found.value == pytest.approx(stats.pearsonr(small, large).statistic)
    expected = stats.pearsonr(small, large).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.1)
    assert found == correlation_of_networks(small, large)
    assert higher_over_runs(small, large, run).value == pytest.approx(np.mean(large > small))


def test_five_equal_runs_have_an_interval_of_positive_width():
    run = np.repeat(np.arange(5), 8)
    found = higher_over_runs(np.ones(40), np.zeros(40), run)
    assert (found.value, found.low) == (0.0, 0.0)
    assert 0.3 < found.high < 0.8


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12))
def test_the_interval_of_a_fitness_stays_within_its_bounds(values):
    found = bounded_mean(np.array(values))
    assert found.value == pytest.approx(np.mean(values), abs=1e-9)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_far_from_the_bounds_the_interval_of_a_fitness_is_students():
    values = np.random.default_rng(1).normal(0.1, 0.05, 10)
    found = bounded_mean(values)
    expected = stats.t.interval(0.95, 9, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(expected, abs=0.003)


def test_the_interval_has_the_nominal_coverage():
    rng = np.random.default_rng(5)
    found = [bounded_mean(rng.binomial(20, 0.9, 6) / 20, 0.0, 1.0) for _ in range(200)]
    assert 185 <= sum(one.low <= 0.9 <= one.high for one in found) <= 200


def test_the_intervals_of_published_numbers():
    assert published_correlation(0.45, 200).low == pytest.approx(0.33, abs=0.01)
    found = mean_of_published(27.6, 14, 5)
    assert (found.low, found.high) == pytest.approx((10.2, 45.0), abs=0.1)
    assert share_interval(50, 100, 3.0).low < share_interval(50, 100).low


def test_undefined_correlations_have_no_bounds():
    found = correlation_of_networks(np.zeros(6), np.arange(6.0))
    assert np.isnan(found.value)
    assert (found.low, found.high) == (-1, 1)


def test_means_of_runs_and_of_the_last_tenth():
    assert per_run(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])).tolist() == [2.0, 6.0]
    curves = np.arange(40.0).reshape(2, 20)
    assert last_tenth(curves).tolist() == [18.5, 38.5]
    assert last_tenth(np.array([[1.0, 2.0]])).tolist() == [2.0]


def test_the_interval_of_a_share_reflects_variation_between_runs():
    games = np.arange(100) < 50
    alike = share_over_runs([games.astype(float)] * 6)
    apart = share_over_runs([np.full(100, share) for share in (0.1, 0.9, 0.2, 0.8, 0.5, 0.5)])
    assert alike.value == apart.value == 0.5
    assert apart.high - apart.low > 2 * (0.6 - 0.4)
    single = share_over_runs([games.astype(float)])
    assert (single.low, single.high) == pytest.approx((0.404, 0.596), abs=0.001)
    assert elo_interval(share_interval(3, 4)).value == pytest.approx(190.8, abs=0.1)
    assert elo_interval(share_interval(0, 4)).low == -np.inf
