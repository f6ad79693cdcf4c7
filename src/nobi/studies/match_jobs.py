"""Matches as jobs: games between two players or engines, stored one by one, and the report of their results."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nobi import games
from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.matches.folder import GameResult, MatchFolder, without_repetitions
from nobi.matches.series import Entrant, Series, pairings
from nobi.matches.settings import SeriesSettings
from nobi.statistics import Interval, share_interval
from nobi.streams import derive_seed
from nobi.studies import ENGINES
from nobi.studies.jobs import Arrays, Job, Progress
from nobi.studies.resources import GNUGO, Engine, Strength, engine_command
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table
from nobi.studies.training_jobs import MAIN, ImitationJob, ShippedNetwork
from nobi.workers import ThreadExecutor, usable_threads

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache

MODEL = "MODEL"
"""The placeholder in a player's spec for the file of its network."""
ANSWER_SECONDS = 600.0
"""The time limit of an engine for a move without a clock."""
RULES = {"chinese": "go:komi=7.5", "japanese": "go:komi=6.5,scoring=territory,ko=simple"}
HOPELESS = 0.05
"""A match with trial games ends early if the share of the points is lower."""
PAPER_LEVEL = 10
"""The level of GNU Go in both papers, its strongest. On 19x19 it takes about five times as long as level 1."""
RANDOM_MOVES = 4
"""At the start of games between two networks, which are deterministic."""
NETWORK_MOVES = (
    "the most probable legal move, but none that fills an own eye; it passes when the opponent has passed, as in C14, "
    "and never resigns"
)


@dataclass(frozen=True)
class MatchPlayer:
    """A player of nobi, with or without a network trained by a study, or an engine."""

    spec: str = ""
    """The spec of a player of nobi, in which MODEL is replaced by the file of the network."""
    network: ImitationJob | ShippedNetwork | None = None
    engine: Engine | None = None
    strength: Strength = field(default_factory=Strength)
    """The strength of the engine."""
    title: str = ""
    """The name in game records."""

    def identity(self) -> dict[str, object]:
        """Return everything that the moves depend on; it is part of job descriptions, so the keys are fixed."""
        if self.engine:
            return {"engine": dataclasses.asdict(self.engine), "strength": dataclasses.asdict(self.strength)}
        return {"word": self.spec, "network": self.network.name if self.network else ""}

    def entrant_spec(self, cache: "JobCache", folder: Path) -> str:
        """Return the spec for `nobi.matches`."""
        if self.engine:
            return f"gtp:{engine_command(self.engine.name, cache.command(self.engine.name), self.strength, folder)}"
        return self.spec.replace(MODEL, str(self.network.model(cache))) if self.network else self.spec

    def __str__(self) -> str:
        if self.engine:
            return " ".join(filter(None, [self.engine.title, self.strength.describe().replace(",", "")]))
        return self.title or self.spec


@dataclass(frozen=True)
class MatchJob(Job):
    """A match with alternating colours.

    [game] each: `points` of A, NaN for a game without result; `black`, whether A had Black; `repeated`, whether the
    moves equal those of an earlier game; `forfeited`; `moves`, their number.

    The result is a deterministic function of the settings for our players that search with one thread and without a
    clock, and for engines that accept a seed by GTP (`set_random_seed`, as GNU Go does).
    """

    kind = "match"
    a: MatchPlayer
    b: MatchPlayer
    game: str
    size: int
    games: int
    seed: int
    referee: MatchPlayer | None = None
    """The engine that scores the games; None: nobi."""
    random_moves: int = 0
    """Random moves at the start, the same in two games with exchanged colours, for deterministic players."""
    longest: int = 0
    """The number of moves after which a game is stopped and scored; 0: the limit of the rules."""
    trial_games: int = 0
    """Number of games after which the match ends if A has less than HOPELESS of the points; 0: never."""

    def identity(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("game", "size", "games", "seed", "random_moves")}
        own |= {name: getattr(self, name) for name in ("longest", "trial_games") if getattr(self, name)}
        players = {"a": self.a.identity(), "b": self.b.identity()}
        if self.referee:
            players["referee"] = self.referee.identity()
        return {**own, **players}

    @property
    def label(self) -> str:
        text = f"match {self.a} against {self.b} {self.size}"
        return "".join(letter if letter.isalnum() or letter in " .-+_:=," else "" for letter in text)

    @property
    def dependencies(self) -> Sequence[Job]:
        return [player.network for player in (self.a, self.b) if isinstance(player.network, Job)]

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:
        variant = games.variant(self.game, self.size)
        folder = cache.run_folder(self)
        entrants = [
            Entrant(
                player.entrant_spec(cache, folder),
                variant,
                derive_seed(self.seed, number),
                ANSWER_SECONDS,
                str(player),
            )
            for number, player in enumerate((self.a, self.b))
        ]
        referee = self.referee.entrant_spec(cache, folder).removeprefix("gtp:") if self.referee else ""
        clock = max(self.a.strength.seconds, self.b.strength.seconds)
        # with a clock, one game at a time: parallel games would compete for processor time
        parallel = 1 if clock else min(cache.threads or usable_threads(), self.games)
        settings = SeriesSettings(
            self.seed, referee, random_moves=self.random_moves, seconds=clock or None, timeout=ANSWER_SECONDS
        )
        if self.a.network or self.b.network:
            from nobi.imitation.step import use_threads

            use_threads(1, 1)  # torch sums in the same order for any number of parallel games
        executor = ThreadExecutor(parallel) if cache.executor.local else cache.executor
        with Series(settings, entrants, executor, longest=self.longest) as series:
            series.use_folder(self._folder(cache))

            def report() -> None:
                progress(len(series.results) / self.games)

            report()
            schedule = pairings(2, self.games)
            for part in (schedule[: self.trial_games], schedule[self.trial_games :]):
                if not self._hopeless(series.results):
                    series.play(part, report)
        return match_arrays(series.results)

    def _hopeless(self, records: Sequence[GameResult]) -> bool:
        points = [record.points(0) or 0.0 for record in records if record.game < self.trial_games]
        return len(points) >= self.trial_games > 0 and sum(points) < HOPELESS * len(points)

    def records(self, cache: "JobCache") -> list[GameResult]:
        """Return the games that are stored in the folder of the match, in the order of their numbers."""
        return sorted(self._folder(cache).load(), key=lambda record: record.game)

    def _folder(self, cache: "JobCache") -> MatchFolder:
        settings = {"piece": self.description}  # the key is part of the file format
        return MatchFolder(cache.run_folder(self), settings, resume=True)


def match_arrays(records: list[GameResult]) -> Arrays:
    """Return the records of a match as arrays, [game] in the order of their numbers."""
    records = sorted(records, key=lambda record: record.game)
    new = {record.game for record in without_repetitions(records)[0]}
    points = [record.points(0) for record in records]
    return {
        "points": np.array([np.nan if made is None else made for made in points], np.float64),
        "black": np.array([record.black == 0 for record in records]),
        "repeated": np.array([record.game not in new for record in records]),
        "forfeited": np.array([record.forfeited for record in records]),
        "moves": np.array([len(record.moves) for record in records], np.int32),
    }


@dataclass(frozen=True)
class MatchResult:
    """The result of a match."""

    games: int
    """Number of counted games: without repeated games, games without result and those forfeited by B."""
    points: float
    share: Interval
    """A's share of the points, draws counting half, with Wilson's interval."""
    repeated: int
    forfeited: int
    """Number of games forfeited by A, which count as losses."""
    given_away: int
    """Number of games forfeited by B, which do not count as wins (GNU Go 3.8 crashes on some ladders across 19x19)."""
    void: int

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "MatchResult":
        """Return the result from the arrays of a match job."""
        given_away = arrays["forfeited"] & (arrays["points"] == 1)
        void = np.isnan(arrays["points"])
        counts = ~arrays["repeated"] & ~void & ~given_away
        points = float(arrays["points"][counts].sum())
        return cls(
            games=int(counts.sum()),
            points=points,
            share=share_interval(points, int(counts.sum())),
            repeated=int(arrays["repeated"].sum()),
            forfeited=int((arrays["forfeited"] & ~given_away).sum()),
            given_away=int(given_away.sum()),
            void=int((void & ~arrays["repeated"]).sum()),
        )

    def row(self, labels: dict[str, str], paper: Interval | float | None = None, neutral: float | None = None) -> "Row":
        """Return the row of the games won in percent, with their number."""
        return Row({**labels, "games": str(self.games)}, "games won, %", 100 * self.share, paper, neutral)

    def __str__(self) -> str:
        return f"{self.points:g} of {self.games} games"


@dataclass(frozen=True)
class MatchSettings:
    """The matches of a study."""

    games: int
    """Number of games of each match."""
    level: int = PAPER_LEVEL
    """GNU Go's level."""
    longest: int = 0
    """The number of moves after which a game is stopped and scored; 0: no limit."""
    seconds: float = 0.0
    """Seconds per move, for engines with a time limit."""
    playouts: tuple[int, ...] = ()
    """Playouts per move, for engines with a number of playouts."""
    trial_games: int = 0
    """Number of games after which a hopeless match ends; 0: never."""


def engine_player(study: Study, engine: str, strength: Strength) -> MatchPlayer:
    """Return an engine; at the scale `tiny`, which needs no engine, the player `playout`."""
    if study.scale == "tiny":
        return MatchPlayer("playout", title="playout, instead of an engine")
    return MatchPlayer(engine=study.engines[engine], strength=strength)


def gnugo_player(study: Study, level: int, rules: str = "chinese") -> MatchPlayer:
    """Return GNU Go by these rules; at the scale `tiny` our player `playout`."""
    return engine_player(study, GNUGO, Strength(level=level, rules=rules))


def network_player(run: ImitationJob | ShippedNetwork, title: str, settings: str = "") -> MatchPlayer:
    """Return a trained network that plays by its policy alone; `settings` are the settings of the player."""
    return MatchPlayer(f"{MODEL}:{settings}" if settings else MODEL, run, title=title)


def main_player() -> MatchPlayer:
    """Return `go-main`, which plays by its policy alone."""
    return network_player(MAIN, MAIN.net)


def main_claim(result: MatchResult, opponent: MatchPlayer) -> Claim:
    """Return the papers' claim for a network that was trained on millions of positions."""
    text = f"A network that does not search beats {opponent.engine.title if opponent.engine else opponent} (go-main)."
    return Claim.positive(text, {MAIN.net: result.share}, null=0.5)


def match_job(
    a: MatchPlayer, b: MatchPlayer, settings: MatchSettings, seed: int, size: int = 19, rules: str = "chinese"
) -> MatchJob:
    """Return a match that is scored by B if it is an engine, as in C14, else by nobi."""
    referee = b if b.engine else None
    return MatchJob(
        a,
        b,
        RULES[rules],
        size,
        settings.games,
        seed,
        referee,
        longest=settings.longest,
        trial_games=settings.trial_games,
    )


def networks_match(a: MatchPlayer, b: MatchPlayer, games: int, seed: int, size: int = 19, longest: int = 0) -> MatchJob:
    """Return a match of two networks, which begins with random moves; nobi scores it."""
    return MatchJob(a, b, RULES["chinese"], size, games, seed, random_moves=RANDOM_MOVES, longest=longest)


def match_conditions(
    settings: MatchSettings,
    opponents: Sequence[MatchPlayer],
    size: int = 19,
    rules: str = "Chinese rules, komi 7.5",
    exceptions: str = "",
) -> dict[str, str]:
    """Return the conditions of games and scoring; `exceptions` describes matches of another length."""
    stopped = f"; stopped after {settings.longest} moves" if settings.longest else ""
    trial = f" ({settings.trial_games} if below {100 * HOPELESS:g} % then)" if settings.trial_games else ""
    referees = dict.fromkeys(ENGINES[one.engine.name] if one.engine else "nobi" for one in opponents)
    return {
        "opponent" if len(opponents) == 1 else "opponents": "; ".join(map(str, opponents)),
        "games": f"{settings.games} of each match{exceptions}{trial} on {size}x{size}, alternating colours{stopped}; "
        "those that repeat an earlier one are left out",
        "rules": f"{rules}; scored by {' or '.join(referees)}",
        "intervals": "Wilson's, draws counting half",
        "reproducibility": "; ".join(dict.fromkeys(map(describe_reproducibility, opponents))),
    }


def describe_reproducibility(opponent: MatchPlayer) -> str:
    """Return text on whether the same command plays the same games again."""
    if opponent.engine is None:
        return "every game depends only on the seed and its number, if torch rounds equally"
    if opponent.engine.name == GNUGO:
        return "GNU Go gets a seed for every game (set_random_seed): the same command plays the same games again"
    return f"{opponent.engine.title} uses random numbers of its own: the games differ each time"


def match_notes(results: Mapping[str, MatchResult], level: int = PAPER_LEVEL) -> list[str]:
    """Return notes on a weaker level of GNU Go, and on omitted and forfeited games."""
    notes = []
    if level != PAPER_LEVEL:
        notes.append(
            f"GNU Go played at level {level} here, and at level {PAPER_LEVEL} in the paper; the paper's numbers are "
            "therefore not compared with ours."
        )
    for label, result in results.items():
        reasons = {
            "left out as repetitions of earlier games": result.repeated,
            "without a result because the referee failed": result.void,
            "forfeited and counted as lost": result.forfeited,
            "left out because the opponent's program failed": result.given_away,
        }
        parts = [f"{count} {'was' if count == 1 else 'were'} {reason}" for reason, count in reasons.items() if count]
        if parts:
            notes.append(f"{label}: of the games {', '.join(parts)}.")
    return notes


@dataclass(frozen=True)
class MatchCase:
    """A match in a table of matches."""

    label: str
    """The label in the figure and the notes."""
    labels: dict[str, str]
    """The labels in the table."""
    result: MatchResult
    paper: Interval | float | None
    """The paper's number, in the unit of the table."""


def match_findings(
    study: Study,
    cases: Sequence[MatchCase],
    claims: list[Claim],
    title: str,
    out: Path,
    *,
    percent: bool = True,
    level: int = PAPER_LEVEL,
) -> Findings:
    """Return table and figure of the games won in several matches, in percent or as shares."""
    rows, bars = [], []
    for case in cases:
        compared, shown = case.paper if level == PAPER_LEVEL else None, case.paper
        if percent:
            rows.append(case.result.row(case.labels, compared, 50.0))
        else:
            labels = {**case.labels, "games": str(case.result.games)}
            rows.append(Row(labels, "games won", case.result.share, compared, 0.5))
            shown = None if case.paper is None else 100.0 * case.paper
        bars.append(PaperComparison(case.label, 100 * case.result.share, shown))
    notes = match_notes({case.label: case.result for case in cases}, level)
    findings = Findings([Table("Games won", rows)], claims, notes=notes)
    if len(cases) > 1:
        compare_with_paper(bars, out / study.figure, title, "games won, %")
        caption = "Games won, with 95 % intervals; the paper's where the network is the same."
        findings.pictures.append(Picture(study.figure, caption))
    return findings
