"""What holds for all tests.

Failed comparisons inside the shared helpers are explained as fully as those inside the tests. Ctrl-C reaches the
commands under test even where the tests run in the background of a shell, which makes its children ignore it.
"""

import signal

import pytest

pytest.register_assert_rewrite("helpers")
signal.signal(signal.SIGINT, signal.default_int_handler)
