"""`nobi transfer`: how networks play on boards they were not trained on."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.common import UNSET, CommonFlags, announce_compiling, print_json, progress_bar
from nobi.cli.tables import output_console, plain_table, print_table
from nobi.errors import NobiError

if TYPE_CHECKING:
    from nobi.arena.summary import Interval
    from nobi.evolve.transfer import TransferReport


@dataclass(frozen=True)
class Transfer(CommonFlags):
    """Measure how one model, or many, play on boards of several sizes.

    Of one model the fitness and its 95 % interval on every size; of several, such as the champions of a run folder,
    also how well performance on a small board tells that on a large one: correlation, and the share p that does
    better there.
    """

    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="MODEL", help="Model files, or run folders for their champions."),
    ] = tyro.MISSING
    game: str = ""
    """The game; by default that of the training."""
    sizes: tuple[int, ...] = (5, 7, 9, 11, 15, 19)
    """The boards to play on."""
    opponents: tuple[str, ...] = ("naive",)
    """The players to play against."""
    games: int = 400
    """Games of every model on every board against every opponent; half with each colour."""
    measure: str = "points"
    """What counts: points (the mean outcome) or score (which rewards speed)."""
    figure: Annotated[Path | None, UNSET] = None
    """Save the figure here, as PNG and SVG."""

    def run(self) -> int:
        """Plays and prints."""
        self.check()
        announce_compiling()
        from nobi.evolve.fitness import MEASURES
        from nobi.evolve.transfer import load_models, measure_transfer
        from nobi.networks.model import load_model
        from nobi.words import choices

        if not self.models:
            raise NobiError("Name at least one model file or run folder.")
        if self.games < 2 or self.games % 2:
            raise NobiError(f"--games must be an even number, half for each colour, not {self.games}.")
        if self.measure not in MEASURES:
            raise NobiError(f"There is no measure {self.measure!r}; {choices(MEASURES, self.measure)}.")
        network, weights = load_models(self.models)
        first = self.models[0] / "champion.safetensors" if self.models[0].is_dir() else self.models[0]
        model = load_model(first)
        game = self.game or model.game
        with progress_bar("boards", len(self.sizes) * len(self.opponents)) as progress:
            report = measure_transfer(
                network, weights, game, self.sizes, self.opponents, self.games, self.seed,
                measure=self.measure, threads=self.threads, progress=progress,
            )  # fmt: skip
        if self.figure:
            from nobi.figures.sizes import size_curve
            from nobi.figures.titles import in_words, title

            trained = model.size if model.provenance.get("training") else None
            many = "" if len(weights) == 1 else f", {len(weights)} models"
            text = title(f"How {in_words(str(network))} plays {in_words(game)} on boards of different sizes{many}")
            size_curve(report, self.figure, text, trained)
        if self.json:
            print_json({"network": str(network), "game": game, "models": len(weights), **asdict(report)})
        else:
            self._print(report, f"{network}, {len(weights)} model{'s' * (len(weights) > 1)}: {game}", len(weights))
        return 0

    def _print(self, report: "TransferReport", title: str, models: int) -> None:
        console = output_console()
        over = "games" if models == 1 else "models"
        table = plain_table(["board", "against", f"fitness (95 % over {over})"])
        for row in report.sizes:
            table.add_row(f"{row.size}x{row.size}", row.opponent, _interval(row.fitness))
        print_table(console, title, table)
        if report.pairs:
            table = plain_table(["boards", "against", "correlation (95 %)", "p, better on the larger (95 %)"])
            for pair in report.pairs:
                found = pair.transfer
                boards = f"{pair.small}x{pair.small} → {pair.large}x{pair.large}"
                table.add_row(boards, pair.opponent, _interval(found.correlation), _interval(found.higher))
            console.print(table)
        if self.figure:
            console.print(f"The figure: {self.figure.with_suffix('.png')}", highlight=False)


def _interval(interval: "Interval") -> str:
    return f"{interval.value:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"
