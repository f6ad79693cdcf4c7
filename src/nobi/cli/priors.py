"""`nobi priors`: train the move priors of the tree search on game records."""

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nobi.cli.base import LongCommand, Result, plain_table
from nobi.errors import NobiError


@dataclass(frozen=True)
class Priors(LongCommand):
    """Learn the move priors of the tree search of Go from game records, and report how well they predict moves.

    A Bradley-Terry model of 3x3 patterns and tactical features, trained by minorisation-maximisation: one set of
    strengths for boards up to 13x13, one for larger boards.
    """

    out: Annotated[
        tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE", help="The .safetensors file to write.")
    ] = tyro.MISSING
    data: tuple[Path, ...] = ()
    """Datasets made by 'nobi data import'."""
    positions: int = 20000
    """Positions of each set that are learnt from."""
    test_positions: int = 4000
    """Positions of each set that the result is measured on."""
    sweeps: int = 12
    """Updates of all strengths."""

    def execute(self) -> Result:
        from nobi.imitation.bradley_terry import PriorSettings, train_priors
        from nobi.records.dataset import Dataset, check_split_alike

        if not self.data:
            raise NobiError("'nobi priors' needs --data, one dataset or more.")
        try:
            settings = PriorSettings(self.positions, self.test_positions, self.sweeps)
        except ValueError as error:
            raise NobiError(f"--{str(error).replace('_', '-')}.") from None
        datasets = [Dataset.open(path) for path in self.data]
        check_split_alike(datasets)
        results = train_priors(
            datasets, settings, self.seed, self.out, lambda text: print(text, file=sys.stderr, flush=True)
        )
        table = plain_table(["boards", "games"], ["positions", "log-likelihood", "top-1"])
        for name, both in results.items():
            for split, metrics in both.items():
                table.add_row(
                    name,
                    split,
                    f"{metrics.positions:,}",
                    f"{metrics.log_likelihood:.3f}",
                    f"{100 * metrics.top1:.1f} %",
                )
        return Result({"settings": asdict(self), "results": results}, [("", table), f"Written: {self.out}."])
