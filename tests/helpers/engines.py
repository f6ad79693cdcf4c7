"""Engines for the tests: GNU Go, and small engines that misbehave."""

import os
import sys
from pathlib import Path

import pytest

from nobi.gtp.process import find_program

FAKE = Path(__file__).parent / "fake_engine.py"


def gnugo():
    """The path of GNU Go; the test is skipped without it, unless NOBI_TEST_ENGINES=required."""
    found = find_program("gnugo")
    if found is None and os.environ.get("NOBI_TEST_ENGINES") != "required":
        pytest.skip("gnugo is not installed")
    assert found, "gnugo is required but not installed"
    return found


def fake(manner, *arguments):
    """The command of an engine with this behaviour; see `fake_engine.py`."""
    return " ".join([sys.executable, "-S", "-E", str(FAKE), manner, *map(str, arguments)])
