"""Raw records from folders and files: `.sgf`, `.sgfl` (one record per line), `.sgfl.xz`, `.zip`, `.tar`, `.tar.gz` etc.

Nothing is unpacked to disk, and records are limited to 64 MiB, as a protection against malicious archives.
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
"""The approximate compression ratio of compressed records."""

_DAMAGE = (
    OSError,
    EOFError,
    lzma.LZMAError,
    zlib.error,
    zipfile.BadZipFile,
    tarfile.TarError,
    RuntimeError,  # an encrypted zip
    NotImplementedError,  # an unsupported compression
    ValueError,  # a broken header
)


class RawRecord(NamedTuple):
    """The bytes of a record and their origin, or the error that prevented reading them."""

    name: str  # within its source: the path of a file, the number of a line
    content: bytes
    error: RecordError | None = None
    source: int = 0  # the index of its source


class Source:
    """A path given to an import: a file, or a folder with all files below it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            self.files = _files_below(path)
            if not self.files:
                raise NobiError(f"There are no records ({', '.join(SUFFIXES)}) in the folder {str(path)!r}.")
        elif not path.exists():
            raise NobiError(f"There is no file or folder {str(path)!r}.")
        elif not path.name.lower().endswith(SUFFIXES):
            raise NobiError(f"{str(path)!r} is not a supported kind of file: {', '.join(SUFFIXES)}.")
        else:
            self.files = [path]
        self.bytes = sum(_bytes_of(file) for file in self.files)
        """Bytes on disk."""
        self.text_bytes = sum(_bytes_of(file) * (1 if _is_plain(file) else _PACKED) for file in self.files)
        """Approximate number of uncompressed bytes."""
        self.bytes_read = 0
        """Bytes on disk of the files read so far."""
        self._digest = hashlib.sha256()

    def records(self) -> Iterator[RawRecord]:
        """Yield all records in the order of the paths; can be called only once."""
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
            except _DAMAGE as error:
                yield RawRecord(inner, b"", _damage(error))
            self.bytes_read += _bytes_of(file)

    @property
    def sha256(self) -> str:
        """Return the hash of the file, or of a folder's file names and hashes, after all records have been read."""
        return self._digest.hexdigest()


def find_sources(paths: Sequence[Path]) -> list[Source]:
    """Return the sources at these paths; raise a NobiError for missing paths before anything is read."""
    if not paths:
        raise NobiError("Give at least one file or folder of records.")
    return [Source(path) for path in paths]


def printable(path: object) -> str:
    """Return a path as text; bytes of a name that is not valid UTF-8 are escaped."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _files_below(folder: Path) -> list[Path]:
    """Return all files of records, sorted so that the order is the same on every machine; hidden ones are skipped.

    A folder that cannot be read is listed as a file, and reported when it is opened.
    """
    found: list[Path] = []
    errors: list[OSError] = []
    for top, folders, files in os.walk(folder, onerror=errors.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(top, name) for name in files if name.lower().endswith(SUFFIXES) and not name.startswith(".")]
    found += [Path(error.filename) for error in errors]
    return sorted(found, key=lambda path: path.as_posix())


def _is_plain(file: Path) -> bool:
    return file.name.lower().endswith((_SINGLE, _LINES, ".tar"))


def _bytes_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _read(stream: IO[bytes], filename: str, name: str) -> Iterator[RawRecord]:
    """Yield the records of a file; `name` is the prefix of their names."""
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
        inner = f"{name} line {number}".lstrip()
        if len(line) > MOST_BYTES:
            yield _too_large(inner)
            while line and not line.endswith(b"\n"):
                line = stream.readline(MOST_BYTES)
        elif not line.isspace():
            yield RawRecord(inner, line)


def _read_zip(stream: IO[bytes], name: str) -> Iterator[RawRecord]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if member.filename.lower().endswith(_INSIDE):
                inner = _inside(name, member.filename)
                try:  # a damaged member does not affect the others
                    with archive.open(member) as content:
                        yield from _read(content, member.filename, inner)
                except _DAMAGE as error:
                    yield RawRecord(inner, b"", _damage(error))


def _read_tar(stream: IO[bytes], name: str) -> Iterator[RawRecord]:
    with tarfile.open(fileobj=stream, mode="r:*") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content and member.name.lower().endswith(_INSIDE):
                inner = _inside(name, member.name)
                try:  # a damaged member does not affect the others
                    if not member.name.lower().endswith(".xz"):
                        yield from _read(content, member.name, inner)
                    elif member.size > MOST_BYTES:
                        yield _too_large(inner)
                    else:  # decompression seeks, which the archive itself may not support
                        yield from _read(io.BytesIO(content.read()), member.name, inner)
                except _DAMAGE as error:
                    yield RawRecord(inner, b"", _damage(error))


def _inside(archive: str, member: str) -> str:
    return printable(f"{archive}/{member}" if archive else member)


def _damage(error: BaseException) -> RecordError:
    what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return RecordError(DAMAGED, f"The file is damaged or cannot be read: {what or type(error).__name__}.")


def _too_large(name: str) -> RawRecord:
    return RawRecord(name, b"", RecordError(TOO_LARGE, f"It is larger than {MOST_BYTES >> 20} MiB."))
