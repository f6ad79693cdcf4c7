"""Comparing arrays that may differ by rounding alone.

Processors and libraries add up in different orders, and with and without fused operations. How far results lie apart
therefore depends on the largest numbers that are added, so a tolerance is a share of the largest value.
"""

import numpy as np

DOUBLE = 1e-9
"""For float64: some million times its precision, and far below what a wrong formula or a misplaced weight changes."""
SINGLE = 1e-5
"""For float32."""


def largest(values):
    """The largest absolute value, 1 at the least."""
    return max(1.0, float(np.abs(values).max()))


def assert_close(found, expected, within=DOUBLE):
    """Every number of `found` lies as near to the expected one as `within` times the largest expected value."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=within * largest(expected))
