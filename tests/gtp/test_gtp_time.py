"""How long a move may take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobi.board.stones import BLACK, WHITE
from nobi.gtp.time import FEWEST_MOVES, LAG, TimeControl

POINTS = 361


def control(*settings):
    clocks = TimeControl()
    clocks.set(*settings)
    return clocks


def test_no_limit():
    for settings in (("none",), ("canadian", 100, 10, 0), ("byoyomi", 100, 10, 0)):
        assert control(*settings).seconds(BLACK, POINTS, 0) is None


def test_absolute_time_is_shared_out_over_the_moves_to_come():
    clocks = control("absolute", 600)
    early = clocks.seconds(BLACK, POINTS, 0)
    assert early == pytest.approx(600 / (0.75 * 361 / 2) - LAG)
    assert clocks.seconds(BLACK, POINTS, 200) > early
    assert clocks.seconds(BLACK, POINTS, 361) == pytest.approx(600 / FEWEST_MOVES - LAG)
    clocks.note(BLACK, 8, 0)
    assert clocks.seconds(BLACK, POINTS, 361) == pytest.approx(1 - 0.1)
    clocks.note(BLACK, 0, 0)
    assert 0 < clocks.seconds(BLACK, POINTS, 361) < 0.1
    assert clocks.seconds(WHITE, POINTS, 0) == early


def test_canadian_overtime_is_shared_out_over_its_stones():
    clocks = control("canadian", 0, 300, 25)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(12 - LAG)
    clocks.note(BLACK, 100, 5)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(20 - LAG)
    clocks.note(BLACK, 1000, 0)  # back in main time
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(12 - LAG)  # as in overtime: more than the share of main


def test_byoyomi_gives_a_whole_period_to_each_move():
    clocks = control("byoyomi", 0, 30, 5)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(30 - LAG)
    clocks.note(BLACK, 28, 1)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(28 - LAG)
    clocks = control("byoyomi", 10, 30, 5)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(10 - LAG)  # never beyond the main time
    clocks = control("byoyomi", 36000, 30, 5)
    assert clocks.seconds(BLACK, POINTS, 0) > 30


def test_a_period_of_nothing_is_absolute_time():
    assert control("canadian", 60, 0, 0).system == "absolute"
    assert control("byoyomi", 60, 0, 3).system == "absolute"


def test_own_clock():
    clocks = control("canadian", 10, 60, 3)
    clocks.spend(BLACK, 4)
    assert (clocks.left[BLACK].seconds, clocks.left[BLACK].count) == (6, 0)
    clocks.spend(BLACK, 16)  # 10 seconds into overtime; the stone counts
    assert (clocks.left[BLACK].seconds, clocks.left[BLACK].count) == (50, 2)
    clocks.spend(BLACK, 1)
    clocks.spend(BLACK, 1)  # the third stone: a new period
    assert (clocks.left[BLACK].seconds, clocks.left[BLACK].count) == (60, 3)
    clocks = control("byoyomi", 10, 60, 3)
    clocks.spend(WHITE, 15)
    assert (clocks.left[WHITE].seconds, clocks.left[WHITE].count) == (60, 3)
    clocks.spend(WHITE, 70)
    assert (clocks.left[WHITE].seconds, clocks.left[WHITE].count) == (60, 2)
    clocks.restart()
    assert (clocks.left[WHITE].seconds, clocks.left[WHITE].count) == (10, 0)


@given(
    st.sampled_from(["absolute", "canadian", "byoyomi"]),
    st.floats(0, 1e4),
    st.floats(0, 1e3),
    st.integers(0, 30),
)
def test_a_player_that_keeps_its_limits_never_loses_on_time(system, main, period, count):
    clocks = control(system, main, period, count)
    left = main
    for stones in range(0, 2000, 2):
        seconds = clocks.seconds(BLACK, 81, min(81, stones))
        if seconds is None:
            return
        state = clocks.left[BLACK]
        if state.count:
            if clocks.system == "byoyomi":
                assert seconds <= max(0.01, period)
            else:
                assert seconds <= max(0.01, state.seconds / state.count)
        else:
            assert seconds <= max(0.01, state.seconds)
        clocks.spend(BLACK, seconds)
        left -= seconds
        if left < 0.1:
            return
