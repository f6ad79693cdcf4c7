"""The datasets that studies learn from. A user names one for a role; a study knows what is in it, not where it lies.

MERGED studies/engines.py: Other programs that studies play against. A user names a command; a study knows what the program calls itself, not
where it lies.
"""

import hashlib
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nobi.errors import NobiError
from nobi.gtp.process import EngineError, start_engine
from nobi.records.collection import PASS_CODE
from nobi.records.dataset import SPLITS, Dataset
from nobi.spec import choices
from nobi.storage import atomic_write, make_writable_folder
from nobi.studies import ENGINES, ROLES


@dataclass(frozen=True)
class Records:
    """What is in a dataset."""

    digest: str
    """Names its games: the same for the same games wherever they lie."""
    games: dict[str, dict[int, int]] = field(default_factory=dict)
    """part → size of board → games."""
    positions: dict[str, dict[int, int]] = field(default_factory=dict)
    """part → size of board → positions, one before every move that is not a pass."""

    def count(self, split: str, sizes: Sequence[int] = ()) -> int:
        """The positions of a part on boards of these sizes, all sizes if none is given."""
        return sum(count for size, count in self.positions[split].items() if not sizes or size in sizes)

    def in_words(self, sizes: Sequence[int] = ()) -> str:
        """`66,003 games on 19x19, 13,790,000 positions: 12,100,000 to learn from, …`."""
        chosen = [
            size for size in sorted({s for part in self.games.values() for s in part}) if not sizes or size in sizes
        ]
        games = [f"{sum(part.get(n, 0) for part in self.games.values()):,} games on {n}x{n}" for n in chosen]
        train, validation, test = (self._parts_in_words(split, chosen) for split in SPLITS)
        return (
            f"{' and '.join(games)}, split by game: {train} positions to learn from, {validation} for validation, "
            f"{test} to test"
        )

    def _parts_in_words(self, split: str, sizes: Sequence[int]) -> str:
        """How many positions a part has and, of several sizes, how many on each: `624,058 (9,788 on 13x13)`."""
        total = f"{self.count(split, sizes):,}"
        if len(sizes) < 2:
            return total
        rest = ", ".join(f"{self.positions[split].get(size, 0):,} on {size}x{size}" for size in sizes[1:])
        return f"{total} ({rest})"


def records_of(dataset: Dataset) -> Records:
    """Counts what is in a dataset."""
    games: dict[str, dict[int, int]] = {}
    positions: dict[str, dict[int, int]] = {}
    for split in SPLITS:
        games[split] = dataset.sizes(split)
        positions[split] = {}
        for size in games[split]:
            found = dataset.collection(split, size)
            moves = found.moves[int(found.start[0]) : int(found.start[-1])]
            positions[split][size] = int(((moves & PASS_CODE) != PASS_CODE).sum())
    return Records(dataset.digest, games, positions)


def check_role(study: str, role: str, sizes: Sequence[int], given: Mapping[str, Records]) -> None:
    """Complains if a study has no dataset for a role, or one without games on the boards that it needs."""
    boards = " and ".join(f"{size}x{size}" for size in sizes)
    if role not in given:
        raise NobiError(
            f"The study {study!r} needs {ROLES[role]}: make a dataset with 'nobi data import' and name it with "
            f"--data {role}=DATASET."
        )
    for split in SPLITS:
        if not all(given[role].positions[split].get(size) for size in sizes):
            raise NobiError(
                f"The study {study!r} needs games on {boards} in every part of the dataset {role!r}, and there are not "
                f"in {split}; import more games."
            )


def role_paths(words: Sequence[str]) -> dict[str, Path]:
    """The datasets that words such as `pro=data/pro` name: role → path."""
    found: dict[str, Path] = {}
    for spec in words:
        role, equals, path = spec.partition("=")
        if not equals or not path:
            raise NobiError(f"--data takes ROLE=DATASET, as in pro=data/pro, not {spec!r}.")
        if role not in ROLES:
            raise NobiError(f"There is no role {role!r} for a dataset; {choices(ROLES, role)}.")
        if role in found:
            raise NobiError(f"--data names the role {role!r} twice; give it one dataset.")
        found[role] = Path(path)
    return found


GNUGO = "gnugo"
_ANSWER_SECONDS = 60.0


@dataclass(frozen=True)
class Engine:
    """A program that a study may play against."""

    name: str
    """One of `ENGINES`."""
    title: str
    """What it calls itself, with its version."""
    options: str = ""
    """A digest of what follows the program's name in its command: other options are another opponent."""


def engine_commands(words: Sequence[str]) -> dict[str, str]:
    """The programs that words such as `pachi=pachi --threads 1` name, and GNU Go where it is installed."""
    found: dict[str, str] = {}
    for spec in words:
        name, equals, command = spec.partition("=")
        if not equals or not command.strip():
            raise NobiError(f"--engine takes NAME=COMMAND, as in pachi='pachi -e uct', not {spec!r}.")
        if name not in ENGINES:
            raise NobiError(f"No study knows the engine {name!r}; {choices(ENGINES, name)}.")
        if name in found:
            raise NobiError(f"--engine names {name!r} twice; give it one command.")
        found[name] = command.strip()
    installed = shutil.which(GNUGO) or shutil.which(GNUGO, path="/usr/games")
    if GNUGO not in found and installed:
        found[GNUGO] = f"{installed} --mode gtp"
    return found


def meet(commands: Mapping[str, str]) -> dict[str, Engine]:
    """Starts every program once to hear what it calls itself; a NobiError names the command that does not work."""
    found = {}
    for name, command in commands.items():
        process = start_engine(command, _ANSWER_SECONDS)
        try:
            title = f"{process.ask('name')} {process.ask('version')}".strip()
        except EngineError as fault:
            raise NobiError(f"The engine {name!r} does not tell its name: it {fault}.") from None
        finally:
            process.close()
        options = " ".join(shlex.split(command)[1:])
        digest = hashlib.blake2b(options.encode(), digest_size=6).hexdigest() if options else ""
        found[name] = Engine(name, " ".join(title.split()), digest)
    return found


def needs(study: str, names: Sequence[str], given: Mapping[str, Engine]) -> None:
    """Complains if a study can meet none of these engines."""
    if not any(name in given for name in names):
        wanted = " or ".join(ENGINES[name] for name in names)
        how = "install it, or name its command" if names == (GNUGO,) else "name a command"
        raise NobiError(f"The study {study!r} plays against {wanted}: {how} with --engine {names[0]}=COMMAND.")


@dataclass(frozen=True)
class Strength:
    """How well an engine is to play, and by which rules; what is 0 is left to its command."""

    level: int = 0
    """GNU Go's, 1 to 10."""
    playouts: int = 0
    """A move, of an engine that makes some."""
    seconds: float = 0.0
    """A move, told by `time_settings`."""
    rules: str = ""
    """`chinese` or `japanese`, for engines that cannot be told by GTP."""

    def words(self) -> str:
        """As a table names it."""
        parts = [f"level {self.level}"] if self.level else []
        parts += [f"{self.playouts:,} playouts"] if self.playouts else []
        parts += [f"{self.seconds:g} s a move"] if self.seconds else []
        return ", ".join(parts)


def command_of(name: str, command: str, strength: Strength, folder: Path) -> str:
    """The command that makes an engine play so; a file that it needs for that is written to the folder."""
    arguments: list[str] = []
    if name == GNUGO:
        arguments += ["--level", str(strength.level)] if strength.level else []
        arguments += [f"--{strength.rules}-rules"] if strength.rules else []
        arguments += ["--positional-superko"] if strength.rules == "chinese" else []  # as our games of Go have it
    elif name == "pachi":
        arguments += ["-t", f"={strength.playouts}"] if strength.playouts else []
    elif name == "mogo":
        arguments += ["--nbTotalSimulations", str(strength.playouts)] if strength.playouts else []
    elif name == "fuego" and strength.playouts:
        # Fuego has no such option; it reads GTP commands from a file before it begins
        file = make_writable_folder(folder) / "fuego.gtp"
        lines = f"uct_param_player max_games {strength.playouts}\nuct_param_player ignore_clock 1\n"
        atomic_write(file, lines.encode())
        arguments += ["--config", str(file)]
    return " ".join([command, *map(shlex.quote, arguments)])
