"""How long a command takes to start."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from nobi.bench.measure import Measurement

_MATCH = ("match", "random", "naive", "--size", "7", "--games", "10")


def command_seconds(*arguments: str, cache: str | None = None) -> float:
    """How long `nobi ARGUMENTS` takes, in a process of its own."""
    environment = os.environ | ({"NOBI_CACHE_DIR": cache} if cache else {})
    start = time.perf_counter()
    subprocess.run(  # noqa: S603
        [sys.executable, "-m", "nobi", *arguments], env=environment, capture_output=True, check=True
    )
    return time.perf_counter() - start


def measurements(seconds: float) -> Iterator[Callable[[], Measurement]]:  # noqa: ARG001
    """The figures of this section, each measured when called."""

    def timed(what: str, most: float, times: list[float]) -> Measurement:
        middle = sorted(times)[len(times) // 2]
        return Measurement(what, "s", middle, min(times), at_least=most, lower_is_better=True)

    def help_time() -> Measurement:
        return timed("nobi --help", 0.5, [command_seconds("--help") for _ in range(5)])

    def warm() -> Measurement:
        command_seconds(*_MATCH)
        return timed("nobi match, compiled before", 3, [command_seconds(*_MATCH) for _ in range(5)])

    def cold() -> Measurement:
        with tempfile.TemporaryDirectory() as cache:
            return timed("nobi match, first ever", 60, [command_seconds(*_MATCH, cache=cache)])

    def cold_go() -> Measurement:
        command = ("match", "naive", "playout", "--game", "go", "--games", "10")
        with tempfile.TemporaryDirectory() as cache:
            return timed("nobi match --game go, first ever", 60, [command_seconds(*command, cache=cache)])

    yield from (help_time, warm, cold, cold_go)
