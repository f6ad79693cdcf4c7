"""Matches as pieces of work: so many games between two players or engines, kept game by game.

MERGED studies/contests.py: What studies that play matches share: opponents, matches with a referee, conditions, percentages, remarks.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from nobi import games
from nobi.games.base import Variant
from nobi.matches.folder import GameResult, MatchFolder, without_repetitions
from nobi.matches.openings import Opening, random_opening
from nobi.matches.series import Entrant, Series, SeriesSettings, pairings, remaining, result_saver
from nobi.statistics import Interval, share_interval
from nobi.streams import stream_of
from nobi.studies.jobs import Arrays, Job
from nobi.studies.resources import GNUGO, Engine, Strength, command_of
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from pathlib import Path

    from nobi.studies.cache import JobCache


MODEL = "MODEL"
"""Stands in a player's word for the file of its network."""
ANSWER_SECONDS = 600.0
"""How long an engine may take for a move without a clock."""
_PLAYOUTS_PER_SECOND = 2e6
"""Of a search, times the points of the board, very roughly: for time left."""
_GNUGO_SECONDS = 2e-3
"""For a move, times the points of the board and a tenth of its level."""


class Trained(Protocol):
    """A piece of work that leaves the file of a network."""

    @property
    def name(self) -> str:
        """A name that no other piece has."""

    def model(self, cache: "JobCache") -> "Path":
        """The file; the piece must be made already."""


@dataclass(frozen=True)
class Contestant:
    """Who plays: one of our players, with or without a network that a study has trained, or an engine."""

    spec: str = ""
    """The player's, in which MODEL stands for the file of the network."""
    network: Trained | None = None
    engine: Engine | None = None
    strength: Strength = field(default_factory=Strength)
    """Of the engine."""
    title: str = ""
    """What records of games call it."""

    def identity(self) -> dict[str, object]:
        """All that its play depends on: the network by the name of its piece, the engine by what it calls itself."""
        if self.engine:
            return {"engine": dataclasses.asdict(self.engine), "strength": dataclasses.asdict(self.strength)}
        return {"word": self.spec, "network": self.network.name if self.network else ""}

    def entrant_word(self, cache: "JobCache", folder: "Path") -> str:
        """The word by which `nobi.matches` knows it."""
        if self.engine:
            return f"gtp:{command_of(self.engine.name, cache.command(self.engine.name), self.strength, folder)}"
        return self.spec.replace(MODEL, str(self.network.model(cache))) if self.network else self.spec

    def __str__(self) -> str:
        if self.engine:
            return " ".join(filter(None, [self.engine.title, self.strength.words().replace(",", "")]))
        return self.title or self.spec

    def seconds_a_move(self, size: int) -> float:
        """About how long it thinks."""
        if self.strength.seconds:
            return self.strength.seconds
        playouts = self.strength.playouts
        if self.engine and self.engine.name == GNUGO:
            return _GNUGO_SECONDS * size**2 * max(1, self.strength.level) / 10
        for part in self.spec.partition(":")[2].split(","):
            if part.startswith("rollouts="):
                playouts = int(part.removeprefix("rollouts="))
        return playouts * size**2 / _PLAYOUTS_PER_SECOND + (0.02 if self.network else 0.001)


@dataclass(frozen=True)
class EngineMatch(Job):
    """A match, colours by turns.

    [game] each: `points` that A made, NaN for a game without result, `black` whether A had black, `repeated` whether it
    went move for move like an earlier one, `forfeited`, `moves` how many.

    It is a pure function of its settings for our own players that search with one thread and do not look at a clock,
    and for engines that can be given a seed by GTP (`set_random_seed`, as GNU Go); other engines play other games each
    time.
    """

    kind = "match"
    a: Contestant
    b: Contestant
    game: str
    size: int
    games: int
    seed: int
    referee: Contestant | None = None
    """An engine that counts; nobi itself if there is none."""
    random_moves: int = 0
    """With which games begin, the same in two games, with colours exchanged: for players that leave nothing to
    chance."""
    longest: int = 0
    """Moves after which a game is stopped and counted; 0 for those of the rules."""

    @property
    def description(self) -> str:
        """Players by what they are, not by where they lie."""
        own = {name: getattr(self, name) for name in ("game", "size", "games", "seed", "random_moves")}
        if self.longest:
            own["longest"] = self.longest
        people = {"a": self.a.identity(), "b": self.b.identity()}
        if self.referee:
            people["referee"] = self.referee.identity()
        return json.dumps({"kind": self.kind, **own, **people}, sort_keys=True)

    @property
    def label(self) -> str:
        """A few words for people."""
        words = f"match {self.a} against {self.b} {self.size}"
        return "".join(letter if letter.isalnum() or letter in " .-+_:=," else "" for letter in words)

    @property
    def cost(self) -> float:
        """Seconds, roughly."""
        moves = min(0.4 * self.size**2, (self.longest or 3 * self.size**2) / 2)
        thinking = self.a.seconds_a_move(self.size) + self.b.seconds_a_move(self.size)
        return self.games * (moves * thinking + 0.5)

    def make(self, cache: "JobCache", progress: Callable[[float], None]) -> Arrays:
        """Plays, or goes on playing."""
        variant = games.variant(self.game, self.size)
        folder = cache.run_folder(self.name)
        entrants = [
            Entrant(who.entrant_word(cache, folder), variant, self._seed(i), ANSWER_SECONDS, str(who))
            for i, who in enumerate((self.a, self.b))
        ]
        referee = self.referee.entrant_word(cache, folder).removeprefix("gtp:") if self.referee else ""
        clock = max(self.a.strength.seconds, self.b.strength.seconds)
        # games by the clock are played one at a time: else the players would take each other's time
        parallel = 1 if clock else min(cache.threads or usable_threads(), self.games)
        settings = SeriesSettings(variant, referee, clock or None, ANSWER_SECONDS, parallel, longest=self.longest)
        if self.a.network or self.b.network:
            _use_one_thread()
        with Series(settings, entrants) as series:
            kept = MatchFolder(folder, {"piece": self.description}, resume=True)
            records = kept.load()

            def tell() -> None:
                progress(len(records) / self.games)

            tell()
            schedule = remaining(pairings(2, self.games), records)
            series.play(schedule, self._opening(variant), result_saver(records, kept, tell))
        return arrays_of(records)

    def _seed(self, player: int) -> int:
        """Other random numbers for each player."""
        return int(stream_of(self.seed, player)) >> 1

    def _opening(self, variant: Variant) -> Callable[[int], Opening]:
        if not self.random_moves:
            return lambda _: Opening()
        return cache(lambda number: random_opening(variant, self.random_moves, self.seed, number))


@dataclass(frozen=True)
class Standing:
    """How a match ended."""

    games: int
    """That count: repeated ones, those without result and those that B forfeited are left out."""
    points: float
    share: Interval
    """Of the points that A made, draws counting half, with Wilson's interval."""
    repeated: int
    forfeited: int
    """By A, and lost."""
    given_away: int
    """Forfeited by B: a program that crashes is not beaten (GNU Go 3.8 does, reading some ladders across 19x19)."""
    void: int

    def words(self) -> str:
        """`93 of 200 games`."""
        return f"{self.points:g} of {self.games} games"


def standing_of(arrays: Arrays) -> Standing:
    """What the arrays of a match come to."""
    given_away = arrays["forfeited"] & (arrays["points"] == 1)
    counts = ~arrays["repeated"] & ~np.isnan(arrays["points"]) & ~given_away
    points = float(arrays["points"][counts].sum())
    return Standing(
        games=int(counts.sum()),
        points=points,
        share=share_interval(points, int(counts.sum())),
        repeated=int(arrays["repeated"].sum()),
        forfeited=int((arrays["forfeited"] & ~given_away).sum()),
        given_away=int(given_away.sum()),
        void=int((np.isnan(arrays["points"]) & ~arrays["repeated"]).sum()),
    )


def arrays_of(records: list[GameResult]) -> Arrays:
    """The records of a match as arrays, [game] in the order of their numbers."""
    records = sorted(records, key=lambda record: record.game)
    new = {record.game for record in without_repetitions(records)[0]}
    made = [record.points(0) for record in records]
    return {
        "points": np.array([np.nan if points is None else points for points in made], np.float64),
        "black": np.array([record.black == 0 for record in records]),
        "repeated": np.array([record.game not in new for record in records]),
        "forfeited": np.array([record.forfeited for record in records]),
        "moves": np.array([len(record.moves) for record in records], np.int32),
    }


def _use_one_thread() -> None:
    """Has torch sum with one thread, in the same order for any number of games at once."""
    from nobi.imitation.step import use_threads

    use_threads(1, 1)


RULES = {"chinese": "go:komi=7.5", "japanese": "go:komi=6.5,scoring=territory,ko=simple"}
"""The games of Go that engines play by these rules."""

PAPERS_LEVEL = 10
"""GNU Go's strongest, in both papers. On 19x19 it takes about five times as long as level 1."""


@dataclass(frozen=True)
class Playing:
    """How much is played."""

    games: int
    """Of each match."""
    level: int = PAPERS_LEVEL
    """GNU Go's."""
    longest: int = 0
    """Moves after which a game is stopped and counted; 0 for no such limit."""


def stand_in(name: str = "playout") -> Contestant:
    """Who plays for every engine at the scale `tiny`, which needs none."""
    return Contestant(name, title=f"{name}, instead of an engine")


def gnugo(engines: Mapping[str, Engine], level: int, rules: str = "chinese") -> Contestant:
    """GNU Go."""
    return Contestant(engine=engines[GNUGO], strength=Strength(level=level, rules=rules))


def network_of(run: Trained, title: str, settings: str = "") -> Contestant:
    """A trained network that plays by its policy alone; `settings` are those of the player."""
    return Contestant(f"{MODEL}:{settings}" if settings else MODEL, run, title=title)


def match_with(
    a: Contestant, b: Contestant, playing: Playing, seed: int, size: int = 19, rules: str = "chinese"
) -> EngineMatch:
    """A match in which B counts if it is an engine, as in C14, else nobi."""
    referee = b if b.engine else None
    return EngineMatch(a, b, RULES[rules], size, playing.games, seed, referee, longest=playing.longest)


def in_percent(share: Interval) -> Interval:
    """A share as a percentage."""
    return Interval(100 * share.value, 100 * share.low, 100 * share.high)


def contest_conditions(
    playing: Playing,
    size: int = 19,
    rules: str = "Chinese rules, komi 7.5",
    referee: str = "nobi",
    exceptions: str = "",
) -> dict[str, str]:
    """How the games are played, and by whom they are counted; `exceptions` are matches of more or fewer games."""
    stopped = f"; stopped after {playing.longest} moves" if playing.longest else ""
    return {
        "games": f"{playing.games} of each match{exceptions} on {size}x{size}, colours by turns{stopped}; "
        "those that repeat an earlier one are left out",
        "rules": f"{rules}; counted by {referee}",
        "intervals": "Wilson's, draws counting half",
    }


PASSES = (
    "the likeliest legal move, but none that fills an own eye; it passes when the opponent has passed, as in C14, and "
    "never resigns"
)
"""How a network plays by its policy."""


def repeatable(opponent: Contestant) -> str:
    """Whether the same command plays the same games again."""
    if opponent.engine is None:
        return "every game depends on the seed and its number alone"
    if opponent.engine.name == GNUGO:
        return "GNU Go gets a seed for every game (set_random_seed): the same command plays the same games again"
    return f"{opponent.engine.title} draws its own random numbers: other games each time"


def remarks(matches: Mapping[str, Standing], level: int = PAPERS_LEVEL) -> list[str]:
    """What is to be said of a weaker opponent, and of games that do not count, or count by default."""
    found = []
    if level != PAPERS_LEVEL:
        found.append(f"GNU Go played at level {level} here, and at level {PAPERS_LEVEL} in the paper.")
    for label, standing in matches.items():
        reasons = {
            "left out, since earlier ones were the same": standing.repeated,
            "without a result, since the referee failed": standing.void,
            "forfeited, and counted as lost": standing.forfeited,
            "left out, since the opponent's program failed": standing.given_away,
        }
        parts = [f"{count} {'was' if count == 1 else 'were'} {words}" for words, count in reasons.items() if count]
        if parts:
            found.append(f"{label}: of the games {', '.join(parts)}.")
    return found
