"""Which records an import takes.

MERGED datasets/identity.py: Which games are the same, and to which part of a dataset a game belongs.

Two games are the same if their set-up stones and moves are, up to one of the board's eight symmetries; passes at the
end do not count, nor who played and how it ended. A game is known by 128 bits of a hash of the least of its images.

The share of a game (train, validation or test) is decided by a hash of (seed, game), not by a shuffle. So a game stays
where it is when records are added, left out, or come in another order; and with one seed and the same shares, a game
that is in two datasets, or is mirrored in one of them, falls into the same part of both: networks can learn from both
without a leak from test to train. The price is that the shares are met up to chance only, as by throwing a coin for
each game.

MERGED datasets/batches.py: What is done with some hundred records at a time, in whatever process: parse, filter, replay, identify.

MERGED datasets/importing.py: The import of records into a dataset, from beginning to end.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.symmetry import SYMMETRIES, cells_after
from nobi.errors import NobiError
from nobi.records import replay as checking
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection, collection_of, select
from nobi.records.dataset import REJECTED, Store, is_dataset, write_manifest
from nobi.records.properties import (
    DUPLICATE,
    NO_MOVES,
    SETUP,
    SYMMETRIC_DUPLICATE,
    UNKNOWN,
    RecordError,
    end_of,
    rank_name,
    rank_of,
)
from nobi.records.replay import check
from nobi.records.settings import ImportSettings
from nobi.records.sgf_reader import SgfRecord, parse_sgf
from nobi.records.sources import RawRecord, Source, find_sources, printable
from nobi.storage import atomic_folder
from nobi.workers import ordered_map


def unusable(record: SgfRecord) -> RecordError | None:
    """Why nothing can be learnt from this record, or None: its main line must be whole, and a stone played."""
    if record.error:
        return record.error
    if record.changes:
        return RecordError(SETUP, f"Stones are set up after move {record.changes[0].after}.")
    if all(code & PASS_CODE == PASS_CODE for code in record.moves):  # hardly ever looks beyond the first
        return RecordError(NO_MOVES, "No stone is played.")
    return None


def filter_out(record: SgfRecord, settings: ImportSettings) -> RecordError | None:
    """Why the settings leave this record out, or None if they take it."""
    if settings.sizes and record.size not in settings.sizes:
        return RecordError("filtered-size", f"Its board has {record.size} lines.")
    if settings.min_rank or settings.max_rank:
        low = rank_of(settings.min_rank) if settings.min_rank else -math.inf
        high = rank_of(settings.max_rank) if settings.max_rank else math.inf
        for colour, rank in (("Black", record.black_rank), ("White", record.white_rank)):
            if rank == UNKNOWN:
                return RecordError("filtered-rank", f"{colour}'s rank is unknown.")
            if not low <= rank <= high:
                return RecordError("filtered-rank", f"{colour} is {rank_name(rank)}.")
    if settings.since or settings.until:
        if not record.date:
            return RecordError("filtered-date", "Its date is unknown.")
        if not settings.since <= end_of(record.date) or (settings.until and record.date > end_of(settings.until)):
            return RecordError("filtered-date", f"It was played {record.date}.")
    if not settings.min_handicap <= record.handicap <= _limit(settings.max_handicap):
        return RecordError("filtered-handicap", f"It has {record.handicap} handicap stones.")
    if not settings.min_moves <= len(record.moves) <= _limit(settings.max_moves):
        return RecordError("filtered-length", f"It has {len(record.moves)} moves.")
    return None


def _limit(most: int | None) -> float:
    return math.inf if most is None else most


_OPENING = 12
"""So many moves nearly always tell which of the eight images is least."""


class Identity(NamedTuple):
    """What a game is known by: 16 bytes each."""

    exact: bytes
    up_to_symmetry: bytes


def identify(size: int, moves: NDArray[np.uint16], setup: NDArray[np.uint16]) -> Identity:
    """The hashes of a game; `setup` is in rising order."""
    played = np.flatnonzero((moves & PASS_CODE) != PASS_CODE)
    moves = moves[: played[-1] + 1] if len(played) else moves[:0]
    images = _images(size)
    cells = np.minimum(moves & PASS_CODE, size * size)
    opening = [row.tobytes() for row in images.take(cells[:_OPENING], axis=1)]
    least = min(opening)
    candidates = [s for s in range(SYMMETRIES) if opening[s] == least]
    if len(candidates) > 1:
        candidates = _least_of(candidates, [images[s, cells].tobytes() for s in candidates])
    setups = [_image_of_setup(images[s], size, setup) for s in candidates]
    best = min(range(len(candidates)), key=setups.__getitem__)
    colours = ((moves & WHITE_BIT) != 0).tobytes()
    canonical = images[candidates[best], cells].tobytes() + colours
    return Identity(
        _digest(size, setup.astype(">u2").tobytes(), cells.astype(">u2").tobytes() + colours),
        _digest(size, setups[best], canonical),
    )


def split_of(seed: int, game: bytes, shares: Sequence[float]) -> int:
    """The index in SPLITS of the part that the game, known `up_to_symmetry`, belongs to."""
    spec = int.from_bytes(blake2b(seed.to_bytes(8, "little") + game, digest_size=8).digest(), "little")
    place = spec / 2**64 * sum(shares)
    for part, share in enumerate(shares[:-1]):
        if place < share:
            return part
        place -= share
    return len(shares) - 1


@cache
def _images(size: int) -> NDArray[np.uint16]:
    """[symmetry, cell] where each symmetry takes a cell; the cell size² stands for a pass. Big-endian, so that bytes
    compare as numbers do.
    """
    images = np.full((SYMMETRIES, size * size + 1), PASS_CODE, ">u2")
    images[:, :-1] = cells_after(size)
    return images


def _least_of(names: list[int], values: list[bytes]) -> list[int]:
    least = min(values)
    return [name for name, value in zip(names, values, strict=True) if value == least]


def _image_of_setup(image: NDArray[np.uint16], size: int, setup: NDArray[np.uint16]) -> bytes:
    if not len(setup):
        return b""
    codes = image[np.minimum(setup & PASS_CODE, size * size)] | (setup & WHITE_BIT)
    return np.sort(codes).astype(">u2").tobytes()


def _digest(size: int, setup: bytes, moves: bytes) -> bytes:
    head = size.to_bytes(2, "little") + len(setup).to_bytes(4, "little")
    return blake2b(head + setup + moves, digest_size=16).digest()


_RECORDS, _BYTES = 256, 1 << 19


class ImportOutcome(NamedTuple):
    """What became of one game."""

    source: int
    """The number of its source."""
    name: str
    """Within its source; empty where that is the game alone."""
    kind: str = ""
    """Empty if the game is good."""
    reason: str = ""

    def but(self, fault: RecordError | None) -> "ImportOutcome":
        """The same game with this fault, if it has one."""
        return self._replace(kind=fault.kind, reason=fault.reason) if fault else self


class ImportedBatch(NamedTuple):
    """What became of a batch."""

    outcomes: list[ImportOutcome]
    """Of all games, good and bad, in the order of the records."""
    games: Collection
    """The good ones, in the same order."""
    identities: list[Identity]
    """Of the good ones."""


def in_batches(records: Iterable[RawRecord]) -> Iterator[list[RawRecord]]:
    """Cuts the records into batches that depend on the records alone, not on who will do the work."""
    batch: list[RawRecord] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.content)
        if len(batch) == _RECORDS or size >= _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def sift(settings: ImportSettings, batch: list[RawRecord]) -> ImportedBatch:
    """Tells the good games from the others."""
    outcomes: list[ImportOutcome] = []
    places: list[int] = []  # of the records that are to be replayed, among the verdicts
    records: list[SgfRecord] = []
    for raw in batch:
        found = list(parse_sgf(raw.content)) if raw.fault is None else [raw.fault]
        for number, game in enumerate(found, 1):
            name = f"{raw.name} game {number}".lstrip() if len(found) > 1 else raw.name
            fault = game if isinstance(game, RecordError) else unusable(game) or filter_out(game, settings)
            if fault is None and isinstance(game, SgfRecord):
                places.append(len(outcomes))
                records.append(game)
            outcomes.append(ImportOutcome(raw.source, name).but(fault))
    games = collection_of(records)
    faults = check(games)
    for place, fault in zip(places, faults, strict=True):
        outcomes[place] = outcomes[place].but(fault)
    good = np.array([i for i, fault in enumerate(faults) if fault is None], np.int64)
    identities = [identify(records[i].size, records[i].moves, records[i].setup) for i in good]
    return ImportedBatch(outcomes, games if len(good) == len(records) else select(games, good), identities)


_WORTH_A_PROCESS = 1 << 24
"""Bytes of text below which the start of other processes takes longer than the work: one does about 8 MB a second, and
others need about a second and a half to begin."""


class Progress(NamedTuple):
    """How far an import is."""

    bytes_read: int
    bytes: int
    """On disk, of all sources."""
    records: int
    """Games met so far, good and bad."""


def import_records(
    paths: Sequence[Path],
    out: Path,
    settings: ImportSettings | None = None,
    *,
    workers: int = 1,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> dict[str, Any]:
    """Makes a dataset of the records at these paths and returns its manifest.

    The same records and settings give the same bytes with any number of workers. Workers are processes: a script that
    asks for several must guard its own start with `if __name__ == "__main__"`.
    """
    settings = settings or ImportSettings()
    settings.check()
    _check_place(out, force=force)
    sources = find_sources(paths)
    checking.ready()
    with atomic_folder(out, replace=force) as folder:
        run = _Import(folder, settings, sources)
        try:
            small = sum(source.text_bytes for source in sources) < _WORTH_A_PROCESS
            run.read(1 if small else workers, progress)
            return run.finish()
        finally:
            run.release()


def _check_place(out: Path, *, force: bool) -> None:
    """Refuses a place where a dataset is not to be written."""
    try:
        if out.is_symlink() or (out.exists() and not (out.is_dir() and (is_dataset(out) or not any(out.iterdir())))):
            raise NobiError(f"{str(out)!r} exists and is no dataset; choose another name.")
        if out.exists() and any(out.iterdir()) and not force:
            raise NobiError(f"The dataset {str(out)!r} exists; --force replaces it.")
    except OSError as fault:
        raise NobiError(f"The folder {str(out)!r} cannot be written: {fault.strerror}.") from None


Place = tuple[int, str]
"""The number of a source, and the name of a game in it."""


class _Import:
    """An import under way."""

    def __init__(self, folder: Path, settings: ImportSettings, sources: list[Source]) -> None:
        self.folder = folder
        self.settings = settings
        self.sources = sources
        self.store = Store(folder)
        self.rejected: IO[str] = (folder / REJECTED).open("w", encoding="utf-8")
        self.kinds: Counter[str] = Counter()
        self.first_fault: ImportOutcome | None = None
        self.met = [0] * len(sources)
        """Games of each source, good and bad."""
        self.seen: dict[bytes, bytes] = {}
        """The exact identity of the first game of each class of symmetric ones."""
        self.exact: dict[bytes, Place] = {}
        """The place of the first game of each exact identity."""

    def read(self, workers: int, progress: Callable[[Progress], None]) -> None:
        """Takes in all sources, in order; small ones share a batch."""
        records = (
            record._replace(source=number) for number, source in enumerate(self.sources) for record in source.records()
        )
        total = sum(source.bytes for source in self.sources)
        for sifted in ordered_map(partial(sift, self.settings), in_batches(records), workers):
            self._take(sifted)
            progress(Progress(sum(source.bytes_read for source in self.sources), total, sum(self.met)))

    def finish(self) -> dict[str, Any]:
        """Writes what is left and describes it all."""
        self.rejected.close()
        splits = self.store.close()
        games = sum(split["games"] for split in splits.values())
        if not games:
            raise NobiError(self._nothing())
        content = {
            "settings": asdict(self.settings),
            "sources": [
                {
                    "path": printable(source.path),
                    "sha256": source.sha256,
                    "files": len(source.files),
                    "records": records,
                }
                for source, records in zip(self.sources, self.met, strict=True)
            ],
            "records": sum(self.met),
            "games": games,
            "moves": sum(split["moves"] for split in splits.values()),
            "rejected": dict(sorted(self.kinds.items())),
            "splits": splits,
        }
        return write_manifest(self.folder, content)

    def _nothing(self) -> str:
        """Why there is no game to make a dataset of; the list of what was rejected goes with the folder."""
        if self.first_fault is None:
            return "There is no record in what was given."
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in self.kinds.most_common(3))
        first = self.first_fault
        where = self._where((first.source, first.name))
        return f"None of {sum(self.met):,} records can be taken ({kinds}); the first, {where}: {first.reason}"

    def _where(self, place: Place) -> str:
        number, name = place
        path = printable(self.sources[number].path)
        return f"{name} of {path}" if name else path

    def release(self) -> None:
        """Closes all files."""
        self.rejected.close()
        self.store.release()

    def _take(self, sifted: ImportedBatch) -> None:
        parts = np.full(len(sifted.identities), -1, np.int64)
        good = 0
        for outcome in sifted.outcomes:
            self.met[outcome.source] += 1
            if not outcome.kind:
                identity = sifted.identities[good]
                kind, first = self._duplicate(identity, (outcome.source, outcome.name))
                if kind:
                    outcome = outcome.but(RecordError(kind, f"The same game came before: {self._where(first)}."))
                else:
                    parts[good] = split_of(self.settings.seed, identity.up_to_symmetry, self.settings.shares)
                good += 1
            if outcome.kind:
                self._reject(outcome)
        self.store.add(sifted.games, parts)

    def _duplicate(self, identity: Identity, place: Place) -> tuple[str, Place]:
        """The kind of duplicate that a game is and that is to be removed, or nothing; and where it came first."""
        if self.settings.duplicates == "keep":
            return "", place
        if identity.exact in self.exact:
            return DUPLICATE, self.exact[identity.exact]
        self.exact[identity.exact] = place
        if self.settings.duplicates == "remove-exact":
            return "", place
        first = self.seen.setdefault(identity.up_to_symmetry, identity.exact)
        return "" if first == identity.exact else SYMMETRIC_DUPLICATE, self.exact[first]

    def _reject(self, outcome: ImportOutcome) -> None:
        self.kinds[outcome.kind] += 1
        self.first_fault = self.first_fault or outcome
        line = {
            "source": printable(self.sources[outcome.source].path),
            "index": self.met[outcome.source],
            "record": outcome.name,
            "kind": outcome.kind,
            "reason": outcome.reason,
        }
        self.rejected.write(json.dumps(line, ensure_ascii=False) + "\n")
