"""C14 section 4.3: networks that play, against GNU Go (table 4) and Fuego (table 5)."""

from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.statistics import Interval, share_interval
from nobi.studies.c14.ablation import BOARD, small_network
from nobi.studies.c14.ablation import SCALES as SMALL_SCALES
from nobi.studies.c14.prediction import SCALES as LARGE_SCALES
from nobi.studies.c14.prediction import large_network
from nobi.studies.match_jobs import (
    NETWORK_MOVES,
    MatchCase,
    MatchJob,
    MatchPlayer,
    MatchResult,
    MatchSettings,
    engine_player,
    gnugo_player,
    main_claim,
    main_player,
    match_conditions,
    match_findings,
    match_job,
    network_player,
)
from nobi.studies.resources import GNUGO, Strength
from nobi.studies.study import Claim, Findings, Jobs, Results, Study
from nobi.studies.training_jobs import MAIN

KGS, PRO, SMALL = "KGS", "professionals", "professionals, small network"


def of_games(share: float) -> Interval:
    """Return the paper's share of its 200 games."""
    return share_interval(share * 200, 200)


TABLE_4 = {
    # network → share won against GNU Go under Chinese and under Japanese rules
    KGS: {"chinese": of_games(0.86), "japanese": of_games(0.85)},
    PRO: {"chinese": of_games(0.87), "japanese": of_games(0.91)},
    SMALL: {"chinese": of_games(0.71), "japanese": of_games(0.67)},
}
TABLE_5 = {KGS: of_games(0.12), PRO: of_games(0.14)}
"""Shares won against Fuego 1.1 with 10 seconds per move."""
SOME = 0.02
"""The threshold for \"some games\"."""


class NetworkGames(Study):
    """The networks of C14 against an engine."""

    page = "c14-games"
    roles: ClassVar = {"pro": BOARD, "kgs": BOARD}

    def match(self, network: str, opponent: MatchPlayer, rules: str = "chinese") -> MatchJob:
        """Return the match of a network against an opponent."""
        if network == MAIN.net:
            return match_job(main_player(), opponent, self.settings, self.seed, rules=rules)
        run = small_network(self) if network == SMALL else large_network(self, "kgs" if network == KGS else "pro")
        return match_job(network_player(run, network), opponent, self.settings, self.seed, rules=rules)

    def training_conditions(self) -> dict[str, str]:
        """Return the conditions of the networks' training and of their choice of moves."""
        small, large = SMALL_SCALES[self.scale], LARGE_SCALES[self.scale]
        counts = {role: self.datasets[role].count("train", BOARD) for role in self.roles}
        return {
            "networks": "c14-large trained on games of KGS and of professionals; c14-small on those of professionals; "
            + MAIN.describe(),
            "training, KGS": large.describe(counts["kgs"]),
            "training, professionals": large.describe(counts["pro"]),
            "training, small network": small.describe(counts["pro"]),
            "move": NETWORK_MOVES,
        }


class Table4(NetworkGames):
    """C14 table 4: games won against GNU Go, by Chinese and Japanese rules."""

    name = "c14-table4"
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": MatchSettings(2, longest=20),
        "quick": MatchSettings(2, level=1, longest=30),
        "day": MatchSettings(60, trial_games=20),
        "paper": MatchSettings(200),
    }

    def opponent(self, rules: str = "chinese") -> MatchPlayer:
        """Return GNU Go by these rules."""
        return gnugo_player(self, self.settings.level, rules)

    def conditions(self) -> dict[str, str]:
        rules = "Chinese rules, komi 7.5, and Japanese rules, komi 6.5"
        return {**match_conditions(self.settings, [self.opponent()], rules=rules), **self.training_conditions()}

    def jobs(self) -> Jobs:
        keys = product((*TABLE_4, MAIN.net), ("chinese", "japanese"))
        return {(network, rules): self.match(network, self.opponent(rules), rules) for network, rules in keys}

    def report(self, found: Results, out: Path) -> Findings:
        cases = []
        for network, rules in found.jobs:
            labels = {"network": network, "rules": rules.capitalize()}
            result = MatchResult.from_arrays(found[network, rules])
            cases.append(MatchCase(f"{network}, {rules}", labels, result, TABLE_4.get(network, {}).get(rules)))
        shares = {case.label: case.result.share for case in cases if case.labels["network"] in TABLE_4}
        claim = Claim.positive("Even the small network consistently defeats GNU Go.", shares, null=0.5)
        trained = main_claim(MatchResult.from_arrays(found[MAIN.net, "chinese"]), self.opponent())
        title = f"Games won against {self.opponent()}"
        return match_findings(self, cases, [claim, trained], title, out, percent=False, level=self.settings.level)


class Table5(NetworkGames):
    """C14 table 5: games won against Fuego."""

    name = "c14-table5"
    plays_against = ("fuego",)
    scales: ClassVar = {
        "tiny": MatchSettings(2, longest=20),
        "quick": MatchSettings(2, longest=30, seconds=0.5),
        "day": MatchSettings(20, seconds=2.0),
        "paper": MatchSettings(200, seconds=10.0),
    }

    def opponent(self) -> MatchPlayer:
        """Return Fuego."""
        return engine_player(self, "fuego", Strength(seconds=self.settings.seconds))

    def conditions(self) -> dict[str, str]:
        opponent = f"{self.opponent()}; threads and memory as its command sets them"
        matches = match_conditions(self.settings, [self.opponent()])
        return {**matches, "opponent": opponent, **self.training_conditions()}

    def jobs(self) -> Jobs:
        return {network: self.match(network, self.opponent()) for network in (*TABLE_5, MAIN.net)}

    def report(self, found: Results, out: Path) -> Findings:
        results = {network: MatchResult.from_arrays(found[network]) for network in found.jobs}
        cases = [
            MatchCase(network, {"network": network}, result, TABLE_5.get(network))
            for network, result in results.items()
        ]
        claim = Claim.positive(
            "The networks win some games against a program that searches, though they do not search.",
            {network: result.share for network, result in results.items()},
            f"games won; some are more than {SOME:.0%}",
            null=SOME,
        )
        return match_findings(self, cases, [claim], f"Games won against {self.opponent()}", out, percent=False)
