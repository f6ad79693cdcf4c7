"""Compilation of the hot functions with Numba, cached on disk per version of the sources.

Properties of Numba that determine the design:

* Numba's disk cache does not notice a change in a called function of another file. The cache folder is therefore
  named by a hash of all sources with compiled code, so that an edit or an upgrade compiles again.
* A compiled function that is passed as an argument is compiled again in every process. A loop for several games or
  players is therefore written as a *template* that calls global names, and `specialise` binds these names to the
  functions of one game or player: each result has its own entry in the cache.
* A state is a named tuple of many arrays. A call passes about a hundred machine words, so small functions are
  `inlined` (a Go playout: 1.5 times as fast). Numba counts references to all arrays of each tuple; compiled functions
  are therefore compiled without reference counting (25 times as fast) and must not allocate arrays: workspaces are
  allocated by the caller.
* A call with a constant argument is compiled for this constant. That makes some functions faster, but loops that use
  board 0 would get their own copy of all rules. The index of a board, `g`, is therefore never treated as a constant.
"""

import hashlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import llvmlite.binding
import numba
import platformdirs
from numba.core import event, types

from nobi.workers import handle_interrupts

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


_BOARD = "g"
"""The name of the parameter for the index of a board."""

_LABEL = "nobi_label"
"""The attribute with the label of a bound template."""

_FUSE = {"contract", "nnan", "nsz"}

UNBOUND: Any = None
"""The value, in the file of a template, of a name that `specialise` binds."""


def compiled(function: F) -> F:
    """Compile a function that allocates no arrays, to be called from Python or from other compiled functions."""
    return _compile(function)


def inlined(function: F) -> F:
    """Compile a small function that allocates no arrays; it is inlined into the compiled functions that call it."""
    return _compile(function, forceinline=True)


def arithmetic(function: F) -> F:
    """Compile a small function of floating-point numbers, `inlined`, with fused multiply-adds allowed.

    Functions that call it in a loop to be vectorised are compiled with `specialise(…, fuse=True)`. Sums keep their
    order: the bits are the same on every machine with fused multiply-adds.
    """
    return _compile(function, forceinline=True, fastmath=_FUSE)


def bind(template: F, name: str, **bindings: object) -> F:
    """The function `template`, not compiled, with its global names `bindings` bound to these."""
    unknown = bindings.keys() - set(template.__code__.co_names)
    if unknown:
        raise ValueError(f"{template.__qualname__} never uses {', '.join(sorted(unknown))}")
    names = {**template.__globals__, **bindings}
    bound: Any = FunctionType(template.__code__, names, template.__name__, template.__defaults__)
    bound.__qualname__ = f"{template.__qualname__}_{name}_{_fingerprint(bindings)}"
    bound.__module__ = template.__module__
    bound.__doc__ = template.__doc__
    setattr(bound, _LABEL, name)
    return bound


def specialise(template: F, name: str, *, inline: bool = False, fuse: bool = False, **bindings: object) -> F:
    """Compiles `template` with its global names `bindings` bound to these functions or constants.

    `name` is for the eyes; in the cache, specialisations are told apart by what they are bound to.
    """
    return _compile(bind(template, name, **bindings), forceinline=inline, fastmath=_FUSE if fuse else False)


def _compile(function: F, **options: Any) -> F:
    """The function as a Numba dispatcher, which compiles it at the first call with each combination of types."""
    dispatcher: Any = numba.njit(**_OPTIONS, **options)(function)
    if _BOARD in function.__code__.co_varnames[: function.__code__.co_argcount]:
        overload = dispatcher.get_call_template
        position = function.__code__.co_varnames.index(_BOARD)

        def overload_for_any_board(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            unliteral: Any = types.unliteral
            return overload(tuple(unliteral(kind) if i == position else kind for i, kind in enumerate(args)), kws)

        dispatcher.get_call_template = overload_for_any_board
    result: F = dispatcher
    return result


def _fingerprint(bindings: dict[str, object]) -> str:
    """Tells bindings apart; those to functions outside this package by the contents of their files as well."""
    digest = hashlib.sha256()
    for key, value in sorted(bindings.items()):
        function = getattr(value, "py_func", None)
        digest.update(
            f"{key}={function.__module__}.{function.__qualname__};".encode() if function else repr(value).encode()
        )
        if function and not (file := Path(function.__code__.co_filename)).is_relative_to(_PACKAGE) and file.exists():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


class _Watch(event.Listener):
    """Reports functions that are not in the cache and therefore compiled, and measures the time of compilation.

    Numba compiles one function at a time; functions that it calls are compiled during its compilation.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.say: Callable[[str], None] = lambda _: None
        self._announced: set[str] = set()
        self._depth = 0
        self._start = 0.0

    def on_start(self, compilation: event.Event) -> None:
        if self._depth == 0:
            self._start = time.perf_counter()
        self._depth += 1
        what = subject_of(compilation.data["dispatcher"].py_func)
        if what and what not in self._announced:
            self._announced.add(what)
            self.say(what)

    def on_end(self, _: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._start


_watch = _Watch()
event.register("numba:compile", _watch)  # type: ignore[no-untyped-call]


def when_compiling(notify: Callable[[str], None]) -> None:
    """Call `notify` with a description of what is compiled, such as "the rules of go", once for each description."""
    _watch.say = notify


def seconds_compiling() -> float:
    """The time that this process has spent on compilation."""
    return _watch.seconds


def subject_of(function: Callable[..., Any]) -> str:
    """A description, for users, of what a compiled function belongs to; empty if it belongs to Numba."""
    parts = function.__module__.split(".")
    label, *more = getattr(function, _LABEL, "").split("_")
    if parts[0] != "nobi" or len(parts) < 2:
        return "" if parts[0] == "numba" else f"functions of {function.__module__}"
    match parts[1], parts[-1]:
        case "games", name if name != "base":
            return f"the rules of {name.replace('_', '-')}"
        case "games", _:
            return f"the rules of {label}" if label else "the rules"
        case "players", name if name not in ("base", "uniform", "network", "policy"):
            return f"the player {parts[2].replace('_', '-')}"
        case "arena", "fused" if len(more) == 2:
            return f"matches of {label}, {more[0]} against {more[1]}"
        case "arena", "lockstep" if label:
            return f"matches of {label} with networks"
        case "search", _ if label:
            return f"the tree search for {label}"
        case "networks", _ if label:
            return f"the network {label}"
    return _PARTS.get(parts[1], f"functions of {function.__module__}")


_PARTS = {
    "board": "the boards",
    "streams": "the random numbers",
    "players": "the choice of moves",
    "networks": "the networks",
    "nn": "the networks",
    "arena": "the arena",
    "search": "the tree search",
    "features": "the planes of positions",
    "encoding": "the planes of positions",
    "records": "the check of game records",
    "imitation": "the choice of training positions",
}
"""Descriptions, for users, of the modules with compiled code."""


class _DeferInterrupts(event.Listener):
    """Defers Ctrl-C and the termination signal while Numba compiles a function or loads it from the cache.

    LLVM calls back into Python. A KeyboardInterrupt that is raised there is ignored by ctypes: the interrupt would be
    lost, and the function would stay half compiled. Compilation is nested, functions within their callers; the signal
    is delivered at the end of the innermost function.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._received: list[int] = []
        self._handlers: AbstractContextManager[None] | None = None

    def on_start(self, _: event.Event) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Python runs signal handlers in the main thread only
        self._depth += 1
        if self._handlers is None:
            self._handlers = handle_interrupts(self._received.append)
            self._handlers.__enter__()

    def on_end(self, _: event.Event) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._handlers is not None and (self._received or self._depth == 0):
            handlers, self._handlers = self._handlers, None
            handlers.__exit__(None, None, None)
            while self._received:
                signal.raise_signal(self._received.pop(0))


def _hash_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"compiling import" in source or path == Path(__file__):
            digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + source + b"\0")
    return digest.hexdigest()[:16]


def _choose_cache_folder() -> Path:
    parent = Path(os.environ.get("NOBI_CACHE_DIR") or platformdirs.user_cache_path("nobi"))
    folder = parent / "compiled" / _hash_of_sources()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:  # a home folder without write access: compile again in every process
        folder = Path(tempfile.mkdtemp(prefix="nobi-compiled-"))
    return folder


def _prefer_wide_vectors() -> None:
    """Let the compiler use 512-bit vectors where the processor has them, which LLVM avoids by default.

    A target that the user chose by NUMBA_CPU_NAME or NUMBA_CPU_FEATURES is not changed.
    """
    config: Any = numba.config
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return
    features = llvmlite.binding.get_host_cpu_features()
    if features.get("avx512f"):
        config.CPU_FEATURES = f"{features.flatten()},-prefer-256-bit"
        config.CPU_NAME = llvmlite.binding.get_host_cpu_name()


def has_feature(feature: str) -> bool:
    """Whether the processor that Numba compiles for has a feature such as `avx2`.

    NUMBA_CPU_FEATURES decides if it mentions the feature. Otherwise a processor named by NUMBA_CPU_NAME is assumed to
    have AVX2, unless it is `generic`, and no AVX-512.
    """
    named: str | None = numba.config.CPU_NAME  # type: ignore[attr-defined]
    features = (numba.config.CPU_FEATURES or "").split(",")  # type: ignore[attr-defined]
    if f"+{feature}" in features or f"-{feature}" in features:
        return f"+{feature}" in features
    if named and named != "host":
        return named != "generic" and not feature.startswith("avx512")
    return bool(llvmlite.binding.get_host_cpu_features().get(feature))


_prefer_wide_vectors()
event.register("numba:compiler_lock", _DeferInterrupts())  # type: ignore[no-untyped-call]
numba.config.CACHE_DIR = str(_choose_cache_folder())  # type: ignore[attr-defined]
