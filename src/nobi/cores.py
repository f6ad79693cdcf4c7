"""The processors there are to work with, and who goes first."""

import contextlib
import os
import sys
import threading

_NICE = 10
"""About a tenth of the time where all processors are busy: enough not to be held up by other programs for good."""


def usable_threads(threads: int = 0) -> int:
    """The number of threads to use: what is asked for, or all the process may use."""
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def give_way() -> None:
    """Lets the other threads go before this one, where the system can: on Linux priorities belong to threads.

    Meant for a thread that prepares something beside a computation of many threads. These wait for each other all the
    time, so that all of them stand still while one of them waits for its processor.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # where a container forbids it, it works beside the others
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
