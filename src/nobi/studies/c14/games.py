"""C14 section 4.3: networks that play, against GNU Go (table 4) and Fuego (table 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.studies.c14.ablation import NONE
from nobi.studies.c14.ablation import Table1 as Small
from nobi.studies.c14.prediction import Table3 as Large
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.match_jobs import (
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
from nobi.studies.resources import Strength
from nobi.studies.study import Claim, Findings, Picture, Row, Study, Table, beyond_half, mean_text, verdict_of_all
from nobi.studies.training_jobs import Imitation

BOARD = (19,)
KGS, PRO, SMALL = "KGS", "professionals", "professionals, small network"
TABLE_4 = {
    # network → share won against GNU Go by Chinese and by Japanese rules
    KGS: {"chinese": 0.86, "japanese": 0.85},
    PRO: {"chinese": 0.87, "japanese": 0.91},
    SMALL: {"chinese": 0.71, "japanese": 0.67},
}
TABLE_5 = {KGS: 0.12, PRO: 0.14}
"""Against Fuego 1.1 with 10 seconds a move."""


@dataclass(frozen=True)
class Timed(Playing):
    """Games with a time for each move."""

    seconds: float = 10.0


class NetworkGames(Study):
    """The networks of C14, against an engine."""

    group = "c14-games"
    roles: ClassVar = {"pro": BOARD, "kgs": BOARD}

    def run(self, network: str) -> Imitation:
        """A trained network, the same as in the tables on prediction."""
        if network == SMALL:
            return Small(self.scale, self.seed, self.records).run(NONE)
        return Large(self.scale, self.seed, self.records).run("kgs" if network == KGS else "pro")

    def contestant(self, network: str) -> Contestant:
        """The network as a player."""
        return network_of(self.run(network), network)

    def training(self) -> dict[str, str]:
        """What the networks have learnt from."""
        learning = Large(self.scale, self.seed, self.records).learning()
        small = Small(self.scale, self.seed, self.records).learning()
        counts = {role: self.records[role].count("train", BOARD) for role in self.roles}
        return {
            "networks": "c14-large trained on games of KGS and of professionals; c14-small on those of professionals",
            "training, KGS": learning.in_words(counts["kgs"]),
            "training, professionals": learning.in_words(counts["pro"]),
            "training, small network": small.in_words(counts["pro"]),
            "move": PASSES,
        }


class Table4(NetworkGames):
    """Against GNU Go."""

    name = "c14-table4"
    title = "C14 table 4: games won against GNU Go, by Chinese and Japanese rules"
    paper = "C14 table 4"
    plays_against = ("gnugo",)
    scales: ClassVar = {
        "tiny": Playing(2, longest=20),
        "quick": Playing(2, level=1, longest=30),
        "day": Playing(20, level=1),
        "paper": Playing(200),
    }

    def opponent(self, rules: str) -> Contestant:
        """GNU Go by these rules."""
        return stand_in() if self.scale == "tiny" else gnugo(self.engines, self.settings.level, rules)

    def match(self, network: str, rules: str) -> EngineMatch:
        """A network against it."""
        return match_with(self.contestant(network), self.opponent(rules), self.settings, self.seed, rules=rules)

    def conditions(self) -> dict[str, str]:
        """Networks and games."""
        both = "Chinese rules, komi 7.5, and Japanese rules, komi 6.5"
        opponent = self.opponent("chinese")
        referee = "GNU Go" if opponent.engine else "nobi"
        return {
            "opponent": str(opponent),
            **contest_conditions(self.settings, rules=both, referee=referee),
            **self.training(),
            "chance": repeatable(opponent),
        }

    def jobs(self) -> Sequence[Job]:
        """The networks, and their matches."""
        runs = [self.run(network) for network in TABLE_4]
        return [*runs, *(self.match(network, rules) for network in TABLE_4 for rules in TABLE_4[network])]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The table."""
        rows, bars, found = [], [], {}
        for network, papers in TABLE_4.items():
            for rules, paper in papers.items():
                standing = found[f"{network}, {rules}"] = standing_of(cache.arrays(self.match(network, rules)))
                labels = {"network": network, "rules": rules.capitalize(), "games": str(standing.games)}
                rows.append(Row(labels, "games won", standing.share, paper, neutral=0.5))
                bars.append(PaperComparison(f"{network}, {rules}", in_percent(standing.share), 100 * paper))
        claims = [_beats("GNU Go", found)]
        compare_with_paper(
            bars, folder / f"{self.name}.png", f"Games won against {self.opponent('chinese')}", "games won, %"
        )
        caption = "Games won, with 95 % intervals, beside the paper's."
        picture = Picture(f"{self.name}.png", caption)
        notes = remarks(found, self.settings.level)
        return Findings([Table("Share of games won", rows)], claims, [picture], notes)


class Table5(NetworkGames):
    """Against Fuego."""

    name = "c14-table5"
    title = "C14 table 5: games won against Fuego"
    paper = "C14 table 5"
    plays_against = ("fuego",)
    scales: ClassVar = {
        "tiny": Timed(2, longest=20, seconds=0.0),
        "quick": Timed(2, longest=30, seconds=0.5),
        "day": Timed(20, seconds=2.0),
        "paper": Timed(200, seconds=10.0),
    }

    def opponent(self) -> Contestant:
        """Fuego."""
        if self.scale == "tiny":
            return stand_in()
        return Contestant(engine=self.engines["fuego"], strength=Strength(seconds=self.settings.seconds))

    def match(self, network: str) -> EngineMatch:
        """A network against it."""
        return match_with(self.contestant(network), self.opponent(), self.settings, self.seed)

    def conditions(self) -> dict[str, str]:
        """Networks and games."""
        opponent = self.opponent()
        referee = opponent.engine.title if opponent.engine else "nobi"
        return {
            "opponent": f"{opponent}; threads and memory as its command sets them",
            **contest_conditions(self.settings, referee=referee),
            **self.training(),
            "chance": repeatable(opponent),
        }

    def jobs(self) -> Sequence[Job]:
        """The networks, and their matches."""
        return [*(self.run(network) for network in TABLE_5), *(self.match(network) for network in TABLE_5)]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The table."""
        rows, bars, found = [], [], {}
        for network, paper in TABLE_5.items():
            standing = found[network] = standing_of(cache.arrays(self.match(network)))
            labels = {"network": network, "games": str(standing.games)}
            rows.append(Row(labels, "games won", standing.share, paper, neutral=0.5))
            bars.append(PaperComparison(network, in_percent(standing.share), 100 * paper))
        wins = [standing.share.low > 0 for standing in found.values()]
        claim = Claim(
            "The networks win some games against a program that searches, though they do not search.",
            True if all(wins) else None,
            "; ".join(f"{network}: {standing.words()}" for network, standing in found.items()),
        )
        compare_with_paper(bars, folder / f"{self.name}.png", f"Games won against {self.opponent()}", "games won, %")
        caption = "Games won, with 95 % intervals, beside the paper's."
        picture = Picture(f"{self.name}.png", caption)
        return Findings([Table("Share of games won", rows)], [claim], [picture], remarks(found))


def _beats(opponent: str, found: Mapping[str, Standing]) -> Claim:
    shares = {label: standing.share for label, standing in found.items()}
    return Claim(
        f"Even the small network consistently defeats {opponent}.",
        verdict_of_all(beyond_half(share) for share in shares.values()),
        "; ".join(f"{label}: {mean_text(share)}" for label, share in shares.items()),
    )
