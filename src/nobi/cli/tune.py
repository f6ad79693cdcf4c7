"""`nobi tune`: test by games whether a change makes a player stronger, or optimise settings."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import tyro

from nobi.cli.base import Result, joined, plain, plain_table, settings_among
from nobi.cli.progress import progress_bar
from nobi.cli.series import OWN_PLAYER_HELP, SeriesFlags
from nobi.errors import NobiError
from nobi.matches.settings import SeriesSettings, SprtSettings
from nobi.spec import parse_spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nobi.matches.folder import GameResult
    from nobi.matches.series import Pairing
    from nobi.matches.sprt import Sprt
    from nobi.workers import Executor

_ACCEPTED = {1: "elo1 is accepted", -1: "elo0 is accepted", 0: "undecided"}

_LOGARITHMIC = 10.0
"""Minimum ratio of the bounds of a parameter that is varied on a logarithmic scale."""
_DIGITS = 4
"""Significant digits of a value in a spec."""


@dataclass(frozen=True)
class Tune(SeriesFlags, SprtSettings):
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
    """Begin with this many random moves, the same in two games, with colours exchanged; none with --handicap or
    --openings."""
    threads: int = 0
    """Number of games played at the same time; 0: one per core. The threads of a search are a setting of the player, as
    in 'mcts:threads=2'."""
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

    def __post_init__(self) -> None:
        if self.handicap or self.openings:
            object.__setattr__(self, "random_moves", 0)
        SeriesSettings.__post_init__(self)
        SprtSettings.__post_init__(self)

    def check(self) -> None:
        super().check()
        if bool(self.b) == bool(self.vary):
            raise NobiError(
                "Give two players to test, or one player and --vary NAME=LOW:HIGH to optimise its settings."
            )
        self.require(1, "generations")
        self.require(2, "max_games", "candidate_games")

    def execute(self) -> Result:
        with self.series_executor() as executor:
            return self._optimise(executor) if self.vary else self._test(executor)

    def series_executor(self) -> "Executor":
        return self.new_executor()

    def _stored(self) -> dict[str, Any]:
        """Return the settings to store in the folder besides those of the series."""
        names = ("a", "b", "elo0", "elo1", "alpha", "beta", "vary", "candidates", "candidate_games")
        return {name: getattr(self, name) for name in names}

    # --- the test of two players ------------------------------------------------------------------------------------

    def _test(self, executor: "Executor") -> Result:
        from nobi.matches.series import pairings
        from nobi.matches.sprt import Sprt

        sprt, specs, interrupted = settings_among(self, Sprt), [self.a, self.b], ""
        with (
            self.open_series(specs, self.game, self.size, executor, self._stored(), self.folder) as series,
            progress_bar("games", self.max_games, note=True) as bar,
        ):
            results = series.results

            def decided() -> bool:
                return sprt.decision(_pairs(results))[0] != 0

            def update() -> None:
                bar(len(results), joined(_note(sprt, results), executor.describe()))

            update()
            try:
                if not decided():
                    series.play(pairings(2, self.max_games), update, decided)
            except KeyboardInterrupt:
                if not results:
                    raise
                interrupted = f"after {len(results)} games"
        summary = _sprt_summary(sprt, results)
        document = {"settings": asdict(self), **summary}
        if self.log:
            _append(self.log, document)
        low, high = sprt.bounds
        report = [
            f"A = {self.a} against B = {self.b}: {self.game}, {self.size}x{self.size}",
            f"{summary['games']} games in mirrored pairs: A won {100 * summary['share'].value:.1f} % of the points.",
            f"Elo difference A − B: {summary['elo'].text('+.0f')}, 95 % interval.",
            f"Log-likelihood ratio {summary['llr']:.2f} of {low:.2f} to {high:.2f} for elo0 = {self.elo0:g}, "
            f"elo1 = {self.elo1:g}: {_ACCEPTED[summary['accepted']]}.",
        ]
        return Result(document, report, interrupted)

    # --- optimisation -----------------------------------------------------------------------------------------------

    def _optimise(self, executor: "Executor") -> Result:
        import numpy as np

        from nobi.trainers.cmaes import Cmaes, CmaesSettings

        parameters = [parse_parameter(text) for text in self.vary]
        trainer = Cmaes(CmaesSettings(sigma=0.5, candidates=self.candidates), len(parameters), self.seed)
        history: list[dict[str, Any]] = []
        interrupted = ""
        with progress_bar("generations", self.generations, note=True) as bar:
            for generation in range(self.generations):
                specs = [spec_with(self.a, parameters, values) for values in trainer.ask()]
                try:
                    shares = self._measure(specs, generation, executor)
                except KeyboardInterrupt:
                    interrupted = f"after {generation} of {self.generations} generations"
                    break
                trainer.tell(np.array(shares))
                mean = spec_with(self.a, parameters, trainer.mean)
                shares_of = dict(zip(specs, shares, strict=True))
                history.append({"generation": generation + 1, "shares": shares_of, "mean": mean})
                bar(generation + 1, joined(f"best {max(shares):.3f}, mean {mean}", executor.describe()))
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

    def _measure(self, specs: Sequence[str], generation: int, executor: "Executor") -> list[float]:
        """Return the share of the points of each candidate against A."""
        folder = self.folder / f"generation-{generation + 1:04d}" if self.folder else None
        players = [self.a, *specs]
        with self.open_series(players, self.game, self.size, executor, self._stored(), folder) as series:
            series.play(_against_first(len(specs), self.candidate_games, generation))
        return [_share(series.results, player) for player in range(1, len(players))]


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


def _share(results: "Sequence[GameResult]", player: int) -> float:
    points = [made for result in results if player in (result.black, result.white) for made in [result.points(player)]]
    known = [made for made in points if made is not None]
    return sum(known) / len(known) if known else 0.5


def _pairs(results: "Sequence[GameResult]") -> Any:
    from nobi.matches.folder import pair_points

    return pair_points(results, 0)


def _sprt_summary(sprt: "Sprt", results: "Sequence[GameResult]") -> dict[str, Any]:
    from nobi.statistics import mean_interval, pair_elo

    pairs = _pairs(results)
    accepted, used = sprt.decision(pairs)
    ratios = sprt.log_likelihood_ratios(pairs)
    return {
        "games": 2 * len(pairs),
        "share": mean_interval(pairs),
        "elo": pair_elo(pairs),
        "llr": float(ratios[used - 1]) if used else 0.0,
        "accepted": accepted,
    }


def _note(sprt: "Sprt", results: "Sequence[GameResult]") -> str:
    """Return the state of the test for the display of progress."""
    summary = _sprt_summary(sprt, results)
    low, high = sprt.bounds
    return f"Elo {summary['elo'].text('+.0f')}, log-likelihood ratio {summary['llr']:.2f} ({low:.2f} to {high:.2f})"


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
