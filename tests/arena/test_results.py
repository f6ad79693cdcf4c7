"""Intervals and the summary of a match."""

import numpy as np
import pytest
from scipy import stats

from helpers.arena import results
from nobi.arena.results import summarise
from nobi.board.stones import BLACK, DRAW, RUNNING, WHITE
from nobi.games import variant
from nobi.statistics import mean_interval, share_interval


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


def test_summary_counts_by_colour():
    played = results(variant("gomoku", 5), [BLACK, BLACK, DRAW, WHITE, WHITE, WHITE, DRAW], [25] * 7)
    found = {key: (s.games, s.wins, s.draws, s.losses) for key, s in summarise(played).items()}
    assert found == {"black": (4, 1, 2, 1), "white": (3, 2, 0, 1), "all": (7, 3, 2, 2)}
    assert summarise(played)["all"].win_rate.value == pytest.approx(4 / 7)


def test_unfinished_games_do_not_count():
    played = results(variant("gomoku", 5), [BLACK, DRAW, BLACK, RUNNING, WHITE], [25, 25, 25, 0, 25])
    found = {key: (s.games, s.wins, s.draws, s.losses) for key, s in summarise(played).items()}
    assert found == {"black": (2, 2, 0, 0), "white": (1, 0, 1, 0), "all": (3, 2, 1, 0)}
