"""M15 section 5.2: networks that play: depth, the rank as an input, and several opponents."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from nobi.errors import NobiError
from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import Interval, difference_of_shares
from nobi.studies import ENGINES
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.m15.prediction import Depth, Rank, Shape, shape_text
from nobi.studies.match_jobs import (
    PAPERS_LEVEL,
    PASSES,
    Contestant,
    EngineMatch,
    Playing,
    Standing,
    contest_conditions,
    gnugo,
    in_percent,
    match_with,
    network_of,
    remarks,
    repeatable,
    stand_in,
    standing_of,
)
from nobi.studies.resources import GNUGO, Strength
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, mean_text, verdict_of_all
from nobi.studies.training_jobs import Imitation

BOARD = (19,)
DEPTH_WINS = {(3, 16): 3.4, (3, 128): 61.8, (6, 128): 84.4, (10, 128): 94.7, (12, 128): 97.2}
"""(layers, filters) → games won against GNU Go, %."""
RANK_WINS = {1: 49.2, 5: 60.1, 9: 67.9}
"""Dan → games won against a network that is not told the rank, %."""
OPPONENTS = {
    # engine, its playouts a move → games won by the network of 12 layers, %
    (GNUGO, 0): 97.2,
    ("mogo", 100_000): 45.9,
    ("pachi", 100_000): 11.0,
    ("fuego", 100_000): 12.5,
    ("pachi", 10_000): 47.4,
    ("fuego", 10_000): 23.3,
}
SAME_NETWORK = "Games won, with 95 % intervals; the paper's where the network is the same."
SOME_MOVES = 4
"""Random ones, with which two networks begin that leave nothing to chance."""


class M15Games(Study):
    """The networks of M15, as players."""

    group = "m15-games"
    roles: ClassVar = {"kgs": BOARD}

    def depth(self) -> Depth:
        """The study that trains networks of several depths."""
        return Depth(self.scale, self.seed, self.records)

    def training(self) -> dict[str, str]:
        """What the networks have learnt from."""
        count = self.records["kgs"].count("train", BOARD)
        return {
            "networks": "those of m15-depth, with all 36 planes, told that they play as 9 dan",
            "training": self.depth().learning().in_words(count),
            "move": PASSES,
        }


class DepthWins(M15Games):
    """Strength by depth and width."""

    name = "m15-depth-wins"
    title = "M15 section 5.2: games that deeper and wider networks win against GNU Go"
    paper = "M15 section 5.2"
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": Playing(2, longest=20),
        "quick": Playing(2, level=1, longest=30),
        "day": Playing(20, level=1),
        "paper": Playing(400),
    }

    def opponent(self) -> Contestant:
        """GNU Go."""
        return stand_in() if self.scale == "tiny" else gnugo(self.engines, self.settings.level)

    def match(self, shape: Shape) -> EngineMatch:
        """A network against it."""
        player = network_of(self.depth().run(*shape), shape_text(shape))
        return match_with(player, self.opponent(), self.settings, self.seed)

    def conditions(self) -> dict[str, str]:
        """Networks and games."""
        opponent = self.opponent()
        referee = "GNU Go" if opponent.engine else "nobi"
        return {
            "opponent": str(opponent),
            **contest_conditions(self.settings, referee=referee),
            **self.training(),
            "chance": repeatable(opponent),
        }

    def jobs(self) -> Sequence[Job]:
        """The networks, and their matches."""
        depth = self.depth()
        shapes = depth.settings.shapes
        return [*(depth.run(*shape) for shape in shapes), *(self.match(shape) for shape in shapes)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Games won by each network."""
        depth = self.depth()
        rows, bars, found = [], [], {}
        for shape in depth.settings.shapes:
            standing = found[shape] = standing_of(cache.arrays(self.match(shape)))
            won = in_percent(standing.share)
            labels = {"network": shape_text(shape), "games": str(standing.games)}
            rows.append(Row(labels, "games won, %", won, DEPTH_WINS.get(shape), neutral=50.0))
            bars.append(PaperComparison(shape_text(shape), won, DEPTH_WINS.get(shape)))
        claims = []
        for spec, chain in depth.chains().items():
            gaps = {(a, b): _gap(found[b], found[a]) for a, b in pairwise(chain)}
            claims.append(
                Claim(
                    f"{spec} networks win more games.",
                    verdict_of_all(gaps.values()),
                    "; ".join(
                        f"{shape_text(b)} minus {shape_text(a)}: {mean_text(gap)}" for (a, b), gap in gaps.items()
                    ),
                )
            )
        compare_with_paper(bars, folder / f"{self.name}.png", f"Games won against {self.opponent()}", "games won, %")
        picture = Picture(f"{self.name}.png", SAME_NETWORK)
        by_shape = {shape_text(shape): standing for shape, standing in found.items()}
        notes = remarks(by_shape, self.settings.level)
        return Findings([Table("Games won", rows)], claims, [picture], notes)


class RankWins(M15Games):
    """A network that is told whom to imitate."""

    name = "m15-rank-wins"
    title = "M15 section 5.2: games that a network wins when it plays as 1, 5 and 9 dan"
    paper = "M15 section 5.2"
    scales: ClassVar = {
        "tiny": Playing(2, longest=20),
        "quick": Playing(6),
        "day": Playing(200),
        "paper": Playing(1000),
    }

    def run(self, *, rank: bool) -> Imitation:
        """The network with or without the planes of the rank."""
        return Rank(self.scale, self.seed, self.records).run(rank=rank)

    def match(self, dan: int) -> EngineMatch:
        """The network as a player of this rank against the one that is not told."""
        s = self.settings
        told = network_of(self.run(rank=True), f"as {dan} dan", f"rank={dan}")
        other = network_of(self.run(rank=False), "without the rank")
        game = "go:komi=7.5"
        return EngineMatch(told, other, game, 19, s.games, self.seed, None, SOME_MOVES, s.longest)

    def conditions(self) -> dict[str, str]:
        """Networks and games."""
        return {
            "opponent": f"a network of {shape_text(Rank.scales[self.scale].shapes[0])} without the planes of the rank",
            **contest_conditions(self.settings),
            "beginning": f"{SOME_MOVES} random moves, the same in two games, with colours exchanged",
            **self.training(),
            "networks": "those of m15-rank, with the planes of the rank and without",
            "chance": "every game depends on the seed and its number alone, where torch rounds alike",
        }

    def jobs(self) -> Sequence[Job]:
        """Both networks, and the matches."""
        return [self.run(rank=True), self.run(rank=False), *(self.match(dan) for dan in RANK_WINS)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Games won as each rank."""
        rows, bars, found = [], [], {}
        for dan, paper in RANK_WINS.items():
            standing = found[dan] = standing_of(cache.arrays(self.match(dan)))
            won = in_percent(standing.share)
            rows.append(Row({"plays as": f"{dan} dan", "games": str(standing.games)}, "games won, %", won, paper, 50.0))
            bars.append(PaperComparison(f"as {dan} dan", won, paper))
        gaps = {(a, b): _gap(found[b], found[a]) for a, b in pairwise(RANK_WINS)}
        claim = Claim(
            "The network plays better when it is asked to imitate a stronger player.",
            verdict_of_all(gaps.values()),
            "; ".join(f"{b} dan minus {a} dan: {mean_text(gap)}" for (a, b), gap in gaps.items()),
        )
        compare_with_paper(
            bars, folder / f"{self.name}.png", "Games won against a network that does not know the rank", "games won, %"
        )
        picture = Picture(f"{self.name}.png", "Games won, with 95 % intervals, beside the paper's.")
        notes = remarks({f"{dan} dan": standing for dan, standing in found.items()})
        return Findings([Table("Games won", rows)], [claim], [picture], notes)


@dataclass(frozen=True)
class Several(Playing):
    """Games against several engines."""

    playouts: tuple[int, ...] = ()
    """Of the engines that make some, a move."""


class Opponents(M15Games):
    """The deepest network against several programs."""

    name = "m15-opponents"
    title = "M15 section 5.2: games that the deepest network wins against other programs"
    paper = "M15 section 5.2"
    plays_against = tuple(dict.fromkeys(engine for engine, _ in OPPONENTS))
    scales: ClassVar = {
        "tiny": Several(2, longest=20),
        "quick": Several(2, level=1, longest=30),
        "day": Several(20, level=1, playouts=(10_000,)),
        "paper": Several(200, playouts=(10_000, 100_000)),
    }

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.met():
            raise NobiError(
                f"The study {self.name!r} has no row at the scale {self.scale!r} for the engines that are there; "
                f"install GNU Go, or name more with --engine."
            )

    def shape(self) -> Shape:
        """The deepest network of m15-depth."""
        return max(self.depth().settings.shapes)

    def met(self) -> dict[tuple[str, int], Contestant]:
        """The programs that are there, by the paper's rows."""
        if self.scale == "tiny":
            return {(GNUGO, 0): stand_in()}
        found = {}
        for engine, playouts in OPPONENTS:
            if engine not in self.engines or (playouts and playouts not in self.settings.playouts):
                continue
            found[engine, playouts] = (
                gnugo(self.engines, self.settings.level)
                if engine == GNUGO
                else Contestant(engine=self.engines[engine], strength=Strength(playouts=playouts, rules="chinese"))
            )
        return found

    def match(self, opponent: Contestant) -> EngineMatch:
        """The network against one of them."""
        player = network_of(self.depth().run(*self.shape()), shape_text(self.shape()))
        return match_with(player, opponent, self.settings, self.seed)

    def conditions(self) -> dict[str, str]:
        """Network and games."""
        return {
            "opponents": "; ".join(map(str, self.met().values())),
            **contest_conditions(self.settings, referee="the opponent, if it is an engine, else nobi"),
            **self.training(),
            "networks": f"{shape_text(self.shape())} filters, of m15-depth, told that it plays as 9 dan",
            "chance": "; ".join(dict.fromkeys(repeatable(opponent) for opponent in self.met().values())),
        }

    def jobs(self) -> Sequence[Job]:
        """The network, and its matches."""
        return [self.depth().run(*self.shape()), *(self.match(opponent) for opponent in self.met().values())]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Games won against each."""
        same = self.shape() == max(DEPTH_WINS)
        rows, bars, found = [], [], {}
        for key, opponent in self.met().items():
            standing = found[str(opponent)] = standing_of(cache.arrays(self.match(opponent)))
            won = in_percent(standing.share)
            labels = {"opponent": str(opponent), "network": shape_text(self.shape()), "games": str(standing.games)}
            paper = OPPONENTS[key] if same else None  # a smaller network is no measure of the paper's
            rows.append(Row(labels, "games won, %", won, paper, neutral=50.0))
            bars.append(PaperComparison(str(opponent), won, paper))
        missing = [name for name in self.plays_against if name not in self.engines]
        notes = remarks(found, self.settings.level if GNUGO in self.engines else PAPERS_LEVEL)
        if missing and self.scale != "tiny":
            names = " and ".join(ENGINES[name] for name in missing)
            notes.append(f"Rows against {names} are left out: no command was given for them (--engine NAME=COMMAND).")
        network = f"the network of {shape_text(self.shape())} filters"
        if len(bars) == 1:  # one point is no chart
            [one] = bars
            return Findings([Table("Games won", rows)], notes=[_sentence(network, one), *notes])
        compare_with_paper(bars, folder / f"{self.name}.png", f"Games won by {network}", "games won, %")
        picture = Picture(f"{self.name}.png", SAME_NETWORK)
        return Findings([Table("Games won", rows)], [], [picture], notes)


def _sentence(network: str, one: PaperComparison) -> str:
    """What a chart of one case would show."""
    won = f"{one.ours.value:.0f} % of its games (95 % interval {one.ours.low:.0f} to {one.ours.high:.0f} %)"
    paper = "" if one.paper is None else f"; the paper's wins {one.paper:g} %"
    return f"{network[0].upper()}{network[1:]} wins {won} against {one.label}{paper}."


def _gap(one: Standing, other: Standing) -> Interval:
    return difference_of_shares(one.points, one.games, other.points, other.games)
