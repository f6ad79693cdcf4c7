"""The import of records into a dataset, from beginning to end."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from nobi.datasets import checking
from nobi.datasets.batches import Sifted, Verdict, in_batches, sift
from nobi.datasets.dataset import is_dataset
from nobi.datasets.folder import whole_folder
from nobi.datasets.identity import Identity, split_of
from nobi.datasets.settings import ImportSettings
from nobi.datasets.sources import Source, find_sources, printable
from nobi.datasets.store import REJECTED, Store, write_manifest
from nobi.datasets.workers import ordered_map
from nobi.errors import NobiError
from nobi.records.errors import DUPLICATE, SYMMETRIC_DUPLICATE, RecordError

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
    with whole_folder(out, replace=force) as folder:
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
        self.first_fault: Verdict | None = None
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

    def _take(self, sifted: Sifted) -> None:
        parts = np.full(len(sifted.identities), -1, np.int64)
        good = 0
        for verdict in sifted.verdicts:
            self.met[verdict.source] += 1
            if not verdict.kind:
                identity = sifted.identities[good]
                kind, first = self._duplicate(identity, (verdict.source, verdict.name))
                if kind:
                    verdict = verdict.but(RecordError(kind, f"The same game came before: {self._where(first)}."))
                else:
                    parts[good] = split_of(self.settings.seed, identity.up_to_symmetry, self.settings.shares)
                good += 1
            if verdict.kind:
                self._reject(verdict)
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

    def _reject(self, verdict: Verdict) -> None:
        self.kinds[verdict.kind] += 1
        self.first_fault = self.first_fault or verdict
        line = {
            "source": printable(self.sources[verdict.source].path),
            "index": self.met[verdict.source],
            "record": verdict.name,
            "kind": verdict.kind,
            "reason": verdict.reason,
        }
        self.rejected.write(json.dumps(line, ensure_ascii=False) + "\n")
