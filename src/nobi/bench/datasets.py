"""The import of game records over all cores: packed a record a line, and as a folder of files."""

import lzma
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from nobi.bench.features import playout_records
from nobi.bench.figure import Figure, rate_figure
from nobi.cores import usable_threads
from nobi.datasets.importing import import_records
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection

GAMES, SIZE = 16384, 19
LEAST = 1000
_LETTERS = "abcdefghijklmnopqrstuvwxy"


def records_as_sgf(games: Collection) -> list[bytes]:
    """The games as plain records, a root and one move a node."""
    texts = []
    for i in range(len(games.size)):
        size = int(games.size[i])
        nodes = []
        for code in games.moves[games.start[i] : games.start[i + 1]].tolist():
            row, column = divmod(code & PASS_CODE, size)
            point = "" if code & PASS_CODE == PASS_CODE else _LETTERS[column] + _LETTERS[row]
            nodes.append(f";{'W' if code & WHITE_BIT else 'B'}[{point}]")
        texts.append(f"(;GM[1]FF[4]SZ[{size}]KM[6.5]BR[5d]WR[3d]RE[B+R]{''.join(nodes)})".encode())
    return texts


def _import_rates(source: Path, folder: Path, repeats: int = 3) -> list[float]:
    """Games a second, the start of the processes included."""
    found = []
    for i in range(repeats):
        start = time.perf_counter()
        manifest = import_records([source], folder / f"data{i}", workers=usable_threads())
        found.append(manifest["records"] / (time.perf_counter() - start))
    return found


def figures(seconds: float) -> Iterator[Callable[[], Figure]]:  # noqa: ARG001 (an import takes as long as it takes)
    """The figures of this section, each measured when called."""

    def figure(what: str, write: Callable[[Path, list[bytes]], Path]) -> Figure:
        with tempfile.TemporaryDirectory() as folder:
            source = write(Path(folder), records_as_sgf(playout_records(SIZE, GAMES)))
            found = _import_rates(source, Path(folder))
        note = f"{GAMES:,} games of about 220 moves, {usable_threads()} processes"
        return rate_figure(f"import of {what}", "games/s", found, at_least=LEAST, peer=note)

    def packed() -> Figure:
        def write(folder: Path, texts: list[bytes]) -> Path:
            path = folder / "games.sgfl.xz"
            path.write_bytes(lzma.compress(b"\n".join(texts)))
            return path

        return figure("a packed file, a record a line", write)

    def files() -> Figure:
        def write(folder: Path, texts: list[bytes]) -> Path:
            source = folder / "games"
            source.mkdir()
            for i, text in enumerate(texts):
                (source / f"{i:05}.sgf").write_bytes(text)
            return source

        return figure("a folder of files", write)

    yield from (packed, files)
