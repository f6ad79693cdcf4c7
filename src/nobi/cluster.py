"""Tasks on several machines: the executor of `--executor ray` and `--executor ray://host:port`.

No other module uses Ray. `RayExecutor` divides the work into parts and sends them as Ray tasks:

* The function, with the weights of a generation inside, is stored once per call in Ray's object store; every node
  fetches it once, and every worker process unpickles it once. A task contains only the limits of its part.
* A part takes about `PART_SECONDS`, or less if the work divided by the number of workers is less; parts are large
  enough that submitting all parts takes no longer than computing one.
* Ray repeats the parts of lost workers and nodes elsewhere. A part depends only on the function and its limits, so the
  results are identical.
* Before a worker unpickles anything, it compares its version of nobi, its packages and its processor with those of the
  sender (`identity`): a node that could compute different results is refused.
* Only one process of a node compiles a function at a time; the others load it from the cache of the node.

A Ray that is started here listens on the loopback interface only, with token authentication.
"""

import atexit
import contextlib
import hashlib
import importlib
import importlib.metadata
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import nobi
from nobi.errors import NobiError
from nobi.workers import FILE_COPIES, Executor, PartSizes, defer_interrupts, usable_threads

B = TypeVar("B")

PART_SECONDS = 0.5
"""Approximate duration of a part: much longer than the few milliseconds of overhead per task."""
_AHEAD = 2
"""Submitted parts per worker: one runs, one is queued."""
_RETRIES = 20
"""How often a part is repeated after its worker or node was lost."""
_POLL_SECONDS = 0.5
_STATUS_SECONDS = 1.0
"""The time between two requests for the list of nodes."""
_LOST_SECONDS = 5.0
"""The head counts as lost if it does not answer for this time."""
_STORE_BYTES = 200 * 2**20
"""The object store of a Ray that is started here; weights and results are small."""
_INSTALL = "--executor ray needs the package ray; install it with pip install 'nobi[ray]'."
_RESUME = "finished work is saved, and the same command with --resume continues"


def identity() -> dict[str, str]:
    """Return what the result of a task depends on besides the task itself."""
    from nobi.compile_cache import source_hash
    from nobi.compiling import target_processor

    packages = {name: importlib.metadata.version(name) for name in ("numpy", "numba")}
    own = {"nobi": nobi.__version__, "nobi's sources": source_hash()}
    return {**own, **packages, "processor": target_processor()}


def _difference(here: dict[str, str], there: dict[str, str]) -> str:
    """Return the first difference, such as `has nobi 0.1, not 0.2`; empty if there is none."""
    for name, value in here.items():
        found = there.get(name, "an unknown version")
        if found != value:
            return f"has {name} {found}, not {value}" if found != "not installed" else f"has no {name}"
    return ""


def _make_entry() -> Callable[..., Any]:
    """Return the function that a worker runs first. Ray sends its code, so it works with any version of nobi there."""

    def enter(expected: dict[str, str], *arguments: Any) -> tuple[str, Any]:
        import socket

        try:
            from nobi.cluster import identity, run_part

            found = identity()
        except ImportError:
            from importlib.util import find_spec

            found = {"nobi": __import__("nobi").__version__ if find_spec("nobi") else "not installed"}
        if found != expected:
            return "refused", (socket.gethostname(), found)
        return run_part(*arguments)

    # pickled by value: a function of an importable module would be looked up there
    enter.__module__ = "__main__"
    enter.__qualname__ = "nobi_task"
    return enter


_functions: "OrderedDict[str, Any]" = OrderedDict()
"""The latest functions that this worker process has unpickled."""


def run_part(key: str, pickled: bytes, files: list[tuple[str, str, Any]], begin: int, end: int) -> tuple[str, Any]:
    """Compute a part in a worker process: ("done", (result, seconds, CPU seconds)), or ("invalid", an error's text)."""
    import ray.cloudpickle

    from nobi import compiling

    compiling.compile_in_one_process()
    try:
        _fetch(files)
        if key not in _functions:
            _functions[key] = ray.cloudpickle.loads(pickled)
            while len(_functions) > 2:
                _, old = _functions.popitem(last=False)
                getattr(getattr(old, "function", old), "close", lambda: None)()
        start, cpu = time.perf_counter(), time.process_time()
        result = _functions[key](begin, end)
        return "done", (result, time.perf_counter() - start, time.process_time() - cpu)
    except NobiError as error:
        return "invalid", str(error)


def _fetch(files: list[tuple[str, str, Any]]) -> None:
    """Copy files of the sender, (path, digest, object) each, to this node's cache; load those that are plug-ins."""
    if not files:
        return
    import ray

    from nobi.compile_cache import cache_root
    from nobi.spec import load_file
    from nobi.storage import atomic_write

    folder = cache_root().parent / "cluster"
    for path, digest, content in files:
        copy = folder / digest / Path(path).name
        if FILE_COPIES.get(path) == copy:
            continue
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(copy, ray.get(content))
        FILE_COPIES[path] = copy
        if path.endswith(".py"):
            load_file(copy)


class RayExecutor(Executor):
    """Runs tasks on the nodes of a Ray cluster, or on a Ray of this machine."""

    local = False
    serial_seconds = 0.0014  # measured by benchmarks/scale.py

    def __init__(self, address: str = "ray", threads: int = 0) -> None:
        """Connect to a cluster, or start Ray here.

        Args:
            address: `ray://host:port`: the cluster whose Ray Client server listens there. `ray`: the cluster that
                RAY_ADDRESS names or that runs on this machine; if there is none, Ray is started.
            threads: the largest number of workers; 0: all cores of the cluster.
        """
        self._threads = threads
        self._ray = _connect(address, threads)
        self._guard = _Guard()
        try:
            options = {"num_cpus": 1, "max_retries": _RETRIES, "scheduling_strategy": "SPREAD"}
            self._task = self._ray.remote(**options)(_make_entry())
            self._identity = identity()
            self._expected = self._ray.put(self._identity)
            self._calls = 0
            self._per_item: dict[str, float] = {}
            self._files: dict[str, tuple[int, int, str, Any]] = {}
            self._head = _HeadWatch(self._ray)
            self._check_nodes()
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:  # type: ignore[override]
        """The number of cores of live nodes, at most `threads` if that was given."""
        cores = sum(int(node["Resources"].get("CPU", 0)) for node in self._head.nodes)
        return max(1, min(cores, self._threads or cores))

    def describe(self) -> str:
        nodes, workers = len(self._head.nodes), self.workers
        return f"{nodes} node{'s'[: nodes > 1]}, {workers} worker{'s'[: workers > 1]}"

    def ranges(
        self,
        function: Callable[[int, int], B],
        count: int,
        *,
        least: int = 1,
        cancel: Callable[[], None] | None = None,
        files: Sequence[str] = (),
    ) -> Iterator[tuple[int, int, B]]:
        ray = self._ray
        # parts of functions of one kind take similar time
        kind = str(type(getattr(function, "function", function)))
        parts = PartSizes(count, least, PART_SECONDS, self.workers, self._per_item.get(kind), self.serial_seconds)
        pending: dict[Any, tuple[int, int]] = {}
        try:
            with self._translate_errors():
                self._calls += 1
                shared = (f"{os.getpid()}-{self._calls}", ray.put(ray.cloudpickle.dumps(function)), self._send(files))
            left = True
            while left or pending:
                with self._translate_errors():
                    limit = _AHEAD * self.workers
                    while left and len(pending) < limit:
                        part = parts.take()
                        left = part is not None
                        if part:
                            pending[self._task.remote(self._expected, *shared, *part)] = part
                    arrived = self._receive(pending) if pending else []
                for (begin, end), (result, seconds, cpu) in arrived:
                    parts.measured(end - begin, seconds)
                    self._per_item[kind] = parts.per_item or 0.0
                    self.cpu_seconds += cpu
                    yield begin, end, result
        except BaseException:
            if cancel:
                cancel()
            self._wait_for(list(pending))
            raise

    def _receive(self, pending: dict[Any, tuple[int, int]]) -> list[tuple[tuple[int, int], Any]]:
        """Wait for a part; remove all that are ready from `pending` and return them with their results."""
        ray = self._ray
        refs = list(pending)
        ready, _ = ray.wait(refs, num_returns=1, timeout=_POLL_SECONDS)
        self._head.check()
        if ready:
            ready, _ = ray.wait(refs, num_returns=len(refs), timeout=0)
        found = []
        for ref in ready:
            state, value = ray.get(ref)
            if state == "refused":
                raise self._refusal(*value)
            if state == "invalid":
                raise NobiError(value)
            found.append((pending.pop(ref), value))
        return found

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise a NobiError for the errors of Ray that a user can resolve."""
        errors = self._ray.exceptions
        try:
            yield
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
            raise NobiError(
                f"A worker was lost {_RETRIES} times with the same games ({type(error).__name__}); {_RESUME}."
            ) from None
        except (errors.RaySystemError, errors.RpcError, ConnectionError) as error:
            reason = " ".join(str(error).split())[:200]
            raise NobiError(f"The connection to the Ray cluster was lost ({reason}); {_RESUME}.") from None

    def _send(self, paths: Sequence[str]) -> list[tuple[str, str, Any]]:
        """Return (path, digest, object) of model files and plug-ins; a file is sent again only if it has changed."""
        from nobi.spec import PLUGIN_PREFIX

        plugins = [str(module.__file__) for name, module in list(sys.modules.items()) if name.startswith(PLUGIN_PREFIX)]
        found = []
        for path in dict.fromkeys([*plugins, *(str(Path(path)) for path in paths)]):
            state = Path(path).stat()
            if self._files.get(path, ())[:2] != (state.st_mtime_ns, state.st_size):
                content = Path(path).read_bytes()
                digest = hashlib.blake2b(content, digest_size=16).hexdigest()
                self._files[path] = state.st_mtime_ns, state.st_size, digest, self._ray.put(content)
            found.append((path, *self._files[path][2:]))
        return found

    def _check_nodes(self) -> None:
        """Refuse a cluster with a node whose workers would be refused."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        with self._translate_errors():
            probes = []
            for node in self._head.nodes:
                strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=True)
                task = self._task.options(scheduling_strategy=strategy)
                probe = self._ray.put(self._ray.cloudpickle.dumps(divmod))
                probes.append(task.remote(self._expected, "probe", probe, [], 0, 1))
            for probe in probes:
                state, value = self._ray.get(probe)
                if state == "refused":
                    raise self._refusal(*value)

    def _refusal(self, host: str, found: dict[str, str]) -> NobiError:
        reason, advice = _difference(self._identity, found), "install the same versions on all nodes"
        if "processor" in reason:
            advice = "give all nodes the same target by NUMBA_CPU_NAME and NUMBA_CPU_FEATURES, or leave this node out"
        return NobiError(f"The node {host!r} cannot be used: it {reason}; {advice}.")

    def _wait_for(self, refs: list[Any]) -> None:
        """Wait some seconds for tasks whose results are not needed; they end at the latest with the connection.

        They are not cancelled: Ray may end this process when a task completes while it is being cancelled.
        """
        if not refs or self._head.lost:
            return
        with contextlib.suppress(Exception), defer_interrupts():
            self._ray.wait(refs, num_returns=len(refs), timeout=10 * PART_SECONDS)

    def close(self) -> None:
        """Disconnect; a Ray that was started here ends."""
        head = getattr(self, "_head", None)
        if head:
            head.close()
        with defer_interrupts():
            self._guard.close()
            if head and head.lost:
                _skip_shutdown(self._ray)
            else:
                self._ray.shutdown()


class _HeadWatch:
    """Polls the head for the list of nodes in a separate thread, and detects when the head is lost.

    Ray calls that need the head do not return when it is lost, and after a minute Ray ends the process. Therefore only
    this thread sends requests to the head.
    """

    def __init__(self, ray: Any) -> None:
        self.lost = False
        self._ray = ray
        client = ray.util.client.ray.is_connected()
        self._address = "" if client else ray.get_runtime_context().gcs_address
        self._stop = threading.Event()
        self.nodes = self._ask()
        """The nodes that are alive and have cores."""
        self._answered = time.monotonic()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise a NobiError if the head is lost."""
        if time.monotonic() - self._answered > _LOST_SECONDS and not self._listens():
            self.lost = True
            where = f", {self._address}," if self._address else ""
            raise NobiError(f"The head node of the Ray cluster{where} does not respond; {_RESUME}.")

    def close(self) -> None:
        """Stop polling; wait for a pending request, which would connect to Ray again after its shutdown."""
        self._stop.set()
        if not self.lost:
            self._thread.join(_LOST_SECONDS)

    def _ask(self) -> list[dict[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]

    def _watch(self) -> None:
        while not self._stop.wait(_STATUS_SECONDS):
            with contextlib.suppress(Exception):  # whatever Ray raises, the head did not answer
                self.nodes = self._ask()
                self._answered = time.monotonic()

    def _listens(self) -> bool:
        """Return whether the head accepts connections; it may be slow."""
        host, _, port = self._address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port or 0)), timeout=_LOST_SECONDS / 2).close()
        except OSError:
            return False
        return True


class _Guard:
    """Prints a message if Ray ends this process, as it does when the node of this process is lost.

    A child process waits for a line; if its input ends without one, this process has ended without `close`.
    """

    def __init__(self) -> None:
        text = f"nobi: the process was ended, probably because its Ray node was lost; {_RESUME}."
        self._child = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", 'read -r line || echo "$0" >&2', text],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process only
        )

    def close(self) -> None:
        """End without a message."""
        with contextlib.suppress(BrokenPipeError):
            self._child.communicate(b"done\n")


def _connect(address: str, threads: int) -> Any:
    """Connect to Ray; return the package."""
    # read by Ray when it is imported, and by the processes that it starts; its workers would have the lowest priority
    for name, value in {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}.items():
        os.environ.setdefault(name, value)
    try:
        ray: Any = importlib.import_module("ray")
        importlib.import_module("ray.cloudpickle")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise NobiError(_INSTALL) from None
    quiet: dict[str, Any] = {"logging_level": "critical", "log_to_driver": False}
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        if address.startswith("ray://"):
            ray.init(address, **quiet)
        else:
            try:
                ray.init("auto", **quiet)
            except ConnectionError:
                if os.environ.get("RAY_ADDRESS"):
                    raise
                _start(ray, usable_threads(threads), quiet)
    except (ConnectionError, ImportError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        where = os.environ.get("RAY_ADDRESS", address) if address == "ray" else address
        reason = " ".join(str(error).split())[:300]
        raise NobiError(f"There is no connection to Ray at {where!r}: {reason}") from None
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in handlers.items():  # Ray replaces that of SIGTERM
                signal.signal(number, handler)
    return ray


def _start(ray: Any, workers: int, options: dict[str, Any]) -> None:
    """Start Ray on this machine, on the loopback interface only; Ray turns token authentication on by default."""
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False  # as on macOS and Windows, where Ray uses the loopback interface only
    try:
        ray.init("local", num_cpus=workers, object_store_memory=_STORE_BYTES, include_dashboard=False, **options)
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _skip_shutdown(ray: Any) -> None:
    """Skip Ray's shutdown when this process exits: it would wait for a head that does not answer, or crash."""

    def end() -> None:
        with contextlib.suppress(Exception):  # of a Ray that was started here
            ray._private.worker._global_node.kill_all_processes(check_alive=False, allow_graceful=False)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(2)  # as for every error that is reported to the user

    atexit.register(end)
