"""Folders that are whole or not there."""

import ctypes
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nobi.errors import NobiError
from nobi.files import ready_folder

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@contextmanager
def whole_folder(path: Path, *, replace: bool) -> Iterator[Path]:
    """Gives a new folder beside `path` to be filled, which at the end takes the name, and the place, of `path`.

    Unless it is to `replace`, a folder that has come there in the meantime stays. An exception leaves everything as it
    was. A process that is killed leaves the unfinished folder under a hidden name; the next one that makes the same
    folder takes it away.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100
    above = [folder for folder in path.parents if not folder.exists()]  # the innermost first
    parent = ready_folder(path.parent)
    _remove_abandoned(parent, path.name)
    new, lock = None, None
    try:
        new = Path(tempfile.mkdtemp(prefix=_prefix(path.name), dir=parent))
        lock = _lock(new)
        yield new
        new.chmod(0o755)
        if replace and path.exists():
            _exchange(new, path)
        else:
            new.rename(path)  # onto nothing, or an empty folder
    except OSError as fault:
        raise NobiError(f"The folder {str(path)!r} cannot be written: {fault.strerror}.") from None
    finally:
        if new is not None:
            shutil.rmtree(new, ignore_errors=True)
        _remove_empty(above)
        if lock is not None:
            os.close(lock)


def _prefix(name: str) -> str:
    return f".{name}.unfinished-"


def _lock(folder: Path) -> int | None:
    """Marks a folder as being worked on, until this process ends; None if another has marked it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove_abandoned(parent: Path, name: str) -> None:
    for folder in parent.glob(f"{_prefix(name)}*"):
        lock = _lock(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _remove_empty(folders: list[Path]) -> None:
    """Takes folders away that hold nothing, the innermost first."""
    for folder in folders:
        try:
            folder.rmdir()
        except OSError:
            return


def _exchange(new: Path, old: Path) -> None:
    """Gives two folders each other's name, in one step where the system can do that."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if hasattr(libc, "renameat2") and not libc.renameat2(
            _AT_FDCWD, os.fsencode(new), _AT_FDCWD, os.fsencode(old), _RENAME_EXCHANGE
        ):
            return
    aside = Path(tempfile.mkdtemp(prefix=_prefix(old.name), dir=old.parent))
    old.rename(aside)
    new.rename(old)
    aside.rename(new)
