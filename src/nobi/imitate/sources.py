"""The sources that a run or a measurement draws positions from: the games of each dataset on each size of board."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from nobi.datasets.dataset import Dataset, check_split_alike
from nobi.errors import NobiError
from nobi.imitate.positions import Positions
from nobi.networks.deep.base import DeepNetwork


@dataclass(frozen=True)
class Sources:
    """Positions of some datasets; all lists have an entry a source."""

    positions: list[Positions]
    dataset: list[int]
    """Which dataset each comes from."""
    fingerprint: str
    """Changes with any change of the games."""

    @property
    def counts(self) -> list[int]:
        """How many positions each has."""
        return [len(source) for source in self.positions]

    @property
    def total(self) -> int:
        """How many positions there are."""
        return sum(self.counts)

    @property
    def main_size(self) -> int:
        """The size of board of most positions."""
        by_size: dict[int, int] = {}
        for source in self.positions:
            by_size[source.size] = by_size.get(source.size, 0) + len(source)
        return max(by_size, key=lambda size: by_size[size])


def open_sources(paths: Sequence[str], split: str, sizes: Sequence[int], network: DeepNetwork) -> Sources:
    """The positions of a part of some datasets on these sizes of board (all if none is given).

    Complains if there are none on one of the sizes, or if the network does not serve a size.
    """
    found, owners, digest = [], [], hashlib.sha256()
    datasets = [Dataset.open(path) for path in paths]
    check_split_alike(datasets)
    _refuse_twice(paths, datasets)
    for number, dataset in enumerate(datasets):
        digest.update(dataset.digest.encode())
        for size in dataset.sizes(split):
            if sizes and size not in sizes:
                continue
            positions = Positions(dataset.collection(split, size))
            if len(positions):
                found.append(positions)
                owners.append(number)
    where = " and ".join(repr(str(path)) for path in paths)
    there = sorted({source.size for source in found})
    missing = sorted(set(sizes) - set(there))
    if missing or not found:
        boards = f" on {_boards(missing)}" if missing else ""
        raise NobiError(f"There are no positions{boards} in the {split} part of {where}.")
    unserved = [size for size in there if network.sizes is not None and size not in network.sizes]
    if unserved:
        raise NobiError(
            f"The network {network} plays on {_boards(network.sizes or ())} only, and there are games on "
            f"{_boards(unserved)}; choose with --sizes what to take, or another network."
        )
    return Sources(found, owners, digest.hexdigest())


def _refuse_twice(paths: Sequence[str], datasets: Sequence[Dataset]) -> None:
    """Complains of the same games under two names: they would count as twice as many."""
    first: dict[str, str] = {}
    for path, dataset in zip(paths, datasets, strict=True):
        if dataset.digest in first:
            raise NobiError(f"The datasets {first[dataset.digest]!r} and {str(path)!r} hold the same games; name one.")
        first[dataset.digest] = str(path)


def _boards(sizes: Sequence[int]) -> str:
    return " and ".join(f"{size}x{size}" for size in sizes)
