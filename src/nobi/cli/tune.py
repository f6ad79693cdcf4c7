"""`nobi tune`: test by games whether a change makes a player stronger, or optimise settings."""

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import tyro

from nobi import games
from nobi.cli.base import Result, plain, plain_table
from nobi.cli.series import OWN_PLAYER_HELP, SeriesFlags, elo_text, open_series
from nobi.errors import NobiError
from nobi.spec import parse_spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nobi.matches.folder import GameResult
    from nobi.matches.series import Pairing
    from nobi.statistics import Sprt
    from nobi.workers import Executor

_LINE_GAMES = 100
"""Number of games between two lines of progress."""
_ACCEPTED = {1: "elo1 is accepted", -1: "elo0 is accepted", 0: "undecided"}

_LOGARITHMIC = 10.0
"""Minimum ratio of the bounds of a parameter that is varied on a logarithmic scale."""
_DIGITS = 4
"""Significant digits of a value in a spec."""


@dataclass(frozen=True)
class Tune(SeriesFlags):
    """Test by games whether player A is stronger than player B, or optimise settings of a player.

    Two players: a sequential probability ratio test. Games are played in pairs with the same opening and exchanged
    colours until the Elo difference --elo1 (A is accepted) or --elo0 is accepted.

    One player and --vary: CMA-ES over these settings. Every candidate of a generation plays --candidate-games games
    against the given player; the result is the mean of the last generation's distribution.

    With --folder every game is saved; the same command with --resume continues.
    """

    a: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="A", help=OWN_PLAYER_HELP)] = tyro.MISSING
    b: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="B", help="The player to compare with.")] = ""
    game: str = "go"
    """The game; settings follow a colon, as in 'go:komi=5.5'."""
    size: int = 9
    """Board size, 5 to 25."""
    random_moves: int = 2
    """Begin with this number of random moves, the same in two games with colours exchanged."""
    parallel: int = 0
    """Number of games played at the same time; 0: one per core. With --executor ray, all workers play."""
    elo0: float = 0.0
    """Elo difference of the null hypothesis."""
    elo1: float = 30.0
    """Elo difference of the alternative."""
    alpha: float = 0.05
    """Probability of accepting elo1 if elo0 is true."""
    beta: float = 0.05
    """Probability of accepting elo0 if elo1 is true."""
    max_games: int = 2000
    """Games after which the test ends undecided."""
    vary: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=LOW:HIGH …")] = ()
    """Settings to optimise, with their bounds, as in 'rave=500:6000 explore=0.0:0.5'."""
    generations: int = 10
    """Generations of the optimisation."""
    candidates: int = 0
    """Candidates of a generation; 0: 4 + ⌊3 ln n⌋ for n settings."""
    candidate_games: int = 50
    """Games of every candidate."""
    log: Path | None = None
    """Append the result as one line of JSON to this file."""

    def check(self) -> None:
        moves = 0 if self.handicap or self.openings else self.random_moves  # they replace the default
        SeriesFlags.check(replace(self, parallel=max(1, self.parallel), random_moves=moves))
        if bool(self.b) == bool(self.vary):
            raise NobiError(
                "Give two players to test, or one player and --vary NAME=LOW:HIGH to optimise its settings."
            )
        self.require(0, "parallel")
        self.require(1, "generations")
        self.require(2, "max_games", "candidate_games")

    def execute(self) -> Result:
        with self.series_executor() as executor:
            return self._optimise(executor) if self.vary else self._test(executor)

    # --- the test of two players ------------------------------------------------------------------------------------

    def _test(self, executor: "Executor") -> Result:
        from nobi.matches.series import pairings

        sprt, variant = self._sprt(), games.variant(self.game, self.size)
        records: list[GameResult] = []
        finished = [False]

        def note() -> None:
            decided, _ = sprt.decision(_pairs(records))
            finished[0] = decided != 0
            if len(records) % _LINE_GAMES == 0:
                print(_progress_line(sprt, records), file=sys.stderr, flush=True)

        interrupted = ""
        schedule = pairings(2, self.max_games)
        try:
            with open_series(self, [self.a, self.b], variant, executor, self.folder, records) as play:
                if records:
                    note()
                if not finished[0]:
                    play(schedule, note, lambda: finished[0])
        except KeyboardInterrupt:
            if not records:
                raise
            interrupted = f"after {len(records)} games"
        summary = _sprt_summary(sprt, records)
        document = {"settings": asdict(self), **summary}
        if self.log:
            _append(self.log, document)
        low, high = sprt.bounds
        report = [
            f"A = {self.a} against B = {self.b}: {self.game}, {self.size}x{self.size}",
            f"{summary['games']} games in mirrored pairs: A won {100 * summary['share'].value:.1f} % of the points.",
            f"Elo difference A − B: {elo_text(summary['elo'])}, 95 % interval.",
            f"Log-likelihood ratio {summary['llr']:.2f} of {low:.2f} to {high:.2f} for elo0 = {self.elo0:g}, "
            f"elo1 = {self.elo1:g}: {_ACCEPTED[summary['accepted']]}.",
        ]
        return Result(document, report, interrupted)

    def _sprt(self) -> "Sprt":
        from nobi.statistics import Sprt

        try:
            return Sprt(self.elo0, self.elo1, self.alpha, self.beta)
        except ValueError as error:
            raise NobiError(f"--{error}.") from None

    # --- optimisation -----------------------------------------------------------------------------------------------

    def _optimise(self, executor: "Executor") -> Result:
        from nobi.trainers.cmaes import Cmaes, CmaesSettings

        parameters, variant = [parse_parameter(text) for text in self.vary], games.variant(self.game, self.size)
        trainer = Cmaes(CmaesSettings(sigma=0.5, candidates=self.candidates), len(parameters), self.seed)
        history: list[dict[str, Any]] = []
        interrupted = ""
        for generation in range(self.generations):
            specs = [spec_with(self.a, parameters, values) for values in trainer.ask()]
            folder = self.folder / f"generation-{generation + 1:04d}" if self.folder else None
            records: list[GameResult] = []
            schedule = _against_first(len(specs), self.candidate_games, generation)
            try:
                with open_series(self, [self.a, *specs], variant, executor, folder, records) as play:
                    play(schedule, lambda: None)
            except KeyboardInterrupt:
                interrupted = f"after {generation} of {self.generations} generations"
                break
            shares = [_share(records, player) for player in range(1, len(specs) + 1)]
            import numpy as np

            trainer.tell(np.array(shares))
            mean = spec_with(self.a, parameters, trainer.mean)
            history.append(
                {"generation": generation + 1, "shares": dict(zip(specs, shares, strict=True)), "mean": mean}
            )
            print(f"Generation {generation + 1}: best {max(shares):.3f}, mean {mean}", file=sys.stderr, flush=True)
        if not history:
            raise KeyboardInterrupt
        table = plain_table(["generation", "mean of the distribution"], ["best share", "mean share"])
        for row in history:
            shares = list(row["shares"].values())
            table.add_row(str(row["generation"]), row["mean"], f"{max(shares):.3f}", f"{sum(shares) / len(shares):.3f}")
        best = history[-1]["mean"]
        report: list[Any] = [
            (f"Settings of {self.a}: {self.game}, {self.size}x{self.size}", table),
            f"Test the result with: nobi tune '{best}' '{self.a}'",
        ]
        return Result({"settings": asdict(self), "generations": history, "best": best}, report, interrupted)


def _append(path: Path, document: dict[str, Any]) -> None:
    import json

    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(plain(document), ensure_ascii=False) + "\n")


def _against_first(candidates: int, count: int, generation: int) -> "list[Pairing]":
    """Return `count` games of player 0 against each other player, in mirrored pairs with the same openings."""
    from nobi.matches.series import Pairing

    found: list[Pairing] = []
    for k in range(count):
        for candidate in range(1, candidates + 1):
            black, white = (candidate, 0) if k % 2 == 0 else (0, candidate)
            found.append(Pairing(len(found), black, white, generation * count + k // 2))
    return found


def _share(records: "Sequence[GameResult]", player: int) -> float:
    points = [made for record in records if player in (record.black, record.white) for made in [record.points(player)]]
    known = [made for made in points if made is not None]
    return sum(known) / len(known) if known else 0.5


def _pairs(records: "Sequence[GameResult]") -> Any:
    from nobi.matches.folder import pair_points

    return pair_points(records, 0)


def _sprt_summary(sprt: "Sprt", records: "Sequence[GameResult]") -> dict[str, Any]:
    from nobi.statistics import mean_interval, pair_elo

    pairs = _pairs(records)
    accepted, used = sprt.decision(pairs)
    ratios = sprt.log_likelihood_ratios(pairs)
    return {
        "games": 2 * len(pairs),
        "share": mean_interval(pairs),
        "elo": pair_elo(pairs),
        "llr": float(ratios[used - 1]) if used else 0.0,
        "accepted": accepted,
    }


def _progress_line(sprt: "Sprt", records: "Sequence[GameResult]") -> str:
    summary = _sprt_summary(sprt, records)
    low, high = sprt.bounds
    return (
        f"{len(records)} games: {100 * summary['share'].value:.1f} %, Elo {elo_text(summary['elo'])}, "
        f"log-likelihood ratio {summary['llr']:.2f} ({low:.2f} to {high:.2f})"
    )


# --- parameters that are optimised ---------------------------------------------------------------------------------


class Parameter(NamedTuple):
    """A setting with bounds; −1 and 1 are the bounds in the trainer, 0 is the middle."""

    name: str
    low: float
    high: float
    whole: bool
    """Whether values are rounded to whole numbers: both bounds are written without a decimal point."""

    @property
    def is_logarithmic(self) -> bool:
        """Whether the parameter is varied on a logarithmic scale."""
        return self.low > 0 and self.high / self.low >= _LOGARITHMIC

    def text(self, x: float) -> str:
        """Return the setting's value for the trainer's number x, which is clipped to the bounds."""
        share = (min(1.0, max(-1.0, x)) + 1) / 2
        if self.is_logarithmic:
            value = math.exp(math.log(self.low) + share * math.log(self.high / self.low))
        else:
            value = self.low + share * (self.high - self.low)
        return str(round(value)) if self.whole else f"{value:.{_DIGITS}g}"


def parse_parameter(text: str) -> Parameter:
    """Parse a parameter such as `rave=500:6000`."""
    name, equals, bounds = text.partition("=")
    low, colon, high = bounds.partition(":")
    try:
        parameter = Parameter(name.strip(), float(low), float(high), "." not in bounds and "e" not in bounds)
    except ValueError:
        parameter = Parameter("", 0.0, 0.0, False)
    if not equals or not colon or not parameter.name or not parameter.low < parameter.high < math.inf:
        raise NobiError(f"--vary needs name=low:high, as in rave=500:6000, not {text!r}.")
    return parameter


def spec_with(spec: str, parameters: Sequence[Parameter], values: "NDArray[np.floating]") -> str:
    """Return the spec with the settings that correspond to the trainer's numbers."""
    name, settings = parse_spec(spec)
    settings |= {parameter.name: parameter.text(float(x)) for parameter, x in zip(parameters, values, strict=True)}
    return f"{name}:{','.join(f'{key}={value}' for key, value in settings.items())}"
