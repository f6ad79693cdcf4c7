"""Time control: seconds per move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobi.board.stones import BLACK, WHITE
from nobi.clock import FEWEST_MOVES, LAG, RESERVE, TimeControl, TimeSettings

POINTS = 361


def control(*settings):
    return TimeControl(TimeSettings(*settings))


def test_no_time_limit():
    for settings in (("none",), ("canadian", 100, 10, 0), ("byoyomi", 100, 10, 0)):
        assert control(*settings).seconds(BLACK, POINTS, 0) is None


def test_absolute_time_is_divided_among_the_remaining_moves():
    clocks = control("absolute", 600)
    early = clocks.seconds(BLACK, POINTS, 0)
    assert early == pytest.approx((600 - RESERVE) / (0.75 * 361 / 2) - LAG)
    assert clocks.seconds(BLACK, POINTS, 200) > early
    assert clocks.seconds(BLACK, POINTS, 361) == pytest.approx((600 - RESERVE) / FEWEST_MOVES - LAG)
    clocks.note(BLACK, 9, 0)
    assert clocks.seconds(BLACK, POINTS, 361) == pytest.approx(1 - 0.1)
    clocks.note(BLACK, 0, 0)
    assert 0 < clocks.seconds(BLACK, POINTS, 361) < 0.1
    assert clocks.seconds(WHITE, POINTS, 0) == early


def test_canadian_overtime_is_divided_among_its_stones():
    clocks = control("canadian", 0, 300, 25)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(12 - LAG)
    clocks.note(BLACK, 100, 5)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(20 - LAG)
    clocks.note(BLACK, 1000, 0)  # back in main time
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(12 - LAG)  # as in overtime: more than the share of main


def test_byoyomi_uses_a_whole_period_for_each_move():
    clocks = control("byoyomi", 0, 30, 5)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(30 - LAG)
    clocks.note(BLACK, 28, 1)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(28 - LAG)
    clocks = control("byoyomi", 10, 30, 5)
    assert clocks.seconds(BLACK, POINTS, 0) == pytest.approx(10 - LAG)  # never beyond the main time
    clocks = control("byoyomi", 36000, 30, 5)
    assert clocks.seconds(BLACK, POINTS, 0) > 30


def test_a_period_of_zero_is_absolute_time():
    assert TimeSettings("canadian", 60, 0, 0).system == "absolute"
    assert TimeSettings("byoyomi", 60, 0, 3).system == "absolute"


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


@pytest.mark.parametrize(
    ("settings", "moves", "last", "most"),
    [
        (("absolute", 10), [4, 6], 0.1, 0.0),
        (("canadian", 10, 60, 3), [9, 61, 0, 0, 60], 0.1, 0.0),  # the second, 1 s of main and 60 s of overtime
        (("canadian", 0, 60, 2), [30, 30, 59, 1], 60.1, 60.0),
        (("byoyomi", 10, 30, 2), [10, 30, 29, 59], 30.1, 30.0),  # the last but one loses a period
        (("byoyomi", 0, 30, 1), [30, 30], 31, 30.0),
    ],
)
def test_exceeding_the_time(settings, moves, last, most):
    clocks = control(*settings)
    assert all(clocks.spend(BLACK, seconds) for seconds in moves)
    assert clocks.most(BLACK) == pytest.approx(most)
    assert not clocks.spend(BLACK, last)
    assert clocks.spend(WHITE, 0.1)


def test_the_longest_move_in_time():
    assert control("none").most(BLACK) is None
    assert control("absolute", 60).most(BLACK) == 60
    assert control("canadian", 60, 30, 5).most(WHITE) == 90
    assert control("byoyomi", 60, 30, 5).most(WHITE) == 210


def test_overtime_in_records():
    assert TimeSettings("byoyomi", 60, 30, 5).overtime == "5x30 byo-yomi"
    assert TimeSettings("canadian", 60, 300, 25).overtime == "25/300 Canadian"
    assert TimeSettings("absolute", 60).overtime == TimeSettings().overtime == ""
    with pytest.raises(ValueError, match="negative"):
        TimeSettings("absolute", -1)


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
            if clocks.settings.system == "byoyomi":
                assert seconds <= max(0.01, period)
            else:
                assert seconds <= max(0.01, state.seconds / state.count)
        else:
            assert seconds <= max(0.01, state.seconds)
        in_time = clocks.spend(BLACK, seconds)
        assert in_time or seconds == 0.01  # the shortest possible time
        left -= seconds
        if left < 0.1:
            return
