"""Compilation of hot functions with Numba, cached on disk and recompiled when a source that they use changes.

`compiled`, `inlined` and `arithmetic` are decorators. Compiled functions allocate no arrays: scratch arrays are part of
the state that is passed to them.

**Templates.** One loop serves every game and player. Numba compiles a function that is passed as an argument again in
each process, so a loop does not take the rules of a game as an argument. It calls them by global names, and
`specialise` compiles a copy of it with these names bound:

    play: Any = UNBOUND  # bound by `specialise`


    def _play_moves(boards, moves):
        for i in range(len(moves)):
            play(boards, 0, moves[i])


    @cache
    def compiled_play_moves(game):
        return specialise(_play_moves, game.name, play=game.rules.play)


    compiled_play_moves(Go)(boards, moves)

`UNBOUND` is a placeholder that declares the name. A binding is a compiled function or a constant; branches on a
constant (`may_pass=False`) are removed by the compiler. Binding a name that the template does not use is an error.
Templates can be nested: the result of `specialise` may be bound in another template. Each set of bindings has its own
entry in the cache. `bind` makes the same copy without compiling it, for loops whose players are Python functions.

`docs/compiling.md` compares this with dispatch by Numba's `overload` on the class of the state.

**The cache.** `nobi/compile_cache.py` chooses where Numba keeps the compiled code of a function.

**Speed.** A state is a named tuple of many arrays. A call passes a hundred machine words, so small functions are
`inlined` (a Go playout: 1.5 times as fast). Numba would count references to all arrays wherever a state is named;
compiled functions therefore run without its reference counting (25 times as fast). Numba would compile a call with a
constant argument, such as board 0, for this constant, with a separate copy of everything that is called; no argument is
taken as a constant here.
"""

import fcntl
import hashlib
import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import llvmlite.binding
import numba
from numba.core import event, types

from nobi.compile_cache import cache_folder_of, cache_root, depends_on, share_index
from nobi.spec import PLUGIN_PREFIX
from nobi.workers import handle_interrupts

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}

_LABEL = "nobi_label"
"""The attribute of a bound template that holds its label."""

_FUSE = {"contract", "nnan", "nsz"}

UNBOUND: Any = None
"""The value, in a template's file, of a name that `specialise` binds."""


def compiled(function: F) -> F:
    """Compile a function, to be called from Python or from other compiled functions."""
    return _compile(function)


def merged(function: F) -> F:
    """Compile a function as part of each compiled function that calls it, before types are inferred.

    For large functions with a single caller. Numba compiles a called function separately, and LLVM optimises it again
    within its caller, at every level of calls; a merged function is optimised only with its caller.
    """
    return _compile(function, inline="always")


def inlined(function: F) -> F:
    """Compile a small function that is inlined into the compiled functions that call it."""
    return _compile(function, forceinline=True)


def arithmetic(function: F) -> F:
    """Compile a small function of floating-point numbers, `inlined`, with fused multiply-add.

    The loops that call it are compiled with `specialise(…, fuse=True)`, so that they vectorise. Sums keep their order:
    the results are the same bits on every processor with fused multiply-add.
    """
    return _compile(function, forceinline=True, fastmath=_FUSE)


def specialise(
    template: F, label: str, *, inline: bool = False, merge: bool = False, fuse: bool = False, **bindings: object
) -> F:
    """Compile `template` with its global names bound to these compiled functions or constants.

    Args:
        template: a function, not compiled, that uses the names.
        label: part of the name of the result, for messages and profilers; the cache key is the set of bindings.
        inline: as `inlined`.
        merge: as `merged`.
        fuse: as `arithmetic`.
        bindings: the names and their values.
    """
    options: dict[str, Any] = {"inline": "always"} if merge else {"forceinline": inline}
    return _compile(bind(template, label, **bindings), fastmath=_FUSE if fuse else False, **options)


def bind(template: F, label: str, **bindings: object) -> F:
    """Return a copy of `template`, not compiled, with its global names bound."""
    unknown = bindings.keys() - set(template.__code__.co_names)
    if unknown:
        raise ValueError(f"{template.__qualname__} never uses {', '.join(sorted(unknown))}")
    names = {**template.__globals__, **bindings}
    bound: Any = FunctionType(template.__code__, names, template.__name__, template.__defaults__)
    bound.__qualname__ = f"{template.__qualname__}_{label}_{_fingerprint(bindings)}"
    bound.__module__ = template.__module__
    bound.__doc__ = template.__doc__
    setattr(bound, _LABEL, label)
    functions = [template, *(value.py_func for value in bindings.values() if hasattr(value, "py_func"))]
    depends_on(bound, functions)
    return bound


def _fingerprint(bindings: dict[str, object]) -> str:
    """Return a hash of bindings: functions by name, those of other packages also by the contents of their files."""
    digest = hashlib.sha256()
    for key, value in sorted(bindings.items()):
        function = getattr(value, "py_func", None)
        digest.update(
            f"{key}={function.__module__}.{function.__qualname__};".encode() if function else repr(value).encode()
        )
        if function and not (file := Path(function.__code__.co_filename)).is_relative_to(_PACKAGE) and file.exists():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _compile(function: F, **options: Any) -> F:
    """Return the function, to be compiled at its first call with each combination of argument types."""
    # The cache of a file's functions refers to the module's name, which differs for a file loaded by its path.
    cache = not function.__module__.startswith(PLUGIN_PREFIX)
    with cache_folder_of(function):
        dispatcher: Any = numba.njit(**_OPTIONS | {"cache": cache}, **options)(function)
        if cache:
            share_index(dispatcher)
    get_template = dispatcher.get_call_template

    def get_template_of_any_value(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        unliteral: Any = types.unliteral
        return get_template(tuple(map(unliteral, args)), kws)

    dispatcher.get_call_template = get_template_of_any_value
    result: F = dispatcher
    return result


class _Watch(event.Listener):
    """Records which functions are compiled because the cache does not contain them, and how long that takes.

    Numba compiles one function at a time; compilations of the functions that it calls are nested.
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
    """Call `notify` with the subject of each compilation, such as "the rules of go", once per subject."""
    _watch.say = notify


def seconds_compiling() -> float:
    """Return the seconds that this process has spent compiling, for clocks that exclude them."""
    return _watch.seconds


def subject_of(function: Callable[..., Any]) -> str:
    """Return a user-readable name for what a compiled function is part of; empty if it is part of Numba."""
    parts = function.__module__.split(".")
    label, *more = getattr(function, _LABEL, "").split("_")
    if parts[0] != "nobi" or len(parts) < 2:
        return "" if parts[0] == "numba" else f"functions of {function.__module__}"
    match parts[1], parts[-1]:
        case "games", name if name != "base":
            return f"the rules of {name.replace('_', '-')}"
        case "games", _:
            return f"the rules of {label}" if label else "the rules"
        case "players", "base" | "random" if more:
            return f"the player {more[0]}"
        case "players", _ if parts[2] == "heuristic":
            return "the player heuristic"
        case "arena", _ if len(more) == 2:
            return f"matches of {label}, {more[0]} against {more[1]}"
        case "arena", _ if label:
            return f"matches of {label} with networks"
        case "search", _ if label:
            return f"the tree search for {label}"
        case "networks" | "nn", _ if label:
            return f"the network {label}"
    return _PARTS.get(parts[1], f"functions of {function.__module__}")


_PARTS = {
    "board": "the boards",
    "streams": "the random numbers",
    "players": "the choice of moves",
    "networks": "the networks",
    "nn": "the networks",
    "arena": "the arena",
    "trainers": "the trainer cmaes",
    "search": "the tree search",
    "features": "the planes of positions",
    "encoding": "the planes of positions",
    "records": "the check of game records",
    "imitation": "the choice of training positions",
}
"""The subjects of compilation by subpackage."""


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


class _OneProcess(event.Listener):
    """Lets only one process of this machine compile or load at a time; the others then load the result."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w")
        self._lock = threading.Lock()
        self._depth = 0

    def on_start(self, _: event.Event) -> None:
        with self._lock:
            if self._depth == 0:
                fcntl.flock(self._file, fcntl.LOCK_EX)
            self._depth += 1

    def on_end(self, _: event.Event) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                fcntl.flock(self._file, fcntl.LOCK_UN)


@cache
def compile_in_one_process() -> None:
    """Compile in at most one process at a time, among the processes of this machine that call this function.

    Used by workers that start together: the first compiles a function, the others load it from the cache.
    """
    event.register("numba:compiler_lock", _OneProcess(cache_root() / "lock"))  # type: ignore[no-untyped-call]


def target_processor() -> str:
    """Return the processor that Numba compiles for; the last bits of floating-point results may depend on it."""
    config: Any = numba.config
    return str(config.CPU_NAME or llvmlite.binding.get_host_cpu_name())


def _prefer_wide_vectors() -> None:
    """Let the compiler use 512-bit vectors where the processor has them; by default it avoids them.

    A target that the user chose, by NUMBA_CPU_NAME or NUMBA_CPU_FEATURES, stays as it is.
    """
    config: Any = numba.config
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return
    features = llvmlite.binding.get_host_cpu_features()
    if features.get("avx512f"):
        config.CPU_FEATURES = f"{features.flatten()},-prefer-256-bit"
        config.CPU_NAME = llvmlite.binding.get_host_cpu_name()


def has_feature(feature: str) -> bool:
    """Return whether the processor that Numba compiles for has a feature such as `avx2`.

    NUMBA_CPU_FEATURES has priority if it mentions the feature. Otherwise a processor named by NUMBA_CPU_NAME is assumed
    to have AVX2, unless it is `generic`, but not AVX-512.
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
