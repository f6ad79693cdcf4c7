"""What a dataset is on disk, and the writing of it.

A dataset is a folder:

    manifest.json          format, settings, sources with their hashes, counts, and every file with its length and hash
    rejected.jsonl         every record that was not taken: its source, its index there, its name, and why
    train/moves.npy …      one array file a field of `Collection` for each split

The games of a split stand in the order of their board sizes, and among equals in that of the sources, so that the games
of one size are a slice. The arrays are plain NumPy files without pickled objects, to be mapped into memory.
"""

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from nobi.datasets.identity import SPLITS
from nobi.records.collecting import offsets_of, select
from nobi.records.collection import Collection

FORMAT, VERSION = "nobi-dataset", 1
MANIFEST, REJECTED = "manifest.json", "rejected.jsonl"

TYPES = {
    "size": "|u1",
    "start": "<i8",
    "moves": "<u2",
    "setup_start": "<i8",
    "setup": "<u2",
    "black_rank": "|i1",
    "white_rank": "|i1",
    "komi": "<f4",
    "handicap": "|u1",
    "result": "|i1",
    "year": "<i2",
}
"""The type of each field of `Collection`, as NumPy writes it."""

_BLOCK = 1 << 20
"""Numbers that are copied at a time."""

_ROWS = {"moves": "start", "setup": "setup_start"}
"""The fields with a row a game, and the offsets of these rows. They go to disk at once; the others wait in memory."""


class Shelf:
    """The games of one split on boards of one size, while they come in."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.streams = {name: (folder / name).open("w+b") for name in _ROWS}
        self.columns: dict[str, list[NDArray[Any]]] = defaultdict(list)

    def add(self, games: Collection) -> None:
        """Adds games; their `start` begins at 0."""
        for name, offsets in _ROWS.items():
            self.streams[name].write(getattr(games, name).astype(TYPES[name], copy=False).tobytes())
            self.columns[offsets].append(np.diff(getattr(games, offsets)))
        for name in TYPES.keys() - _ROWS.keys() - set(_ROWS.values()):
            self.columns[name].append(getattr(games, name))


class Store:
    """Writes the arrays of a dataset into a folder, games as they come."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rooms: dict[tuple[int, int], Shelf] = {}
        self._loose = folder / "loose"

    def add(self, games: Collection, parts: NDArray[np.int64]) -> None:
        """Adds games, each to its part: parts int64[game] are indices in SPLITS, −1 for none."""
        sizes = games.size.astype(np.int64)
        for part, size in sorted({pair for pair in zip(parts.tolist(), sizes.tolist(), strict=True) if pair[0] >= 0}):
            if (part, size) not in self._rooms:
                self._rooms[part, size] = Shelf(self._loose / f"{part}-{size}")
            chosen = np.flatnonzero((parts == part) & (sizes == size))
            self._rooms[part, size].add(select(games, chosen))

    def close(self) -> dict[str, Any]:
        """Writes the array files; returns the counts of each split."""
        counts = {}
        for part, split in enumerate(SPLITS):
            (self.folder / split).mkdir()
            shelves = {size: shelf for (p, size), shelf in sorted(self._rooms.items()) if p == part}
            lengths = {name: _column(shelves.values(), name) for name in _ROWS.values()}
            for name in TYPES:
                path = self.folder / split / f"{name}.npy"
                if name in _ROWS:
                    total = int(lengths[_ROWS[name]].sum())
                    _write_rows(path, name, total, [shelf.streams[name] for shelf in shelves.values()])
                elif name in lengths:
                    _write_array(path, name, offsets_of(lengths[name]))
                else:
                    _write_array(path, name, _column(shelves.values(), name))
            counts[split] = {
                "games": len(lengths["start"]),
                "moves": int(lengths["start"].sum()),
                "sizes": {str(size): sum(map(len, shelf.columns["size"])) for size, shelf in shelves.items()},
            }
        self.release()
        return counts

    def release(self) -> None:
        """Closes all files and removes what is not part of the dataset."""
        for shelf in self._rooms.values():
            for stream in shelf.streams.values():
                stream.close()
        shutil.rmtree(self._loose, ignore_errors=True)


def write_manifest(folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Writes the manifest, with the length and the hash of every file in the folder; returns it."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            files[path.relative_to(folder).as_posix()] = {"bytes": path.stat().st_size, "sha256": digest}
    manifest = {"format": FORMAT, "version": VERSION, **content, "files": files}
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return dict(json.loads(text))  # as it will be read: lists for tuples


def _column(shelves: Iterable[Shelf], name: str) -> NDArray[Any]:
    parts = [part for shelf in shelves for part in shelf.columns[name]]
    return np.concatenate(parts) if parts else np.zeros(0, TYPES[name])


def _write_array(path: Path, name: str, values: NDArray[Any]) -> None:
    np.save(path, values.astype(TYPES[name], copy=False))


def _write_rows(path: Path, name: str, length: int, parts: list[IO[bytes]]) -> None:
    """Joins what was written in parts, which may be more than fits into memory."""
    if not length:  # nothing to map
        _write_array(path, name, np.zeros(0))
        return
    joined = np.lib.format.open_memmap(path, "w+", TYPES[name], (length,))
    end = 0
    for part in parts:
        part.seek(0)
        for block in iter(partial(part.read, _BLOCK * joined.itemsize), b""):
            values = np.frombuffer(block, TYPES[name])
            joined[end : end + len(values)] = values
            end += len(values)
    joined.flush()
