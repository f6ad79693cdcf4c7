"""Raw records out of folders and files: `.sgf`, `.sgfl` (a record a line), `.sgfl.xz`, `.zip`, `.tar` and its kin.

Nothing is ever unpacked to disk, and no record may be larger than 64 MiB, so that no archive can do harm.
"""

import hashlib
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from nobi.errors import NobiError
from nobi.records.properties import DAMAGED, TOO_LARGE, RecordError

MOST_BYTES = 1 << 26

_SINGLE, _LINES, _PACKED_LINES = ".sgf", ".sgfl", ".sgfl.xz"
_ZIP = ".zip"
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_INSIDE = (_SINGLE, _LINES, _PACKED_LINES)
SUFFIXES = (*_INSIDE, _ZIP, *_TAR)

_PACKED = 4
"""How many times as long the text of packed records is, roughly."""

_DAMAGE = (
    OSError,
    EOFError,
    lzma.LZMAError,
    zlib.error,
    zipfile.BadZipFile,
    tarfile.TarError,
    RuntimeError,  # an encrypted zip
    NotImplementedError,  # a compression that Python lacks
    ValueError,  # a broken header
)


class RawRecord(NamedTuple):
    """The bytes of a record and where they come from, or why they cannot be had."""

    name: str
    """Within its source: the path of a file, the number of a line."""
    content: bytes
    fault: RecordError | None = None
    source: int = 0
    """The number of its source."""


class Source:
    """A path that was given to an import: a file, or a folder with all files below it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            self.files = _files_below(path)
            if not self.files:
                raise NobiError(f"There are no records ({_list(SUFFIXES)}) in the folder {str(path)!r}.")
        elif not path.exists():
            raise NobiError(f"There is no file or folder {str(path)!r}.")
        elif not path.name.lower().endswith(SUFFIXES):
            raise NobiError(f"{str(path)!r} is none of the kinds of files that can be read: {_list(SUFFIXES)}.")
        else:
            self.files = [path]
        self.bytes = sum(_bytes_of(file) for file in self.files)
        """On disk."""
        self.text_bytes = sum(_bytes_of(file) * (1 if _is_plain(file) else _PACKED) for file in self.files)
        """When unpacked, roughly."""
        self.bytes_read = 0
        """On disk, of the files that are done."""
        self._digest = hashlib.sha256()

    def records(self) -> Iterator[RawRecord]:
        """All records, in the order of the paths; to be read once."""
        for file in self.files:
            path = "" if file == self.path else file.relative_to(self.path).as_posix()
            inner = printable(path)
            try:
                with file.open("rb") as stream:
                    if inner:
                        self._digest.update(f"{path}\0".encode("utf-8", "surrogateescape"))
                        self._digest.update(hashlib.file_digest(stream, "sha256").digest())
                    else:
                        self._digest = hashlib.file_digest(stream, "sha256")
                    stream.seek(0)
                    done = self.bytes_read
                    for record in _read(stream, file.name, inner):
                        self.bytes_read = done + stream.tell()
                        yield record
                    self.bytes_read = done
            except _DAMAGE as fault:
                yield RawRecord(inner, b"", _damage(fault))
            self.bytes_read += _bytes_of(file)

    @property
    def sha256(self) -> str:
        """Of the file, or of the names and hashes of a folder's files, once all records have been read."""
        return self._digest.hexdigest()


def find_sources(paths: Sequence[Path]) -> list[Source]:
    """The sources at these paths; refuses paths that lead nowhere before anything is read."""
    if not paths:
        raise NobiError("Name at least one file or folder of records.")
    return [Source(path) for path in paths]


def printable(path: object) -> str:
    """A path as text: the bytes of a name that is no UTF-8 (from another system) are shown by their numbers."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _files_below(folder: Path) -> list[Path]:
    """All files of records, sorted, so that the order is the same on every machine; hidden ones are left alone.

    A folder that cannot be read stands in the place of its files, and is reported when it is to be opened.
    """
    found: list[Path] = []
    closed: list[OSError] = []
    for top, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(top, name) for name in files if name.lower().endswith(SUFFIXES) and not name.startswith(".")]
    found += [Path(fault.filename) for fault in closed]
    return sorted(found, key=lambda path: path.as_posix())


def _is_plain(file: Path) -> bool:
    return file.name.lower().endswith((_SINGLE, _LINES, ".tar"))


def _bytes_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _read(stream: IO[bytes], filename: str, name: str) -> Iterator[RawRecord]:
    """The records of a file; `name` is put before their own."""
    kind = filename.lower()
    if kind.endswith(_ZIP):
        yield from _read_zip(stream, name)
    elif kind.endswith(_TAR):
        yield from _read_tar(stream, name)
    elif kind.endswith(_PACKED_LINES):
        with lzma.open(stream) as lines:
            yield from _read_lines(lines, name)
    elif kind.endswith(_LINES):
        yield from _read_lines(stream, name)
    else:
        content = stream.read(MOST_BYTES + 1)
        yield _too_large(name) if len(content) > MOST_BYTES else RawRecord(name, content)


def _read_lines(stream: IO[bytes], name: str) -> Iterator[RawRecord]:
    number = 0
    while line := stream.readline(MOST_BYTES + 1):
        number += 1
        place = f"{name} line {number}".lstrip()
        if len(line) > MOST_BYTES:
            yield _too_large(place)
            while line and not line.endswith(b"\n"):
                line = stream.readline(MOST_BYTES)
        elif not line.isspace():
            yield RawRecord(place, line)


def _read_zip(stream: IO[bytes], name: str) -> Iterator[RawRecord]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.filename.lower().endswith(_INSIDE):
                inner = _inside(name, member.filename)
                try:  # one damaged member leaves the others as they are
                    with archive.open(member) as content:
                        yield from _read(content, member.filename, inner)
                except _DAMAGE as fault:
                    yield RawRecord(inner, b"", _damage(fault))


def _read_tar(stream: IO[bytes], name: str) -> Iterator[RawRecord]:
    with tarfile.open(fileobj=stream, mode="r:*") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content and member.name.lower().endswith(_INSIDE):
                inner = _inside(name, member.name)
                try:  # one damaged member leaves the others as they are
                    if not member.name.lower().endswith(".xz"):
                        yield from _read(content, member.name, inner)
                    elif member.size > MOST_BYTES:
                        yield _too_large(inner)
                    else:  # a packed member seeks; the archive itself may not
                        yield from _read(io.BytesIO(content.read()), member.name, inner)
                except _DAMAGE as fault:
                    yield RawRecord(inner, b"", _damage(fault))


def _inside(archive: str, member: str) -> str:
    return printable(f"{archive}/{member}" if archive else member)


def _damage(fault: BaseException) -> RecordError:
    what = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return RecordError(DAMAGED, f"The file is damaged or cannot be read: {what or type(fault).__name__}.")


def _too_large(name: str) -> RawRecord:
    return RawRecord(name, b"", RecordError(TOO_LARGE, f"It is larger than {MOST_BYTES >> 20} MiB."))


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
