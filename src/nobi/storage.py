"""Atomic writes of files and folders: readers see the old or the new content, never a part of it.

* `atomic_write`, `atomic_folder`: the content gets its name when it is complete;
* `save_tensors`: `.safetensors` files, the same bytes for the same content;
* `config_of`, `holds_run`, `write_config`: the folder of a run or match, with its settings in `config.json`. A run is
  resumed only with the settings it was started with.
"""

import dataclasses
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

import nobi
from nobi.errors import NobiError

CONFIG = "config.json"
_ALIGNMENT = 8


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file through a temporary one in the same folder; raise a NobiError if it cannot be written."""
    try:
        _write_through_temporary(path, content)
    except OSError as error:
        raise NobiError(f"The file {str(path)!r} cannot be written: {error.strerror}.") from None


def _write_through_temporary(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # otherwise the new name could refer to an empty file after a power failure
        os.chmod(temporary, 0o644)  # noqa: PTH101
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_content(path: Path) -> bytes:
    """Return the content of a file; raise a NobiError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise NobiError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def make_writable_folder(folder: Path) -> Path:
    """Create the folder and its parents if necessary, and check that it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise NobiError(f"The folder {str(folder)!r} cannot be written to: {error.strerror}.") from None
    return folder


def save_tensors(path: Path, tensors: dict[str, NDArray[Any]], texts: dict[str, str]) -> None:
    """Write tensors, and texts into the header of the file.

    The library's order of the texts differs between processes, so they are sorted here.
    """
    content = save(tensors, texts)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(texts.items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    atomic_write(path, len(text).to_bytes(8, "little") + text + content[start:])


def read_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the tensors of a file, and the texts of its header."""
    try:
        with safe_open(path, "numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise NobiError(f"{str(path)!r} cannot be read: {error}.") from None


def config_of(settings: Any) -> dict[str, Any]:
    """Return the settings of a run, a dataclass, as they are stored and compared."""
    config: dict[str, Any] = json.loads(json.dumps({"nobi": nobi.__version__, **dataclasses.asdict(settings)}))
    return config


def holds_run(
    folder: Path,
    config: Mapping[str, Any],
    *,
    resume: bool,
    may_change: tuple[str, ...] = (),
    what: str = "run",
    names: Mapping[str, str] | None = None,
    upgrade: Callable[[dict[str, Any]], dict[str, Any]] = dict,
) -> bool:
    """Create the folder if necessary; return whether it holds a run to resume.

    Args:
        folder: of the run.
        config: its settings.
        resume: whether to resume an existing run; otherwise an existing run is an error.
        may_change: the settings that may differ from those of the existing run.
        what: the noun for a run in error messages.
        names: the names of settings in error messages, where they differ from the flags.
        upgrade: converts the settings of an existing run that an earlier version may have stored differently.
    """
    path = make_writable_folder(folder) / CONFIG
    if not path.exists():
        return False
    if not resume:
        raise NobiError(
            f"The folder {str(folder)!r} already contains a {what}; add --resume (resume=True) or choose another."
        )
    try:
        before = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise NobiError(f"{str(path)!r} cannot be read: {error}.") from None
    if not isinstance(before, dict):
        raise NobiError(f"{str(path)!r} does not hold the settings of a {what}.")
    before = upgrade(before)
    for key, value in config.items():
        if before.get(key) != value and key not in (*may_change, "nobi"):
            name = (names or {}).get(key) or f"--{key.replace('_', '-')}"
            raise NobiError(
                f"The {what} in {str(folder)!r} has another {name} ({before.get(key)!r}, not {value!r}); "
                "resume it with the same."
            )
    return True


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write the settings; from now on the folder holds a run."""
    atomic_write(folder / CONFIG, (json.dumps(config, indent=2, ensure_ascii=False) + "\n").encode())


@contextmanager
def atomic_folder(path: Path, *, replace: bool) -> Iterator[Path]:
    """Yield a new folder next to `path` for the caller to fill; at the end it is renamed to `path`.

    Without `replace`, a folder that was created at `path` in the meantime is kept, and an error is raised. With
    `replace`, the old folder is first renamed to a hidden name, and removed afterwards. Between the two renames `path`
    does not exist for some microseconds: a reader that opens it then gets an error, never a mixture of both folders. An
    exception leaves everything unchanged. If the process is killed, the next call with the same `path` removes the
    unfinished folder, or restores the name of the old one.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100
    created = [folder for folder in path.parents if not folder.exists()]  # the innermost first
    parent = make_writable_folder(path.parent)
    old = parent / f".{path.name}.replaced"
    _remove_abandoned(path, old)
    new, lock = None, None
    try:
        new = Path(tempfile.mkdtemp(prefix=_prefix(path.name), dir=parent))
        lock = _lock(new)
        yield new
        new.chmod(0o755)
        if replace and path.exists():
            path.rename(old)
        new.rename(path)  # fails unless there is nothing or an empty folder
    except OSError as error:
        raise NobiError(f"The folder {str(path)!r} cannot be written: {error.strerror}.") from None
    finally:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)
        _restore_or_remove(path, old)
        _remove_empty(created)
        if lock is not None:
            os.close(lock)


def _prefix(name: str) -> str:
    return f".{name}.unfinished-"


def _lock(folder: Path) -> int | None:
    """Lock a folder until this process ends; None if another process holds the lock."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove_abandoned(path: Path, old: Path) -> None:
    """Clean up after a process that was killed."""
    for folder in path.parent.glob(f"{_prefix(path.name)}*"):
        lock = _lock(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
    _restore_or_remove(path, old)


def _restore_or_remove(path: Path, old: Path) -> None:
    """Restore the name of the replaced folder if there is no new one, else remove it."""
    if os.path.exists(old) and not path.exists():  # noqa: PTH110 (pathlib raises an error for names that are too long)
        old.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _remove_empty(folders: list[Path]) -> None:
    """Remove empty folders, the innermost first."""
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return
