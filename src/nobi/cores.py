"""The processors there are to work with."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from nobi.interrupts import interrupts_held_back

T = TypeVar("T")
R = TypeVar("R")


def usable_threads(threads: int = 0) -> int:
    """The number of threads to use: what is asked for, or all the process may use."""
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_threads(work: Callable[[T], R], tasks: Iterable[T], threads: int) -> list[R]:
    """The results of `work` for all tasks, in their order, computed in threads.

    After an exception, such as KeyboardInterrupt, tasks that have not begun are cancelled. All threads have ended when
    this function returns or raises.
    """
    pool = ThreadPoolExecutor(threads)
    try:
        with interrupts_held_back():  # a pool that is interrupted while it starts a thread would not wait for it
            futures = [pool.submit(work, task) for task in tasks]
        return [future.result() for future in futures]
    finally:
        pool.shutdown(cancel_futures=True)
