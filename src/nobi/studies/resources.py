"""The datasets and engines that the user provides for studies: `--data ROLE=DATASET`, `--engine NAME=COMMAND`.

Jobs identify a dataset by a digest of its games and an engine by its name and version, not by paths, so that results
can be reused on another machine.
"""

import hashlib
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nobi.errors import NobiError
from nobi.gtp.process import EngineError, find_program, start_engine
from nobi.records.collection import PASS_CODE
from nobi.records.dataset import SPLITS, Dataset
from nobi.spec import choices
from nobi.storage import atomic_write, make_writable_folder
from nobi.studies import ENGINES, ROLES

GNUGO = "gnugo"
_ANSWER_SECONDS = 60.0


@dataclass(frozen=True)
class DatasetInfo:
    """The contents of a dataset."""

    digest: str
    """Digest of the games, independent of the location of the dataset."""
    games: dict[str, dict[int, int]] = field(default_factory=dict)
    """split → board size → number of games."""
    positions: dict[str, dict[int, int]] = field(default_factory=dict)
    """split → board size → number of positions, one before every move that is not a pass."""

    def count(self, split: str, sizes: Sequence[int] = ()) -> int:
        """Return the number of positions of a split on boards of these sizes; default: all."""
        return sum(count for size, count in self.positions[split].items() if not sizes or size in sizes)

    def describe(self, sizes: Sequence[int] = ()) -> str:
        """Return text such as `66,003 games on 19x19, split by game: 12,100,000 positions to learn from, …`."""
        known = sorted({size for split in self.games.values() for size in split})
        chosen = [size for size in known if not sizes or size in sizes]
        games = [f"{sum(split.get(n, 0) for split in self.games.values()):,} games on {n}x{n}" for n in chosen]
        train, validation, test = (self._describe_split(split, chosen) for split in SPLITS)
        return (
            f"{' and '.join(games)}, split by game: {train} positions to learn from, {validation} for validation, "
            f"{test} to test"
        )

    def _describe_split(self, split: str, sizes: Sequence[int]) -> str:
        """Return the number of positions; for several sizes also the numbers of all sizes except the first."""
        rest = ", ".join(f"{self.positions[split].get(size, 0):,} on {size}x{size}" for size in sizes[1:])
        return f"{self.count(split, sizes):,}" + (f" ({rest})" if rest else "")


def dataset_info(dataset: Dataset) -> DatasetInfo:
    """Count the games and positions of a dataset."""
    games = {split: dataset.sizes(split) for split in SPLITS}
    positions: dict[str, dict[int, int]] = {split: {} for split in SPLITS}
    for split, sizes in games.items():
        for size in sizes:
            found = dataset.collection(split, size)
            moves = found.moves[int(found.start[0]) : int(found.start[-1])]
            positions[split][size] = int(((moves & PASS_CODE) != PASS_CODE).sum())
    return DatasetInfo(dataset.digest, games, positions)


def require_dataset(study: str, role: str, sizes: Sequence[int], given: Mapping[str, DatasetInfo]) -> None:
    """Raise a NobiError if there is no dataset for a role, or if it has no games on boards of these sizes."""
    if role not in given:
        raise NobiError(
            f"The study {study!r} needs {ROLES[role]}: make a dataset with 'nobi data import' and give it with "
            f"--data {role}=DATASET."
        )
    for split in SPLITS:
        if not all(given[role].positions[split].get(size) for size in sizes):
            boards = " and ".join(f"{size}x{size}" for size in sizes)
            raise NobiError(
                f"The study {study!r} needs games on {boards} in every split of the dataset {role!r}, but {split} has "
                "none; import more games."
            )


@dataclass(frozen=True)
class Engine:
    """An engine that studies may play against."""

    name: str
    """One of `ENGINES`."""
    title: str
    """The name and the version reported by the engine."""
    options: str = ""
    """A digest of the options of the command: other options mean another opponent."""


def identify_engines(commands: Mapping[str, str]) -> dict[str, Engine]:
    """Start every engine once to determine its name and version."""
    found = {}
    for name, command in commands.items():
        process = start_engine(command, _ANSWER_SECONDS)
        try:
            title = f"{process.ask('name')} {process.ask('version')}".strip()
        except EngineError as error:
            raise NobiError(f"The engine {name!r} does not report its name: it {error}.") from None
        finally:
            process.close()
        options = " ".join(shlex.split(command)[1:])
        digest = hashlib.blake2b(options.encode(), digest_size=6).hexdigest() if options else ""
        found[name] = Engine(name, " ".join(title.split()), digest)
    return found


def require_engine(study: str, names: Sequence[str], given: Collection[str]) -> None:
    """Raise a NobiError if none of these engines is available."""
    if not any(name in given for name in names):
        wanted = " or ".join(ENGINES[name] for name in names)
        how = "install it, or give its command" if names == (GNUGO,) else "give a command"
        raise NobiError(f"The study {study!r} plays against {wanted}: {how} with --engine {names[0]}=COMMAND.")


@dataclass(frozen=True)
class Strength:
    """The strength and the rules of an engine; 0 or empty: as set by its command."""

    level: int = 0
    """GNU Go's level, 1 to 10."""
    playouts: int = 0
    """Playouts per move."""
    seconds: float = 0.0
    """Seconds per move, set by `time_settings`."""
    rules: str = ""
    """`chinese` or `japanese`, for engines that accept them only on the command line."""

    def describe(self) -> str:
        """Return text such as `level 10`, `10,000 playouts`, `10 s a move`."""
        parts = [f"level {self.level}"] if self.level else []
        parts += [f"{self.playouts:,} playouts"] if self.playouts else []
        parts += [f"{self.seconds:g} s a move"] if self.seconds else []
        return ", ".join(parts)


def engine_command(name: str, command: str, strength: Strength, folder: Path) -> str:
    """Return the command of an engine with options for its strength; a configuration file is written to the folder."""
    arguments: list[str] = []
    if name == GNUGO:
        arguments += ["--level", str(strength.level)] if strength.level else []
        arguments += [f"--{strength.rules}-rules"] if strength.rules else []
        arguments += ["--positional-superko"] if strength.rules == "chinese" else []  # as in nobi's rules of Go
    elif name == "pachi":
        arguments += ["-t", f"={strength.playouts}"] if strength.playouts else []
    elif name == "mogo":
        arguments += ["--nbTotalSimulations", str(strength.playouts)] if strength.playouts else []
    elif name == "fuego" and strength.playouts:
        # Fuego has no such option, but reads GTP commands from a file at the start
        file = make_writable_folder(folder) / "fuego.gtp"
        lines = f"uct_param_player max_games {strength.playouts}\nuct_param_player ignore_clock 1\n"
        atomic_write(file, lines.encode())
        arguments += ["--config", str(file)]
    return " ".join([command, *map(shlex.quote, arguments)])


def parse_datasets(arguments: Sequence[str]) -> dict[str, Path]:
    """Parse role → path from arguments such as `pro=data/pro`."""
    found = _parse_pairs(arguments, "--data", "ROLE=DATASET, as in pro=data/pro", "dataset role", ROLES)
    return {role: Path(path) for role, path in found.items()}


def parse_engines(arguments: Sequence[str]) -> dict[str, str]:
    """Parse name → command from arguments such as `pachi=pachi --threads 1`; GNU Go is added if it is installed."""
    found = _parse_pairs(arguments, "--engine", "NAME=COMMAND, as in pachi='pachi -e uct'", "engine", ENGINES)
    installed = find_program(GNUGO)
    return {GNUGO: f"{installed} --mode gtp", **found} if installed else found


def _parse_pairs(
    arguments: Sequence[str], option: str, form: str, what: str, known: Mapping[str, str]
) -> dict[str, str]:
    found: dict[str, str] = {}
    for argument in arguments:
        key, _, value = argument.partition("=")
        if not value.strip():
            raise NobiError(f"{option} takes {form}, not {argument!r}.")
        if key not in known:
            raise NobiError(f"There is no {what} {key!r}; {choices(known, key)}.")
        if key in found:
            raise NobiError(f"{option} gives {key!r} twice.")
        found[key] = value.strip()
    return found
