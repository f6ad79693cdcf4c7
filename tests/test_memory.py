import numpy as np
import pytest

from nobi.memory import PAIR, zeros


@pytest.mark.parametrize("shape", [1, 3, (2, 5), (7, 3, 64), 0])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64, np.float32])
def test_arrays_are_zero_and_have_the_requested_shape(shape, dtype):
    array = zeros(shape, dtype)
    expected = np.zeros(shape, dtype)
    assert array.shape == expected.shape
    assert array.dtype == expected.dtype
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert (array == 0).all()


def test_no_two_arrays_share_a_cache_line():
    arrays = [zeros(size, np.uint8) for size in (1, PAIR - 1, PAIR, PAIR + 1, 3) for _ in range(20)]
    lines = [
        line
        for array in arrays
        for line in range(array.ctypes.data // PAIR, (array.ctypes.data + array.nbytes - 1) // PAIR + 1)
    ]
    assert len(lines) == len(set(lines))
    assert all(array.ctypes.data % PAIR == 0 for array in arrays)
