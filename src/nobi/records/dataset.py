"""A dataset that is read: collections of games, mapped into memory.

MERGED datasets/store.py: What a dataset is on disk, and the writing of it.

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
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import LARGEST, SMALLEST
from nobi.errors import NobiError
from nobi.records.collection import PASS_CODE, Collection, offsets_of, select, span
from nobi.spec import choices


class Dataset:
    """A dataset on disk. Its arrays are mapped into memory: opening one takes no time, and processes share it.

    >>> Dataset.open("games").collection("train", size=9).moves  # doctest: +SKIP
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._collections: dict[str, Collection] = {}

    @classmethod
    def open(cls, path: Path | str) -> "Dataset":
        """Opens the dataset in this folder; complains of one that is missing, damaged, or of another version."""
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
        """The games of a split, sorted by board size, or only those of one size."""
        if split not in SPLITS:
            raise NobiError(f"A dataset has no part {split!r}; {choices(SPLITS, split)}.")
        if split not in self._collections:
            self._collections[split] = self._map(split)
        whole = self._collections[split]
        if size is None:
            return whole
        first, end = np.searchsorted(whole.size, [size, size + 1]).tolist()
        return span(whole, first, end)

    def sizes(self, split: str) -> dict[int, int]:
        """The board sizes of a split, each with its number of games."""
        sizes, games = np.unique(self.collection(split).size, return_counts=True)
        return dict(zip(sizes.tolist(), games.tolist(), strict=True))

    @property
    def digest(self) -> str:
        """Names the games: the same for the same games, wherever the records came from and the dataset lies."""
        games = {name: file["sha256"] for name, file in self._files().items() if name.endswith(".npy")}
        return hashlib.sha256(json.dumps([VERSION, games], sort_keys=True).encode()).hexdigest()

    def rejected(self) -> list[dict[str, Any]]:
        """Every record that was not taken: source, index, record, kind and reason."""
        try:
            with (self.path / REJECTED).open(encoding="utf-8") as lines:
                return [json.loads(line) for line in lines]
        except (OSError, ValueError):
            raise _damaged(self.path, f"{REJECTED} cannot be read") from None

    def verify(self) -> None:
        """Reads everything: complains if a file is not what was written, or holds what no import writes."""
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
                    raise _damaged(self.path, f"{split} holds moves off the board")

    def _files(self) -> dict[str, dict[str, Any]]:
        files: dict[str, dict[str, Any]] = self.manifest["files"]
        return files

    def _map(self, split: str) -> Collection:
        games = Collection(**{name: self._array(split, name) for name in TYPES})
        count = len(games.size)
        fine = all(
            len(getattr(games, name)) == count + (name in ("start", "setup_start"))
            for name in TYPES
            if name not in ("moves", "setup")
        )
        fine = fine and all(
            start[0] == 0 and start[-1] == len(codes) and (np.diff(start) >= 0).all()
            for start, codes in ((games.start, games.moves), (games.setup_start, games.setup))
        )
        sizes = games.size
        fine = fine and (count == 0 or (sizes[0] >= SMALLEST and sizes[-1] <= LARGEST))
        if not fine or (np.diff(sizes.astype(np.int16)) < 0).any():
            raise _damaged(self.path, f"the arrays of {split} do not fit together")
        return games

    def _array(self, split: str, name: str) -> NDArray[Any]:
        path = self.path / split / f"{name}.npy"
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise _damaged(self.path, f"{split}/{name}.npy cannot be read") from None
        if array.dtype.str != TYPES[name] or array.ndim != 1:
            raise _damaged(self.path, f"{split}/{name}.npy holds something else")
        return array.view(np.ndarray)


def check_split_alike(datasets: Sequence[Dataset]) -> None:
    """Refuses datasets that were split by different seeds or shares: one may train on what another tests."""
    ways = {(d.manifest["settings"]["seed"], tuple(d.manifest["settings"]["shares"])) for d in datasets}
    if len(ways) > 1:
        names = " and ".join(repr(str(dataset.path)) for dataset in datasets)
        raise NobiError(
            f"The datasets {names} were split by different seeds or shares: a game to train on in one may be a game to "
            "test on in another. Import them with the same --seed and --shares."
        )


def is_dataset(path: Path) -> bool:
    """Whether the folder holds a dataset of whatever version."""
    try:
        return bool(json.loads((path / MANIFEST).read_text(encoding="utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _read_manifest(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise NobiError(f"There is no dataset {str(path)!r}; 'nobi data import' makes one.")
    if not (path / MANIFEST).is_file():
        raise NobiError(f"{str(path)!r} is no dataset: it holds no {MANIFEST}. 'nobi data import' makes datasets.")
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise _damaged(path, f"{MANIFEST} cannot be read") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise NobiError(f"{str(path)!r} is no dataset: its {MANIFEST} is something else.")
    if manifest.get("version") != VERSION:
        raise NobiError(
            f"The dataset {str(path)!r} has version {manifest.get('version')} of the format, and this program reads "
            f"version {VERSION}: import the records again."
        )
    files = manifest.get("files")
    expected = {REJECTED, *(f"{split}/{name}.npy" for split in SPLITS for name in TYPES)}
    if not isinstance(files, dict) or files.keys() != expected:
        raise _damaged(path, f"{MANIFEST} does not name its files")
    if not all(isinstance(file, dict) and {"bytes", "sha256"} <= file.keys() for file in files.values()):
        raise _damaged(path, f"{MANIFEST} does not describe its files")
    told = {"settings": {"seed", "shares"}, "rejected": set(), "splits": set(SPLITS)}
    whole = all(isinstance(manifest.get(key), dict) and keys <= manifest[key].keys() for key, keys in told.items())
    if not whole or not {"sources", "records", "games", "moves"} <= manifest.keys():
        raise _damaged(path, f"{MANIFEST} does not say what was imported, and how")
    return manifest


def _damaged(path: Path, how: str) -> NobiError:
    return NobiError(f"The dataset {str(path)!r} is damaged: {how}. Import the records again.")


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


class SplitWriter:
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
        self._workspaces: dict[tuple[int, int], SplitWriter] = {}
        self._loose = folder / "loose"

    def add(self, games: Collection, parts: NDArray[np.int64]) -> None:
        """Adds games, each to its part: parts int64[game] are indices in SPLITS, −1 for none."""
        sizes = games.size.astype(np.int64)
        for part, size in sorted({pair for pair in zip(parts.tolist(), sizes.tolist(), strict=True) if pair[0] >= 0}):
            if (part, size) not in self._workspaces:
                self._workspaces[part, size] = SplitWriter(self._loose / f"{part}-{size}")
            chosen = np.flatnonzero((parts == part) & (sizes == size))
            self._workspaces[part, size].add(select(games, chosen))

    def close(self) -> dict[str, Any]:
        """Writes the array files; returns the counts of each split."""
        counts = {}
        for part, split in enumerate(SPLITS):
            (self.folder / split).mkdir()
            shelves = {size: shelf for (p, size), shelf in sorted(self._workspaces.items()) if p == part}
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
        for shelf in self._workspaces.values():
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


def _column(shelves: Iterable[SplitWriter], name: str) -> NDArray[Any]:
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


SPLITS = ("train", "validation", "test")
