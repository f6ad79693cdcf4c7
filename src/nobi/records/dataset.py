"""Datasets on disk: folders of game records as NumPy arrays.

A dataset is a folder with

    manifest.json          format, settings, sources with their hashes, counts, and the length and hash of every file
    rejected.jsonl         every rejected record: its source, its index in the source, its name, and the reason
    train/moves.npy …      for each split, one array file per field of `Collection`

The games of a split are sorted by board size, and within a size in the order of the sources, so that the games of one
size are a slice. The arrays are plain NumPy files without pickled objects, to be mapped into memory.
"""

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import LARGEST, SMALLEST
from nobi.errors import NobiError
from nobi.records.collection import PASS_CODE, Collection, offsets_of, select, span
from nobi.spec import choices

FORMAT, VERSION = "nobi-dataset", 1
MANIFEST, REJECTED = "manifest.json", "rejected.jsonl"
SPLITS = ("train", "validation", "test")

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
"""The NumPy type of each field of `Collection`."""

_ROWS = {"moves": "start", "setup": "setup_start"}
"""The fields with a row of variable length per game, and the offsets of the rows."""


class Dataset:
    """A dataset on disk. Its arrays are memory-mapped: opening it is fast, and processes share the memory.

    >>> data = nobi.Dataset.open(dataset)
    >>> data.sizes("test")
    {5: 9}
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._collections: dict[str, Collection] = {}

    def __repr__(self) -> str:
        counts = ", ".join(f"{split} {sum(self.sizes(split).values()):,}" for split in SPLITS)
        return f"<Dataset {str(self.path)!r}: games {counts}>"

    @classmethod
    def open(cls, path: Path | str) -> "Dataset":
        """Open the dataset in this folder; raise a NobiError if it is missing, damaged or of another version."""
        path = Path(path)
        dataset = cls(path, _read_manifest(path))
        for name, file in dataset._files().items():
            try:
                length = (path / name).stat().st_size
            except OSError:
                raise _damaged(path, f"{name} is missing") from None
            if length != file["bytes"]:
                raise _damaged(path, f"{name} has {length} bytes instead of {file['bytes']}")
        return dataset

    def collection(self, split: str, size: int | None = None) -> Collection:
        """Return the games of a split, sorted by board size, or only those of one size."""
        if split not in SPLITS:
            raise NobiError(f"A dataset has no split {split!r}; {choices(SPLITS, split)}.")
        if split not in self._collections:
            self._collections[split] = self._map(split)
        whole = self._collections[split]
        if size is None:
            return whole
        first, end = np.searchsorted(whole.size, [size, size + 1]).tolist()
        return span(whole, first, end)

    def sizes(self, split: str) -> dict[int, int]:
        """Return the number of games of a split by board size."""
        sizes, games = np.unique(self.collection(split).size, return_counts=True)
        return dict(zip(sizes.tolist(), games.tolist(), strict=True))

    @property
    def digest(self) -> str:
        """A hash of the games, independent of the sources and of the folder."""
        games = {name: file["sha256"] for name, file in self._files().items() if name.endswith(".npy")}
        return hashlib.sha256(json.dumps([VERSION, games], sort_keys=True).encode()).hexdigest()

    def rejected(self) -> list[dict[str, Any]]:
        """Return all rejected records: source, index, record, kind and reason."""
        try:
            with (self.path / REJECTED).open(encoding="utf-8") as lines:
                return [json.loads(line) for line in lines]
        except (OSError, ValueError):
            raise _damaged(self.path, f"{REJECTED} cannot be read") from None

    def verify(self) -> None:
        """Read all files; raise a NobiError if one was changed or contains moves off the board."""
        for name, file in self._files().items():
            with (self.path / name).open("rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != file["sha256"]:
                    raise _damaged(self.path, f"{name} has been changed")
        for split in SPLITS:
            games = self.collection(split)
            for codes, start in ((games.moves, games.start), (games.setup, games.setup_start)):
                cells = codes & PASS_CODE
                board = np.repeat(games.size.astype(np.uint16) ** 2, np.diff(start))
                if not ((cells < board) | (cells == PASS_CODE)).all():
                    raise _damaged(self.path, f"{split} contains moves off the board")

    def _files(self) -> dict[str, dict[str, Any]]:
        files: dict[str, dict[str, Any]] = self.manifest["files"]
        return files

    def _map(self, split: str) -> Collection:
        games = Collection(**{name: self._array(split, name) for name in TYPES})
        count = len(games.size)
        valid = all(
            len(getattr(games, name)) == count + (name in _ROWS.values()) for name in TYPES if name not in _ROWS
        )
        valid = valid and all(
            start[0] == 0 and start[-1] == len(codes) and (np.diff(start) >= 0).all()
            for start, codes in ((games.start, games.moves), (games.setup_start, games.setup))
        )
        sizes = games.size
        valid = valid and (count == 0 or (sizes[0] >= SMALLEST and sizes[-1] <= LARGEST))
        if not valid or (np.diff(sizes.astype(np.int16)) < 0).any():
            raise _damaged(self.path, f"the arrays of {split} are inconsistent")
        return games

    def _array(self, split: str, name: str) -> NDArray[Any]:
        path = self.path / split / f"{name}.npy"
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise _damaged(self.path, f"{split}/{name}.npy cannot be read") from None
        if array.dtype.str != TYPES[name] or array.ndim != 1:
            raise _damaged(self.path, f"{split}/{name}.npy has the wrong type")
        return array.view(np.ndarray)


def check_split_alike(datasets: Sequence[Dataset]) -> None:
    """Raise a NobiError for datasets that were split by different seeds or shares."""
    splits = {(d.manifest["settings"]["seed"], tuple(d.manifest["settings"]["shares"])) for d in datasets}
    if len(splits) > 1:
        names = " and ".join(repr(str(dataset.path)) for dataset in datasets)
        raise NobiError(
            f"The datasets {names} were split by different seeds or shares: a training game of one may be a test game "
            "of another. Import them with the same --seed and --shares."
        )


def is_dataset(path: Path) -> bool:
    """Return whether the folder contains a dataset of any version."""
    try:
        return bool(json.loads((path / MANIFEST).read_text(encoding="utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _read_manifest(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise NobiError(f"There is no dataset {str(path)!r}; 'nobi data import' creates one.")
    if not (path / MANIFEST).is_file():
        raise NobiError(f"{str(path)!r} is not a dataset: it has no {MANIFEST}. 'nobi data import' creates datasets.")
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise _damaged(path, f"{MANIFEST} cannot be read") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise NobiError(f"{str(path)!r} is not a dataset: its {MANIFEST} has another format.")
    if manifest.get("version") != VERSION:
        raise NobiError(
            f"The dataset {str(path)!r} has format version {manifest.get('version')}, and this program reads version "
            f"{VERSION}: import the records again."
        )
    files = manifest.get("files")
    expected = {REJECTED, *(f"{split}/{name}.npy" for split in SPLITS for name in TYPES)}
    if not isinstance(files, dict) or files.keys() != expected:
        raise _damaged(path, f"{MANIFEST} does not list its files")
    if not all(isinstance(file, dict) and {"bytes", "sha256"} <= file.keys() for file in files.values()):
        raise _damaged(path, f"{MANIFEST} does not describe its files")
    required = {"settings": {"seed", "shares"}, "rejected": set(), "splits": set(SPLITS)}
    complete = all(
        isinstance(manifest.get(key), dict) and keys <= manifest[key].keys() for key, keys in required.items()
    )
    if not complete or not {"sources", "records", "games", "moves"} <= manifest.keys():
        raise _damaged(path, f"{MANIFEST} does not describe the import")
    return manifest


def _damaged(path: Path, reason: str) -> NobiError:
    return NobiError(f"The dataset {str(path)!r} is damaged: {reason}. Import the records again.")


class _Part:
    """The games of one split and one board size during an import.

    Rows are written to disk immediately, because they may not fit into memory; the other fields are kept in memory.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.rows = {name: (folder / name).open("wb") for name in _ROWS}
        self.columns: dict[str, list[NDArray[Any]]] = defaultdict(list)

    def add(self, games: Collection) -> None:
        """Add games; their `start` begins at 0."""
        for name, offsets in _ROWS.items():
            self.rows[name].write(getattr(games, name).astype(TYPES[name], copy=False).tobytes())
            self.columns[offsets].append(np.diff(getattr(games, offsets)))
        for name in TYPES.keys() - _ROWS.keys() - set(_ROWS.values()):
            self.columns[name].append(getattr(games, name))


class DatasetWriter:
    """Writes the arrays of a dataset into a folder, batch by batch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: dict[tuple[int, int], _Part] = {}
        self._temporary = folder / "parts"

    def add(self, games: Collection, splits: NDArray[np.int64]) -> None:
        """Add games to splits int64[game], indices into SPLITS; −1 drops the game."""
        sizes = games.size.astype(np.int64)
        for split, size in sorted({pair for pair in zip(splits.tolist(), sizes.tolist(), strict=True) if pair[0] >= 0}):
            if (split, size) not in self._parts:
                self._parts[split, size] = _Part(self._temporary / f"{split}-{size}")
            chosen = np.flatnonzero((splits == split) & (sizes == size))
            self._parts[split, size].add(select(games, chosen))

    def finish(self) -> dict[str, Any]:
        """Write the array files; return the counts of each split."""
        counts = {}
        for index, split in enumerate(SPLITS):
            (self.folder / split).mkdir()
            parts = {size: part for (s, size), part in sorted(self._parts.items()) if s == index}
            for name in TYPES:
                path = self.folder / split / f"{name}.npy"
                if name in _ROWS:
                    _join_rows(path, name, parts.values())
                else:
                    values = _column(parts.values(), name)
                    values = offsets_of(values) if name in _ROWS.values() else values
                    np.save(path, values.astype(TYPES[name], copy=False))
            lengths = _column(parts.values(), "start")
            counts[split] = {
                "games": len(lengths),
                "moves": int(lengths.sum()),
                "sizes": {str(size): sum(map(len, part.columns["size"])) for size, part in parts.items()},
            }
        self.close()
        return counts

    def close(self) -> None:
        """Close all files and remove those that are not part of the dataset."""
        for part in self._parts.values():
            for file in part.rows.values():
                file.close()
        shutil.rmtree(self._temporary, ignore_errors=True)


def _column(parts: Iterable[_Part], name: str) -> NDArray[Any]:
    arrays = [array for part in parts for array in part.columns[name]]
    return np.concatenate(arrays) if arrays else np.zeros(0, TYPES[name])


def _join_rows(path: Path, name: str, parts: Iterable[_Part]) -> None:
    """Concatenate the rows of all parts; they are mapped, since they may not fit into memory."""
    arrays = []
    for part in parts:
        file = part.rows[name]
        file.flush()
        if file.tell():  # an empty file cannot be mapped
            arrays.append(np.memmap(file.name, TYPES[name], "r"))
    if not arrays:
        np.save(path, np.zeros(0, TYPES[name]))
        return
    joined = np.lib.format.open_memmap(path, "w+", TYPES[name], (sum(map(len, arrays)),))
    np.concatenate(arrays, out=joined)
    joined.flush()


def write_manifest(folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Write the manifest with the length and hash of every file in the folder; return it as it is read back."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            files[path.relative_to(folder).as_posix()] = {"bytes": path.stat().st_size, "sha256": digest}
    manifest = {"format": FORMAT, "version": VERSION, **content, "files": files}
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return dict(json.loads(text))
