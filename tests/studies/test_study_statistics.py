import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nobi.statistics import (
    correlation_over_runs,
    difference,
    gain_over_runs,
    higher_over_runs,
    last_tenth,
    over_runs,
    per_run,
)

samples = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=3, max_size=20)


@given(samples, samples)
def test_the_difference_of_means_is_welchs(x, y):
    x, y = np.array(x), np.array(y)
    found = difference(x, y)
    assert found.value == pytest.approx(x.mean() - y.mean())
    if min(x.var(), y.var()) > 1e-6:
        expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_samples_without_spread_differ_exactly_and_single_ones_by_anything():
    assert difference(np.ones(5), np.zeros(4)).low == 1.0
    alone = difference(np.ones(1), np.zeros(4))
    assert (alone.value, alone.low, alone.high) == (1.0, -np.inf, np.inf)


def test_an_interval_over_runs_is_as_wide_as_runs_differ_not_as_champions_do():
    """Ten runs of fifty equal champions are ten values; taken for five hundred, the interval would be too narrow."""
    rng = np.random.default_rng(3)
    level = rng.normal(size=10)
    run = np.repeat(np.arange(10), 50)
    values = level[run]
    found = over_runs(lambda i: float(values[i].mean()), run)
    honest = 1.96 * level.std(ddof=1) / np.sqrt(10)
    assert found.value == pytest.approx(values.mean())
    assert 0.6 * honest < (found.high - found.low) / 2 < 1.2 * honest
    assert found.low < found.value < found.high


def test_intervals_over_runs_repeat_and_need_two_runs():
    run = np.repeat([0, 1, 2], 4)
    small, large = np.linspace(-1, 1, 12), np.linspace(-1, 1, 12) ** 3 + 0.1
    assert gain_over_runs(small, large, run) == gain_over_runs(small, large, run)
    assert gain_over_runs(small, large, np.zeros(12, int)).low == -np.inf


def test_correlation_and_share_over_runs_have_the_values_of_the_whole():
    rng = np.random.default_rng(0)
    small = rng.normal(size=60)
    large = small + rng.normal(size=60)
    run = np.repeat(np.arange(6), 10)
    assert correlation_over_runs(small, large, run).value == pytest.approx(stats.pearsonr(small, large).statistic)
    assert higher_over_runs(small, large, run).value == np.mean(large > small)
    assert gain_over_runs(small, large, run).value == pytest.approx((large - small).mean())


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(60):
        level = rng.normal(size=12)
        run = np.repeat(np.arange(12), 3)
        values = level[run] + 0.1 * rng.normal(size=36)
        found = over_runs(lambda i, values=values: float(values[i].mean()), run)
        hits += found.low <= 0 <= found.high
    assert 48 <= hits <= 60  # a percentile bootstrap of 12 runs covers some 91 %


def test_undefined_correlations_have_no_bounds():
    run = np.repeat([0, 1], 3)
    found = correlation_over_runs(np.zeros(6), np.arange(6.0), run)
    assert np.isnan(found.value)
    assert (found.low, found.high) == (-np.inf, np.inf)


def test_means_of_runs_and_of_the_last_tenth():
    assert per_run(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])).tolist() == [2.0, 6.0]
    curves = np.arange(40.0).reshape(2, 20)
    assert last_tenth(curves).tolist() == [18.5, 38.5]
    assert last_tenth(np.array([[1.0, 2.0]])).tolist() == [2.0]
