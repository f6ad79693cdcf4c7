"""Files that are whole or not there."""

import os
import tempfile
from pathlib import Path

from nobi.errors import NobiError


def write_whole(path: Path, content: bytes) -> None:
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


def ready_folder(folder: Path) -> Path:
    """Makes the folder, with those above it, unless it is there, and checks that it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as fault:
        raise NobiError(f"The folder {str(folder)!r} cannot be written to: {fault.strerror}.") from None
    return folder
