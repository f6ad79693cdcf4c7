"""`nobi warm-up`: compile everything once, by running small commands that call every compiled function."""

import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Annotated, NamedTuple

import tyro

from nobi import features, games, models, networks, players
from nobi.cli.base import Command, Result
from nobi.cli.progress import progress_bar
from nobi.errors import INTERRUPTED, NobiError

_SIZE = "5"
_SEARCH = "mcts:rollouts=16"


class Step(NamedTuple):
    """A command whose compiled functions are needed."""

    about: str
    """What is compiled, for the display."""
    command: tuple[str, ...]


@dataclass(frozen=True)
class WarmUp(Command):
    """Compile everything once, so that later commands start faster: games, players, networks, search, planes, records.

    Compiled code is kept in the user's cache folder, or in NOBI_CACHE_DIR, until the program changes; an interrupted
    warm-up continues where it stopped. Networks are compiled with their default settings; others are compiled when they
    are first used.
    """

    only: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="GAME…", help="Compile only what these games need; by default all games."),
    ] = ()

    def execute(self) -> Result:
        from nobi import compiling

        for game in self.only:
            games.find(game)  # raises an error if there is none

        start, before = time.perf_counter(), compiling.seconds_compiling()
        compiled: list[str] = []
        with tempfile.TemporaryDirectory(prefix="nobi-warm-up-") as folder:
            steps = list(steps_in(Path(folder), self.only or games.names()))
            with progress_bar("steps", len(steps), note=True) as progress:
                for done, step in enumerate(steps):

                    def note(what: str, done: int = done, about: str = step.about) -> None:
                        compiled.append(what)
                        progress(done, f"{about}: {what}")

                    progress(done, step.about)
                    _run_quietly(step, note)
                    progress(done + 1, step.about)
        seconds, compiling_seconds = time.perf_counter() - start, compiling.seconds_compiling() - before
        cache, megabytes = _cache()
        document = {
            "compiled": compiled,
            "seconds": seconds,
            "seconds_compiling": compiling_seconds,
            "folder": str(cache),
            "megabytes": megabytes,
        }
        text = f"Compiled in {seconds:.0f} s: {', '.join(compiled)}." if compiled else "Everything was compiled before."
        return Result(document, [text, f"The compiled code is in {cache} ({megabytes:.0f} MB)."])


def _cache() -> tuple[Path, float]:
    """Return the folder of compiled code, and the megabytes of it that this version uses."""
    from nobi.compile_cache import cache_folders, cache_root

    files = [file for folder in cache_folders() for file in folder.rglob("*") if file.is_file()]
    return cache_root(), sum(file.stat().st_size for file in files) / 2**20


def _run_quietly(step: Step, note: Callable[[str], None]) -> None:
    from nobi import cli, compiling

    out, err = io.StringIO(), io.StringIO()
    compiling.when_compiling(note)
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.run(step.command)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code:
        raise NobiError(f"'nobi {' '.join(step.command)}' failed: {err.getvalue().strip()}")


def steps_in(folder: Path, among: Sequence[str]) -> Iterator[Step]:
    """Yield small commands that together call every compiled function of these games; they write to the folder."""
    for game in among:
        yield from _steps_of_game(game, folder)
    if "go" in among:
        yield from _steps_of_records(folder)
    for model in models.shipped():
        yield from _steps_of_model(model, among)


def _steps_of_game(game: str, folder: Path) -> Iterator[Step]:
    where = ("--game", game, "--size", _SIZE, "--threads", "1")
    built_in = [name for name in players.names() if _plays(name, game) and players.chooses_for_many(name)]
    for a, b in combinations_with_replacement(built_in, 2):
        yield Step(f"{game}, {a} against {b}", ("match", a, b, *where, "--games", "2"))
    for a in built_in:
        yield Step(f"{game}, {a} alone", ("match", a, "random", *where, "--games", "2", "--random-moves", "1"))
    yield Step(f"{game}, the tree search", ("match", _SEARCH, "random", *where, "--games", "2"))
    for net in networks.names():
        run = folder / f"{game}-{net}"
        model = str(run / "champion.safetensors")
        about = f"{game}, {net}"
        yield Step(
            f"{about}, evolution",
            ("evolve", str(run), "--game", game, "--net", net, "--sizes", _SIZE, "--method", "guess:candidates=1",
             "--opponents", *built_in, "--generations", "1", "--games", "2", "--threads", "1"),
        )  # fmt: skip
        yield Step(
            f"{about}, coevolution",
            ("coevolve", str(folder / f"{game}-{net}-pair"), "--game", game, "--net", net, "--size", _SIZE,
             "--generations", "1", "--population", "2", "--selected", "1", "--parasites", "1", "--hall", "1"),
        )  # fmt: skip
        yield Step(f"{about}, hidden units", ("show", model, "--random", "2"))
        yield Step(f"{about}, matches", ("match", model, model, *where, "--games", "2"))
        yield Step(f"{about}, alone", ("match", model, "random", *where, "--games", "2", "--random-moves", "1"))
        search = f"{_SEARCH},model={model}"
        yield Step(f"{about}, the tree search", ("match", search, "random", *where, "--games", "2"))


def _steps_of_records(folder: Path) -> Iterator[Step]:
    """Yield steps for records, planes and deep networks, which need PyTorch."""
    go = ("--game", "go", "--size", _SIZE, "--threads", "1")
    sgf, data = str(folder / "sgf"), str(folder / "records")
    yield Step("game records", ("match", "playout", "playout", *go, "--games", "60", "--folder", sgf))
    yield Step("game records", ("data", "import", sgf, "--out", data, "--threads", "1"))
    if find_spec("torch") is None:
        return
    for planes in features.names():
        run = folder / f"imitate-{planes}"
        model = str(run / "model.safetensors")
        net = f"nobi-net:width=16,blocks=1,planes={planes}"
        yield Step(
            f"planes {planes}, training",
            ("imitate", str(run), "--data", data, "--net", net, "--steps", "2", "--batch", "4", "--threads", "1"),
        )
        yield Step(f"planes {planes}, prediction", ("predict", model, "--data", data, "--threads", "1"))
        yield Step(f"planes {planes}, matches", ("match", model, "playout", *go, "--games", "2"))
        search = f"{_SEARCH},model={model}"
        yield Step(f"planes {planes}, the tree search", ("match", search, "playout", *go, "--games", "2"))


def _steps_of_model(model: str, among: Sequence[str]) -> Iterator[Step]:
    """Yield steps for a shipped model, alone and in the search, if its game is among these."""
    from nobi.models.model import load_model

    game = load_model(models.shipped()[model]).game
    if game not in among:
        return
    where = ("--game", game, "--size", _SIZE, "--threads", "1")
    for player in (model, f"{_SEARCH},model={model}"):
        yield Step(f"the model {model}", ("match", player, "random", *where, "--games", "2"))


def _plays(player: str, game: str) -> bool:
    known = players.find(player).games
    return known is None or game in known
