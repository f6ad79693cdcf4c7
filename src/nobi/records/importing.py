"""The import of records into a dataset: parse, filter, check, identify, split.

Identity. Two games are the same if their set-up stones and moves are equal up to one of the eight symmetries of the
board; passes at the end, players and result are ignored. A game is identified by 128 bits of a hash of the smallest of
its eight images.

Splits. The split of a game (train, validation or test) is determined by a hash of (seed, game), not by a shuffle. A
game therefore stays in its split when records are added, removed or reordered; and with the same seed and shares, a
game that is in two datasets, even mirrored, is in the same split of both: networks can be trained on both without
leakage from test to train. The disadvantage is that the shares are exact only on average, as with independent random
draws.
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
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection, SgfRecord, collection_of, select
from nobi.records.dataset import REJECTED, DatasetWriter, is_dataset, write_manifest
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
from nobi.records.replay import check, compile_replay
from nobi.records.settings import ImportSettings
from nobi.records.sgf_reader import parse_sgf
from nobi.records.sources import RawRecord, Source, find_sources, printable
from nobi.storage import atomic_folder
from nobi.workers import ordered_map

_BATCH_RECORDS, _BATCH_BYTES = 256, 1 << 19
_OPENING = 12
"""Number of moves that are nearly always sufficient to determine the smallest of the eight images."""
_WORTH_A_PROCESS = 1 << 24
"""Bytes of text below which starting processes takes longer than the import: one process imports about 8 MB per second,
and additional processes take about 1.5 seconds to start."""

GameName = tuple[int, str]
"""The index of a source, and the name of a game in it."""


def unusable(record: SgfRecord) -> RecordError | None:
    """Return the reason why a record cannot be used for training, or None; it must be complete and have a stone."""
    if record.error:
        return record.error
    if record.changes:
        return RecordError(SETUP, f"Stones are set up after move {record.changes[0].after}.")
    if all(code & PASS_CODE == PASS_CODE for code in record.moves):  # nearly always false at the first move
        return RecordError(NO_MOVES, "No stone is played.")
    return None


def filter_out(record: SgfRecord, settings: ImportSettings) -> RecordError | None:
    """Return the reason why the settings exclude this record, or None."""
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


class Identity(NamedTuple):
    """The hashes that identify a game, 16 bytes each."""

    exact: bytes
    up_to_symmetry: bytes


def identify(size: int, moves: NDArray[np.uint16], setup: NDArray[np.uint16]) -> Identity:
    """Return the hashes of a game; `setup` is in ascending order."""
    played = np.flatnonzero((moves & PASS_CODE) != PASS_CODE)
    moves = moves[: played[-1] + 1] if len(played) else moves[:0]
    images = _images(size)
    cells = np.minimum(moves & PASS_CODE, size * size)
    opening = [row.tobytes() for row in images.take(cells[:_OPENING], axis=1)]
    smallest = min(opening)
    candidates = [s for s in range(SYMMETRIES) if opening[s] == smallest]
    if len(candidates) > 1:
        whole = {s: images[s, cells].tobytes() for s in candidates}
        smallest = min(whole.values())
        candidates = [s for s in candidates if whole[s] == smallest]
    setups = [_image_of_setup(images[s], size, setup) for s in candidates]
    best = min(range(len(candidates)), key=setups.__getitem__)
    colours = ((moves & WHITE_BIT) != 0).tobytes()
    canonical = images[candidates[best], cells].tobytes() + colours
    return Identity(
        _digest(size, setup.astype(">u2").tobytes(), cells.astype(">u2").tobytes() + colours),
        _digest(size, setups[best], canonical),
    )


def split_of(seed: int, game: bytes, shares: Sequence[float]) -> int:
    """Return the index in SPLITS of the split of a game, identified by `Identity.up_to_symmetry`."""
    word = int.from_bytes(blake2b(seed.to_bytes(8, "little") + game, digest_size=8).digest(), "little")
    position = word / 2**64 * sum(shares)
    for split, share in enumerate(shares[:-1]):
        if position < share:
            return split
        position -= share
    return len(shares) - 1


@cache
def _images(size: int) -> NDArray[np.uint16]:
    """Return the images of cells, [symmetry, cell]; size² is a pass. Big-endian, so that bytes compare as numbers."""
    images = np.full((SYMMETRIES, size * size + 1), PASS_CODE, ">u2")
    images[:, :-1] = cells_after(size)
    return images


def _image_of_setup(image: NDArray[np.uint16], size: int, setup: NDArray[np.uint16]) -> bytes:
    if not len(setup):
        return b""
    codes = image[np.minimum(setup & PASS_CODE, size * size)] | (setup & WHITE_BIT)
    return np.sort(codes).astype(">u2").tobytes()


def _digest(size: int, setup: bytes, moves: bytes) -> bytes:
    head = size.to_bytes(2, "little") + len(setup).to_bytes(4, "little")
    return blake2b(head + setup + moves, digest_size=16).digest()


class ImportOutcome(NamedTuple):
    """The outcome for one game."""

    source: int  # the index of its source
    name: str  # within its source; empty if the game is the whole source
    kind: str = ""  # of the error; empty if the game is accepted
    reason: str = ""

    def with_error(self, error: RecordError | None) -> "ImportOutcome":
        """Return the outcome with this error, if there is one."""
        return self._replace(kind=error.kind, reason=error.reason) if error else self


class ImportedBatch(NamedTuple):
    """The outcomes for a batch of records."""

    outcomes: list[ImportOutcome]  # of all games in the order of the records
    games: Collection  # the accepted games, in the same order
    identities: list[Identity]  # of the accepted games


def in_batches(records: Iterable[RawRecord]) -> Iterator[list[RawRecord]]:
    """Divide records into batches; the division depends only on the records."""
    batch: list[RawRecord] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.content)
        if len(batch) == _BATCH_RECORDS or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def process_batch(settings: ImportSettings, batch: list[RawRecord]) -> ImportedBatch:
    """Parse, filter, replay and identify the games of a batch, in any process."""
    outcomes: list[ImportOutcome] = []
    positions: list[int] = []  # of `records` among the outcomes
    records: list[SgfRecord] = []
    for raw in batch:
        found = list(parse_sgf(raw.content)) if raw.error is None else [raw.error]
        for number, game in enumerate(found, 1):
            name = f"{raw.name} game {number}".lstrip() if len(found) > 1 else raw.name
            error = game if isinstance(game, RecordError) else unusable(game) or filter_out(game, settings)
            if error is None and isinstance(game, SgfRecord):
                positions.append(len(outcomes))
                records.append(game)
            outcomes.append(ImportOutcome(raw.source, name).with_error(error))
    games = collection_of(records)
    errors = check(games)
    for position, error in zip(positions, errors, strict=True):
        outcomes[position] = outcomes[position].with_error(error)
    accepted = np.array([i for i, error in enumerate(errors) if error is None], np.int64)
    identities = [identify(records[i].size, records[i].moves, records[i].setup) for i in accepted]
    return ImportedBatch(outcomes, games if len(accepted) == len(records) else select(games, accepted), identities)


class Progress(NamedTuple):
    """The progress of an import."""

    bytes_read: int
    bytes: int  # on disk, of all sources
    records: int  # games so far, accepted and rejected


def import_records(
    paths: Sequence[Path],
    out: Path,
    settings: ImportSettings | None = None,
    *,
    workers: int = 1,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> dict[str, Any]:
    """Create a dataset from the records at these paths and return its manifest.

    The same records and settings give identical files with any number of workers. Workers are processes: a script that
    uses several must be guarded by `if __name__ == "__main__"`.
    """
    settings = settings or ImportSettings()
    _check_output(out, force=force)
    sources = find_sources(paths)
    compile_replay()
    with atomic_folder(out, replace=force) as folder:
        run = _Import(folder, settings, sources)
        try:
            small = sum(source.text_bytes for source in sources) < _WORTH_A_PROCESS
            run.read(1 if small else workers, progress)
            return run.finish()
        finally:
            run.close()


def _check_output(out: Path, *, force: bool) -> None:
    """Raise a NobiError if a dataset must not be written to this path."""
    try:
        if out.is_symlink() or (out.exists() and not (out.is_dir() and (is_dataset(out) or not any(out.iterdir())))):
            raise NobiError(f"{str(out)!r} exists and is not a dataset; choose another name.")
        if out.exists() and any(out.iterdir()) and not force:
            raise NobiError(f"The dataset {str(out)!r} exists; --force replaces it.")
    except OSError as error:
        raise NobiError(f"The folder {str(out)!r} cannot be written: {error.strerror}.") from None


class _Import:
    """A running import."""

    def __init__(self, folder: Path, settings: ImportSettings, sources: list[Source]) -> None:
        self.folder = folder
        self.settings = settings
        self.sources = sources
        self.writer = DatasetWriter(folder)
        self.rejected: IO[str] = (folder / REJECTED).open("w", encoding="utf-8")
        self.kinds: Counter[str] = Counter()
        self.first_rejected: ImportOutcome | None = None
        self.counts = [0] * len(sources)
        """Games of each source, accepted and rejected."""
        self.exact: dict[bytes, GameName] = {}
        """The first game of each exact identity."""
        self.up_to_symmetry: dict[bytes, bytes] = {}
        """The exact identity of the first game of each identity up to symmetry."""

    def read(self, workers: int, progress: Callable[[Progress], None]) -> None:
        """Import all sources in order; small ones share a batch."""
        records = (
            record._replace(source=number) for number, source in enumerate(self.sources) for record in source.records()
        )
        total = sum(source.bytes for source in self.sources)
        for batch in ordered_map(partial(process_batch, self.settings), in_batches(records), workers):
            self._add(batch)
            progress(Progress(sum(source.bytes_read for source in self.sources), total, sum(self.counts)))

    def finish(self) -> dict[str, Any]:
        """Write the arrays and the manifest."""
        self.rejected.close()
        splits = self.writer.finish()
        games = sum(split["games"] for split in splits.values())
        if not games:
            raise NobiError(self._no_games_text())
        content = {
            "settings": asdict(self.settings),
            "sources": [
                {
                    "path": printable(source.path),
                    "sha256": source.sha256,
                    "files": len(source.files),
                    "records": records,
                }
                for source, records in zip(self.sources, self.counts, strict=True)
            ],
            "records": sum(self.counts),
            "games": games,
            "moves": sum(split["moves"] for split in splits.values()),
            "rejected": dict(sorted(self.kinds.items())),
            "splits": splits,
        }
        return write_manifest(self.folder, content)

    def _no_games_text(self) -> str:
        """Return the error message of an import without accepted games, whose list of rejected records is deleted."""
        first = self.first_rejected
        if first is None:
            return "The sources contain no records."
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in self.kinds.most_common(3))
        name = self._full_name((first.source, first.name))
        count = sum(self.counts)
        if count == 1:
            return f"The only record, {name}, was rejected ({kinds}): {first.reason}"
        return f"All {count:,} records were rejected ({kinds}); the first, {name}: {first.reason}"

    def _full_name(self, game: GameName) -> str:
        source, name = game
        path = printable(self.sources[source].path)
        return f"{name} of {path}" if name else path

    def close(self) -> None:
        """Close all files."""
        self.rejected.close()
        self.writer.close()

    def _add(self, batch: ImportedBatch) -> None:
        splits = np.full(len(batch.identities), -1, np.int64)
        accepted = 0
        for outcome in batch.outcomes:
            self.counts[outcome.source] += 1
            if not outcome.kind:
                identity = batch.identities[accepted]
                kind, first = self._duplicate(identity, (outcome.source, outcome.name))
                if kind:
                    outcome = outcome.with_error(RecordError(kind, f"It is the same game as {self._full_name(first)}."))
                else:
                    splits[accepted] = split_of(self.settings.seed, identity.up_to_symmetry, self.settings.shares)
                accepted += 1
            if outcome.kind:
                self._reject(outcome)
        self.writer.add(batch.games, splits)

    def _duplicate(self, identity: Identity, game: GameName) -> tuple[str, GameName]:
        """Return the kind of duplicate to reject, or "", and the first of the equal games."""
        if self.settings.duplicates == "keep":
            return "", game
        if identity.exact in self.exact:
            return DUPLICATE, self.exact[identity.exact]
        self.exact[identity.exact] = game
        if self.settings.duplicates == "remove-exact":
            return "", game
        first = self.up_to_symmetry.setdefault(identity.up_to_symmetry, identity.exact)
        return "" if first == identity.exact else SYMMETRIC_DUPLICATE, self.exact[first]

    def _reject(self, outcome: ImportOutcome) -> None:
        self.kinds[outcome.kind] += 1
        self.first_rejected = self.first_rejected or outcome
        line = {
            "source": printable(self.sources[outcome.source].path),
            "index": self.counts[outcome.source],
            "record": outcome.name,
            "kind": outcome.kind,
            "reason": outcome.reason,
        }
        self.rejected.write(json.dumps(line, ensure_ascii=False) + "\n")
