"""Start-up times of commands."""

import os
import subprocess
import sys
import tempfile
import time

from nobi.bench.measure import REPEATS, Case, Measurement, time_measurement

_MATCH = ("match", "random", "naive", "--size", "7", "--games", "10")
_GO_MATCH = ("match", "naive", "playout", "--game", "go", "--games", "10")


def command_seconds(*arguments: str, cache: str | None = None) -> float:
    """Measure the time of `nobi ARGUMENTS` in a new process."""
    environment = os.environ | ({"NOBI_CACHE_DIR": cache} if cache else {})
    start = time.perf_counter()
    subprocess.run(  # noqa: S603
        [sys.executable, "-m", "nobi", *arguments], env=environment, capture_output=True, check=True
    )
    return time.perf_counter() - start


def _warm(what: str, at_most: float, *command: str) -> Case:
    def measure(seconds: float) -> Measurement:  # noqa: ARG001
        command_seconds(*command)
        return time_measurement(what, "s", [command_seconds(*command) for _ in range(REPEATS)], at_most=at_most)

    return measure


def _cold(what: str, at_most: float, *command: str) -> Case:
    def measure(seconds: float) -> Measurement:  # noqa: ARG001
        with tempfile.TemporaryDirectory() as cache:
            return time_measurement(what, "s", [command_seconds(*command, cache=cache)], at_most=at_most)

    return measure


CASES = [
    _warm("nobi --help", 0.3, "--help"),
    _warm("nobi match, compiled before", 3, *_MATCH),
    _cold("nobi match, first ever", 60, *_MATCH),
    _cold("nobi match --game go, first ever", 60, *_GO_MATCH),
]
