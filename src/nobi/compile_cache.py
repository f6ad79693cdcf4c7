"""The disk cache of compiled code: never stale, and rarely recompiled.

Numba's disk cache does not notice a change in a called function of another file. The cache folder of a function is
therefore named by a hash of all sources with compiled code that its module imports, directly or not, and that the
modules of its bindings import (`nobi.compiling.specialise`). Sources with compiled code are those that contain the text
`compiling import`. Folders that were not used for a month are deleted.

The index of a function lists the types of arguments that it was compiled for, which may be those of a plug-in. In
processes that have not loaded the plug-in, a placeholder stands for such a type (`share_index`).
"""

import atexit
import hashlib
import importlib
import os
import pickle
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
import platformdirs
from numba.core.caching import IndexDataCacheFile

_config: Any = numba.config
_PACKAGE = Path(__file__).parent

_COMPILERS = {__name__, "nobi.compiling"}
"""The modules that every compiled function depends on."""

_MODULES = "nobi_modules"
"""The attribute of a bound template that holds the names of the modules it depends on."""

_DAY = 24 * 3600.0
_UNUSED_DAYS = 30
"""The age in days at which an unused cache folder is deleted."""

_IMPORT = re.compile(r"^from (nobi[\w.]*) import (?:\(([^)]*)\)|([^\n]*))", re.MULTILINE)


@cache
def _source_of(module: str) -> str | None:
    """Return the source of a module of nobi; None if there is no such module."""
    package, *parts = module.split(".")
    if package != _PACKAGE.name:
        return None
    path = _PACKAGE.joinpath(*parts)
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return None


@cache
def _imports_of(module: str) -> frozenset[str]:
    """Return the modules of nobi that a module imports at its top."""
    found = set()
    for match in _IMPORT.finditer(_source_of(module) or ""):
        names = re.findall(r"\w+", match[2] or match[3])
        found |= {match[1], *(f"{match[1]}.{name}" for name in names)}
    return frozenset(name for name in found if _source_of(name) is not None)


@cache
def modules_below(module: str) -> frozenset[str]:
    """Return a module of nobi and all modules that it imports, directly or not."""
    found, new = {module}, [module]
    while new:
        more = _imports_of(new.pop()) - found
        found |= more
        new += more
    return frozenset(found)


@cache
def _all_modules() -> frozenset[str]:
    paths = (path.relative_to(_PACKAGE).with_suffix("").parts for path in _PACKAGE.rglob("*.py"))
    return frozenset(".".join(("nobi", *parts)).removesuffix(".__init__") for parts in paths)


def _modules_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the modules of nobi that a function may depend on; all modules for a function of another package."""
    known: frozenset[str] | None = getattr(function, _MODULES, None)
    if known is not None:
        return known
    module = function.__module__
    return modules_below(module) if _source_of(module) is not None else _all_modules()


def depends_on(function: Callable[..., Any], others: Iterable[Callable[..., Any]]) -> None:
    """Record that a bound template depends on everything that other functions depend on."""
    setattr(function, _MODULES, frozenset().union(*map(_modules_of, others)))


@cache
def _hash_of(modules: frozenset[str]) -> str:
    """Return a hash of the sources with compiled code among these modules."""
    digest = hashlib.sha256()
    for module in sorted(modules | _COMPILERS):
        source = _source_of(module) or ""
        if "compiling import" in source or module in _COMPILERS:
            digest.update(f"{module}\0{source}\0".encode())
    return digest.hexdigest()[:16]


def source_hash() -> str:
    """Return a hash of all sources with compiled code."""
    return _hash_of(_all_modules())


_folder_lock = threading.Lock()
_used_folders: set[Path] = set()


@contextmanager
def cache_folder_of(function: Callable[..., Any]) -> Iterator[None]:
    """Let Numba store the functions that are decorated in this context in the cache folder of a function."""
    with _folder_lock:
        root = _config.CACHE_DIR
        folder = Path(root) / _hash_of(_modules_of(function))
        _used_folders.add(folder)
        _config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            _config.CACHE_DIR = root


class _Missing(NamedTuple):
    """Stands for a class or function of a plug-in that this process has not loaded."""

    module: str
    name: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, tuple(self)


def _find(module: str, name: str) -> Any:
    """Return an attribute of a module, or its placeholder."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return _Missing(module, name)


class _IndexReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            return _Missing(module, name)


class _SharedIndex(IndexDataCacheFile):
    """The index of a function; Numba's own cannot be read without the modules of all types in it."""

    def _load_index(self) -> dict[Any, str]:
        try:
            with Path(self._index_path).open("rb") as file:
                if pickle.load(file) != self._version:  # noqa: S301 (written by this user, as by Numba itself)
                    return {}
                stamp, names = _IndexReader(file).load()
        except FileNotFoundError:
            return {}
        except (TypeError, AttributeError):  # a placeholder is not enough: compile again
            return {}
        found: dict[Any, str] = names if stamp == self._source_stamp else {}
        return found


def share_index(dispatcher: Any) -> None:
    """Let processes with and without plug-ins use the same cache of a function."""
    dispatcher._cache._cache_file.__class__ = _SharedIndex


def cache_root() -> Path:
    """Return the folder of all compiled code."""
    return Path(_config.CACHE_DIR)


def cache_folders() -> list[Path]:
    """Return the cache folders of the functions that this process has defined, where they exist."""
    return sorted(folder for folder in _used_folders if folder.is_dir())


def _tidy_cache() -> None:
    """Mark the folders that this process has used, and delete those that were not used for a month."""
    today = time.time()
    with suppress(OSError):  # another process may delete the same folder
        for folder in cache_folders():
            if today - folder.stat().st_mtime > _DAY:
                os.utime(folder)
        for folder in cache_root().iterdir():
            if folder.is_dir() and today - folder.stat().st_mtime > _UNUSED_DAYS * _DAY:
                shutil.rmtree(folder, ignore_errors=True)


def _choose_cache_folder() -> Path:
    parent = Path(os.environ.get("NOBI_CACHE_DIR") or platformdirs.user_cache_path("nobi"))
    folder = parent / "compiled"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:  # the home folder cannot be written to: compile in every session
        folder = Path(tempfile.mkdtemp(prefix="nobi-compiled-"))
    return folder


_config.CACHE_DIR = str(_choose_cache_folder())
atexit.register(_tidy_cache)
