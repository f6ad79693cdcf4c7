"""Configuration of all tests.

Assertions in the shared helpers are rewritten like those in the tests. Ctrl-C reaches the commands under test even if
the tests run in the background of a shell, which makes its children ignore it.
"""

import signal

import pytest

pytest.register_assert_rewrite("helpers")
signal.signal(signal.SIGINT, signal.default_int_handler)
