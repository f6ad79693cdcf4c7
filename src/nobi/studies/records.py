"""The datasets that studies learn from. A user names one for a role; a study knows what is in it, not where it lies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nobi.datasets.dataset import Dataset
from nobi.datasets.identity import SPLITS
from nobi.errors import NobiError
from nobi.records.collection import PASS_CODE
from nobi.studies import ROLES
from nobi.words import choices


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
    for word in words:
        role, equals, path = word.partition("=")
        if not equals or not path:
            raise NobiError(f"--data takes ROLE=DATASET, as in pro=data/pro, not {word!r}.")
        if role not in ROLES:
            raise NobiError(f"There is no role {role!r} for a dataset; {choices(ROLES, role)}.")
        if role in found:
            raise NobiError(f"--data names the role {role!r} twice; give it one dataset.")
        found[role] = Path(path)
    return found
