"""Learning rates during a run."""

import pytest

from nobi.errors import NobiError
from nobi.imitation.optimiser import make_schedule


@pytest.mark.parametrize(
    ("spec", "rates"),
    [
        ("c14", {0.0: 0.05, 0.699: 0.05, 0.701: 0.01, 0.899: 0.01, 0.901: 0.005, 1.0: 0.005}),
        ("m15", {0.0: 0.128, 24.9 / 28: 0.128, 25.1 / 28: 0.064, 26.1 / 28: 0.032, 27.1 / 28: 0.016, 1.0: 0.016}),
        ("piecewise:rates=3/2,lengths=1/1", {0.49: 3.0, 0.51: 2.0}),
        ("pieces:rates=3/2,lengths=1/1", {0.49: 3.0, 0.51: 2.0}),  # the earlier name
        ("constant:rate=0.3", {0.0: 0.3, 1.0: 0.3}),
        ("cosine:rate=1,warmup=0.5", {0.0: 0.0, 0.25: 0.5, 0.5: 1.0, 0.75: 0.5, 1.0: 0.0}),
        ("wsd:rate=1,warmup=0.1,decay=0.4", {0.0: 0.0, 0.05: 0.5, 0.1: 1.0, 0.6: 1.0, 0.8: 0.5, 1.0: 0.0}),
        ("wsd:rate=2,warmup=0,decay=0", {0.0: 2.0, 0.5: 2.0, 1.0: 2.0}),
        ("wsd:rate=2,warmup=0,decay=1", {0.0: 2.0, 0.5: 1.0, 1.0: 0.0}),
        ("cosine:rate=1,warmup=0,floor=0.2", {0.0: 1.0, 0.5: 0.6, 1.0: 0.2}),
    ],
)
def test_rates(spec, rates):
    schedule = make_schedule(spec)
    assert {done: schedule.at(done) for done in rates} == pytest.approx(rates)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("steps", "There is no schedule 'steps'; choose one of c14, m15, piecewise, "),
        ("constant:rate=0", "'constant:rate=0': rate must be above 0 and at most 1e+38, not 0."),
        ("wsd:decay=1", "'wsd:decay=1': warmup and decay are shares of the run, not 0.01 and 1."),
        ("cosine:warmup=1", "'cosine:warmup=1': warmup must be 0 or more and below 1, not 1."),
        ("piecewise:rates=a/b,lengths=1/1", "rates are numbers separated by slashes, as in 0.05/0.01, not 'a/b'."),
        ("piecewise:rates=1/-1,lengths=1/1", "rates must be above 0, not '1/-1'."),
        ("piecewise:rates=1/1e39,lengths=1/1", "rate must be above 0 and at most 1e+38, not 1e+39."),
        ("constant:rate=1e39", "rate must be above 0 and at most 1e+38, not 1e+39."),
        ("cosine:rate=nan", "rate must be above 0 and at most 1e+38, not nan."),
    ],
)
def test_bad_specs(spec, says):
    with pytest.raises(NobiError) as error:
        make_schedule(spec)
    assert says in str(error.value)
