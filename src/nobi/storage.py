"""Files that are whole or not there.

MERGED tensors.py: Files of tensors, `.safetensors`, that are the same bytes for the same content.

MERGED runfolder.py: The folder of a run or match: its settings in `config.json`, and the rule that it is resumed only as what it was.

MERGED datasets/folder.py: Folders that are whole or not there.
"""

import ctypes
import dataclasses
import fcntl
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

import nobi
from nobi.errors import NobiError


def atomic_write(path: Path, content: bytes) -> None:
    """Writes a file through a temporary one, so that no reader and no crash ever meets half of it."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # or after a power cut the new name may stand for nothing
        os.chmod(temporary, 0o644)  # noqa: PTH101
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def make_writable_folder(folder: Path) -> Path:
    """Makes the folder, with those above it, unless it is there, and checks that it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise NobiError(f"The folder {str(folder)!r} cannot be written to: {fault.strerror}.") from None
    return folder


_ALIGNMENT = 8


def save_tensors(path: Path, tensors: dict[str, NDArray[Any]], texts: dict[str, str]) -> None:
    """Writes tensors, and texts into the header of the file.

    The library puts the texts in an order that changes from one process to the next; here they are sorted.
    """
    content = save(tensors, texts)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(texts.items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    atomic_write(path, len(text).to_bytes(8, "little") + text + content[start:])


def read_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The tensors of a file, and the texts of its header."""
    try:
        with safe_open(path, "numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise NobiError(f"{str(path)!r} cannot be read: {error}.") from None


CONFIG = "config.json"


def config_of(settings: Any) -> dict[str, Any]:
    """The settings of a run, a dataclass, as they are kept and compared."""
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
) -> bool:
    """Makes the folder ready; returns whether it holds a run to go on with.

    Args:
        folder: of the run.
        config: its settings.
        resume: whether to go on with a run that is there; if not, it is refused.
        may_change: the settings that may be others than before.
        what: what a run is called in complaints.
        names: what settings are called there that are no flags.
    """
    path = make_writable_folder(folder) / CONFIG
    if not path.exists():
        return False
    if not resume:
        raise NobiError(f"The folder {str(folder)!r} holds a {what} already; add --resume or choose another.")
    try:
        before = json.loads(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault}.") from None
    if not isinstance(before, dict):
        raise NobiError(f"{str(path)!r} does not hold the settings of a {what}.")
    for key, value in config.items():
        if before.get(key) != value and key not in (*may_change, "nobi"):
            name = (names or {}).get(key) or f"--{key.replace('_', '-')}"
            raise NobiError(
                f"The {what} in {str(folder)!r} has another {name} ({before.get(key)!r}, not {value!r}); "
                "resume it with the same."
            )
    return True


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Writes the settings; from now on the folder holds a run."""
    atomic_write(folder / CONFIG, (json.dumps(config, indent=2, ensure_ascii=False) + "\n").encode())


_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@contextmanager
def atomic_folder(path: Path, *, replace: bool) -> Iterator[Path]:
    """Gives a new folder beside `path` to be filled, which at the end takes the name, and the place, of `path`.

    Unless it is to `replace`, a folder that has come there in the meantime stays. An exception leaves everything as it
    was. A process that is killed leaves the unfinished folder under a hidden name; the next one that makes the same
    folder takes it away.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100
    above = [folder for folder in path.parents if not folder.exists()]  # the innermost first
    parent = make_writable_folder(path.parent)
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
