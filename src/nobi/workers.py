"""Executors for work in several threads or processes, and deferral of signals.

`Executor` runs independent tasks; `ThreadExecutor` does so in threads of this process, and `nobi.cluster` on a cluster.
Functions that play many games take an executor. A task depends only on its function and its number, so the results are
the same with every executor.
"""

import math
import multiprocessing
import os
import queue
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from multiprocessing import connection
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, cast

from nobi.errors import NobiError
from nobi.spec import whole_number


def usable_threads(threads: int = 0) -> int:
    """Return the number of threads to use: `threads`, or for 0 one per core that this process may use."""
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def handle_interrupts(handler: Callable[[int], None]) -> Iterator[None]:
    """Call the handler with the number of SIGINT or SIGTERM; do nothing in threads other than the main thread."""
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
S = TypeVar("S")


FILE_COPIES: dict[str, Path] = {}
"""In a worker on another machine: the local copies of model files, keyed by their paths on the sending machine."""


class PerWorker(ABC, Generic[S]):
    """Base class of functions for an `Executor` that need a state per worker, such as boards or an engine.

    States are created on demand and reused. Other processes receive the function without its states.
    """

    def __init__(self) -> None:
        self._free: queue.SimpleQueue[S] = queue.SimpleQueue()

    @abstractmethod
    def new_state(self) -> S:
        """Return the state for one more worker."""

    @contextmanager
    def state(self) -> Iterator[S]:
        """Yield a state that no other worker uses; after an exception it is not used again."""
        try:
            state = self._free.get_nowait()
        except queue.Empty:
            state = self.new_state()
        yield state
        self.add(state)

    def add(self, state: S) -> None:
        """Keep a state for the next worker."""
        self._free.put(state)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_free"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _free=queue.SimpleQueue())


class _EachTask(Generic[A, B]):
    """Applies a function to the tasks begin … end − 1."""

    def __init__(self, function: Callable[[A], B], tasks: list[A]) -> None:
        self.function = function
        self._tasks = tasks

    def __call__(self, begin: int, end: int) -> list[B]:
        return [self.function(task) for task in self._tasks[begin:end]]


class Executor(ABC):
    """Runs independent tasks on several workers. Use as a context manager, or call `close`.

    Results never depend on the executor: it decides only where and when a task runs.
    """

    workers: int
    """How many tasks run at the same time."""
    local: bool = True
    """Whether tasks run in this process."""
    cpu_seconds: float = 0.0
    """CPU time spent so far by workers in other processes."""
    serial_seconds: float = 0.0
    """Seconds per part in the process that submits the work, which more workers do not reduce."""

    @abstractmethod
    def ranges(
        self,
        function: Callable[[int, int], B],
        count: int,
        *,
        least: int = 1,
        cancel: Callable[[], None] | None = None,
        files: Sequence[str] = (),
    ) -> Iterator[tuple[int, int, B]]:
        """Divide the numbers 0 … count − 1 into parts; yield begin, end and function(begin, end) as they arrive.

        The order of arrival is arbitrary. Iterate within `contextlib.closing`. No part is running when the iteration
        ends, by an exception or otherwise; parts that have not begun by then are cancelled. Parts share no state: a
        backend may run them in other processes, where `function` is unpickled once for all parts.

        Args:
            function: computes a part.
            count: how many numbers there are.
            least: the minimum size of a part, except for the last.
            cancel: called after an exception such as KeyboardInterrupt, to make running parts end soon; their results
                are discarded. Without it, parts that have begun are completed and yielded before KeyboardInterrupt is
                raised, if the backend can do so.
            files: model files that the function reads; a backend copies them to other machines.
        """

    def stream(
        self,
        function: Callable[[A], B],
        tasks: Iterable[A],
        *,
        cancel: Callable[[], None] | None = None,
        files: Sequence[str] = (),
    ) -> Iterator[tuple[int, B]]:
        """Yield the number of each task and function(task) as the results arrive; as `ranges`."""
        tasks = list(tasks)
        parts = self.ranges(_EachTask(function, tasks), len(tasks), cancel=cancel, files=files)
        with closing_iterator(parts):
            for begin, _, results in parts:
                yield from enumerate(results, begin)

    def map(self, function: Callable[[A], B], tasks: Iterable[A], *, files: Sequence[str] = ()) -> list[B]:
        """Return function(task) for every task, in order; as `ranges`."""
        results = self.stream(function, tasks, files=files)
        with closing_iterator(results):
            found = dict(results)
        return [found[i] for i in range(len(found))]

    def useful_workers(self, seconds: float) -> int:
        """Return how many workers can speed up work that takes one of them this long; 0 seconds: unknown."""
        if not (seconds and self.serial_seconds):
            return self.workers
        return max(1, min(self.workers, round(math.sqrt(seconds / self.serial_seconds))))

    def describe(self) -> str:
        """Return the workers for the display of progress, such as `2 nodes, 8 workers`; empty for threads."""
        return ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {self.workers} workers>"

    def close(self) -> None:  # noqa: B027
        """Release the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def closing_iterator(iterator: Iterator[Any]) -> AbstractContextManager[Any]:
    """Close a generator at the end of the block; an exception in the block ends what it runs."""
    return closing(cast(Generator[Any, None, None], iterator))


def make_executor(spec: str, threads: int = 0) -> Executor:
    """Return the executor of a spec: `local`, `ray` or `ray://host:port`, with `threads` workers; 0: one per core.

    >>> with nobi.make_executor("local", threads=2) as executor:
    ...     run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=1, executor=executor, progress=False)
    >>> run.generation
    1
    """
    threads = whole_number(threads, "threads")
    if spec == "local":
        return ThreadExecutor(threads)
    if spec == "ray" or spec.startswith("ray://"):
        from nobi.cluster import RayExecutor

        return RayExecutor(spec, threads)
    raise NobiError(f"The executor must be local, ray or ray://host:port, not {spec!r}.")


@contextmanager
def open_executor(executor: Executor | str, threads: int = 0) -> Iterator[Executor]:
    """Yield the executor of a spec, as `make_executor`, and close it at the end; an executor object stays open."""
    if isinstance(executor, Executor):
        yield executor
        return
    with make_executor(executor, threads) as made:
        yield made


class PartSizes:
    """Chooses the sizes of parts, so that each takes about the same time and all workers finish together."""

    def __init__(
        self,
        count: int,
        least: int,
        seconds: float,
        shares: int,
        per_item: float | None = None,
        serial: float = 0.0,
    ) -> None:
        """Divide `count` items.

        Args:
            count: how many items there are.
            least: the minimum size of a part, except for the last.
            seconds: how long a part should take.
            shares: a part has at most the remaining items divided by this.
            per_item: the expected seconds of one item; None: unknown, the first parts are small.
            serial: the seconds that each part takes in the submitting process. A part then has at least about
                sqrt(count · serial / per_item) items: at this size, submitting all parts takes as long as computing one
                part.
        """
        self._count, self._least, self._seconds, self._shares = count, max(1, least), seconds, shares
        self._taken = 0
        self.per_item = per_item
        """The latest measurement, in seconds."""
        self._limit = self._least if per_item is None else count
        if per_item:
            self._least = max(self._least, round(math.sqrt(count * serial / per_item)))

    def take(self) -> tuple[int, int] | None:
        """Return the next part; None if there is none."""
        left = self._count - self._taken
        if left <= 0:
            return None
        wanted = self._limit if self.per_item is None else min(self._limit, int(self._seconds / self.per_item))
        size = max(self._least, min(wanted, -(-left // self._shares)))
        begin, self._taken = self._taken, min(self._taken + size, self._count)
        return begin, self._taken

    def stop(self) -> None:
        """Take no more parts."""
        self._count = self._taken

    def measured(self, items: int, seconds: float) -> None:
        """Record how long a part has taken."""
        self.per_item = max(seconds, 1e-9) / items
        self._limit = 8 * items  # one measurement may be wrong


PART_SECONDS = 0.05
"""Approximate time that a thread works before it checks for Ctrl-C."""
_CLOSE_SECONDS = 5.0
"""Maximum time to wait for cancelled parts."""


class ThreadExecutor(Executor):
    """Runs tasks in threads of this process, which exist only during `ranges`, `stream` or `map`."""

    def __init__(self, threads: int = 0) -> None:
        """`threads` is the number of workers; 0: one per core."""
        self.workers = usable_threads(threads)

    def ranges(
        self,
        function: Callable[[int, int], B],
        count: int,
        *,
        least: int = 1,
        cancel: Callable[[], None] | None = None,
        files: Sequence[str] = (),  # noqa: ARG002
    ) -> Iterator[tuple[int, int, B]]:
        threads = min(self.workers, -(-count // max(1, least)))
        # parts whose results may be discarded (`cancel` is set) are as small as possible
        parts = PartSizes(count, least, 0.0 if cancel else PART_SECONDS, 2 * threads if threads > 1 else 1)
        if threads <= 1 and cancel is None:
            while part := parts.take():
                start = time.perf_counter()
                result = function(*part)
                parts.measured(part[1] - part[0], time.perf_counter() - start)
                yield *part, result
            return
        lock = threading.Lock()
        results: queue.SimpleQueue[tuple[int, int, B] | BaseException | None] = queue.SimpleQueue()

        def work(done: threading.Event) -> None:
            try:
                while True:
                    with lock:
                        part = parts.take()
                    if part is None:
                        return
                    start = time.perf_counter()
                    result = function(*part)
                    seconds = time.perf_counter() - start
                    with lock:
                        parts.measured(part[1] - part[0], seconds)
                    results.put((*part, result))
            except BaseException as error:
                results.put(error)
            finally:
                done.set()
                results.put(None)

        running: list[tuple[threading.Thread, threading.Event]] = []

        def end(seconds: float | None) -> None:
            """Wait for the threads. Python 3.11 treats a thread as ended if Ctrl-C interrupts its join."""
            deadline = None if seconds is None else time.monotonic() + seconds
            with lock:
                parts.stop()
            for thread, done in running:
                if done.wait(None if deadline is None else max(0.0, deadline - time.monotonic())):
                    with defer_interrupts():
                        thread.join()

        try:
            with defer_interrupts():
                for _ in range(threads):
                    done = threading.Event()
                    running.append((threading.Thread(target=work, args=(done,), daemon=True), done))
                    running[-1][0].start()
            left = threads
            while left:
                found = results.get()
                if found is None:
                    left -= 1
                elif isinstance(found, BaseException):
                    raise found
                else:
                    yield found
        except KeyboardInterrupt:
            if cancel is None:
                end(None)
            while not results.empty():  # with `cancel`, which is called next: the results completed before
                if isinstance(late := results.get(), tuple):
                    yield late
            raise
        finally:
            if cancel is not None and not all(done.is_set() for _, done in running):
                with lock:
                    parts.stop()
                cancel()
                end(_CLOSE_SECONDS)
            end(None if cancel is None else 0.0)


_AHEAD = 4
"""Submitted tasks per process: enough to keep it busy, and few enough to limit memory."""


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
