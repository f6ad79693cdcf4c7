"""`nobi tournament`: everybody against everybody."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nobi.cli.common import announce_compiling, print_json
from nobi.cli.match import PLAYER_HELP
from nobi.cli.series import SeriesFlags, elo_numbers, elo_text, fault_lines, play
from nobi.cli.tables import output_console, plain_table, print_table
from nobi.errors import NobiError

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.matches.elo import Ratings
    from nobi.matches.records import GameRecord


@dataclass(frozen=True)
class Tournament(SeriesFlags):
    """Let every two of several players meet, and rate them all.

    Prints who made how many points against whom, and Elo ratings (Bradley-Terry, greatest likelihood) with 95 %
    intervals. Ctrl-C ends the tournament and reports the games played; with --folder it can be resumed.
    """

    players: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="PLAYER …", help=PLAYER_HELP)] = ()
    game: str = "go"
    """The game; settings follow a colon, as in 'go:komi=5.5'."""
    size: int = 9
    """Lines of the board, 5 to 25."""
    games: int = 10
    """How many games every two players play, half with each colour."""

    def run(self) -> int:
        """Plays the tournament."""
        self.check_series()
        if len(self.players) < 2:
            raise NobiError("A tournament needs two players or more.")
        if len(set(self.players)) < len(self.players):
            raise NobiError("A player is named twice; a tournament needs players that differ.")
        if self.games < 1:
            raise NobiError(f"--games must be 1 or more, not {self.games}.")
        announce_compiling()
        records, total = play(self, list(self.players), self.game, self.size, self.games, self._table)
        self._report(records)
        return 0 if len(records) == total else 130

    def _report(self, records: "list[GameRecord]") -> None:
        from nobi.matches.records import without_repetitions
        from nobi.matches.statistics import forfeits, void_reasons

        kept, repeated = without_repetitions(records)
        points, ratings = self._rate(records)
        if self.json:
            settings = {key: str(value) if isinstance(value, Path) else value for key, value in asdict(self).items()}
            document = {
                "settings": settings,
                "points": points.tolist(),
                "elo": {who: elo_numbers(asdict(elo)) for who, elo in zip(self.players, ratings.elo, strict=True)},
                "added_draws": ratings.added_draws,
                "repeated": repeated,
                "void": void_reasons(kept).total(),
                "forfeits": forfeits(kept, self.players),
                "games": records,
            }
            print_json(document)
            return
        console = output_console()
        print_table(console, f"{self.game}, {self.size}x{self.size}", self._table(records))
        lines = [f"{len(records)} games; Elo relative to the mean of all, 95 % intervals."]
        if ratings.added_draws:
            lines.append(
                "Some made all points against others, or none: half a drawn game was added between every two who met."
            )
        if repeated:
            lines.append(f"Left out, because they repeat an earlier game: {repeated} of {len(records)} games.")
        lines += fault_lines(kept, self.players)
        if self.folder:
            lines.append(f"The games are in {self.folder}.")
        for line in lines:
            console.print(line, highlight=False, soft_wrap=True)

    def _rate(self, records: "list[GameRecord]") -> "tuple[Any, Ratings]":
        from nobi.matches.elo import bradley_terry
        from nobi.matches.records import without_repetitions
        from nobi.matches.statistics import cross_table

        points = cross_table(without_repetitions(records)[0], len(self.players))
        return points, bradley_terry(points)

    def _table(self, records: "list[GameRecord]") -> "Table":
        """The cross table, the strongest first."""
        points, ratings = self._rate(records)
        order = sorted(range(len(self.players)), key=lambda i: -ratings.elo[i].value)
        places = [str(place) for place in range(1, len(order) + 1)]
        table = plain_table(["", "player"], [*places, "points", "Elo (95 %)"])
        for place, i in enumerate(order, 1):
            met = points[i] + points[:, i]
            cells = ["" if i == j else f"{points[i, j]:g}/{met[j]:g}" for j in order]
            table.add_row(
                str(place),
                self.players[i],
                *cells,
                f"{points[i].sum():g}/{met.sum():g}",
                elo_text(ratings.elo[i]),
            )
        return table
