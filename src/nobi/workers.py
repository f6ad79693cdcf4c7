"""Work in several threads or processes, and signals during work that must not be interrupted.

`Executor` runs independent tasks; `ThreadExecutor` does so in threads of this process. Functions that play many games
take an executor, so that another backend, such as a cluster, needs only another subclass.
"""

import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection
from typing import Self, TypeVar


def usable_threads(threads: int = 0) -> int:
    """The number of threads to use: `threads`, or for 0 one per core that this process may use."""
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def handle_interrupts(handler: Callable[[int], None]) -> Iterator[None]:
    """Call the handler with the number of SIGINT or SIGTERM; in other threads than the main one, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda received, _: handler(received)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, signal.SIG_DFL if previous is None else previous)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defer SIGINT and SIGTERM to the end of the block.

    Unlike a signal mask, this works with several threads, and programs that are started inside do not inherit it.
    """
    received: list[int] = []
    try:
        with handle_interrupts(received.append):
            yield
    finally:
        for number in received:
            signal.raise_signal(number)


A = TypeVar("A")
B = TypeVar("B")


class Executor(ABC):
    """Runs independent tasks on several workers. Use as a context manager, or call `close`."""

    workers: int
    """How many tasks run at the same time."""

    @abstractmethod
    def map(self, function: Callable[[A], B], tasks: Iterable[A]) -> list[B]:
        """function(task) for every task, in order.

        After an exception, such as KeyboardInterrupt, tasks that have not begun are cancelled; no task is running when
        this method returns or raises. Tasks share no state: a backend may run them in other processes.
        """

    def close(self) -> None:  # noqa: B027
        """Release the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ThreadExecutor(Executor):
    """Runs tasks in threads of this process, which exist only during `map`."""

    def __init__(self, threads: int = 0) -> None:
        """`threads` is the number of workers; 0: one per core."""
        self.workers = usable_threads(threads)

    def map(self, function: Callable[[A], B], tasks: Iterable[A]) -> list[B]:
        tasks = list(tasks)
        if self.workers == 1 or len(tasks) <= 1:
            return [function(task) for task in tasks]
        pool = ThreadPoolExecutor(self.workers)
        try:
            with defer_interrupts():  # a pool that is interrupted while it starts a thread would not wait for it
                futures = [pool.submit(function, task) for task in tasks]
            return [future.result() for future in futures]
        finally:
            pool.shutdown(cancel_futures=True)


_AHEAD = 4
"""Submitted tasks per process: enough to keep it busy, few enough to fit into memory."""


def ordered_map(function: Callable[[A], B], tasks: Iterable[A], workers: int) -> Iterator[B]:
    """Yield function(task) for each task, in order, computed in processes; one worker is this process itself."""
    if workers <= 1:
        yield from map(function, tasks)
        return
    # processes are spawned, not forked: a fork of a process with threads may deadlock
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)
    waiting: deque[Future[B]] = deque()
    try:
        for task in tasks:
            with _sigint_blocked():
                waiting.append(pool.submit(function, task))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT while workers start, which inherit this; the parent process handles it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker() -> None:
    """End this worker process with its parent, even if the parent is killed."""
    parent = multiprocessing.parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            connection.wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
