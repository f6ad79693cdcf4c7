"""Comparison of arrays that may differ by rounding.

Processors and libraries sum in different orders, with and without fused operations. The differences therefore depend on
the largest summands, so a tolerance is relative to the largest value.
"""

import numpy as np

DOUBLE = 1e-9
"""For float64: some million times its precision, and far below the effect of a wrong formula or a misplaced weight."""
SINGLE = 1e-5
"""For float32."""


def largest(values):
    """The largest absolute value, at least 1."""
    return max(1.0, float(np.abs(values).max()))


def assert_close(found, expected, within=DOUBLE):
    """Check that every number of `found` differs from the expected one by at most `within` times the largest value."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=within * largest(expected))
