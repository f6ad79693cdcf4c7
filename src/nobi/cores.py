"""The processors there are to work with."""

import os


def usable_threads(threads: int = 0) -> int:
    """The number of threads to use: what is asked for, or all the process may use."""
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
