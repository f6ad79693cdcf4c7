"""M15 section 6: tree search without a network, and with asynchronous and synchronous priors of a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.figures.comparison import win_rates
from nobi.statistics import with_standard_error
from nobi.studies.beyond.size_transfer import SCALES as SIZE_SCALES
from nobi.studies.beyond.size_transfer import SMALL, size_network
from nobi.studies.m15.prediction import DEPTH_SCALES, depth_network
from nobi.studies.match_jobs import (
    MODEL,
    NETWORK_MOVES,
    RULES,
    MatchJob,
    MatchPlayer,
    MatchResult,
    MatchSettings,
    gnugo_player,
    match_conditions,
    match_job,
    match_notes,
    network_player,
)
from nobi.studies.resources import GNUGO
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Study, Table
from nobi.studies.training_jobs import MAIN, GradientTraining, ImitationJob, ShippedNetwork

SIZE = 9
"""Board size of the search without a network."""
DECISIVE = 1000
"""Playouts per move at which the search without a network should win half of its games."""
SECTION_6 = {100_000: with_standard_error(86.7, 3.5), 10_000: with_standard_error(67.6, 2.6)}
"""Playouts per move → games won by the search with priors of the 12-layer network against this network alone, %."""
MODES = {
    "asynchronous": f",model={MODEL},mode=asynchronous",
    "synchronous": f",model={MODEL},mode=synchronous",
    "none": "",
}
"""Priors → settings of the search."""


@dataclass(frozen=True)
class SearchScale:
    """The matches."""

    bare: MatchSettings
    """Games of the search without a network."""
    playouts: tuple[int, ...]
    """Playouts per move without a network."""
    guided: MatchSettings
    """Games of the search with the priors of a network against this network."""
    guided_playouts: tuple[int, ...]
    decisive: int = 0
    """Games of the search with DECISIVE playouts without a network; 0: as for the others."""


class SearchStudy(Study):
    """M15 section 6: tree search, by playouts, and with the priors of a network."""

    name = "m15-search"
    page = "m15-search"
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": SearchScale(MatchSettings(4, longest=30), (10, 30), MatchSettings(2, longest=10), (20,)),
        "quick": SearchScale(MatchSettings(4), (100, 300), MatchSettings(4), (100,)),
        "day": SearchScale(MatchSettings(50), (100, 300, 1000, 3000), MatchSettings(50), (300, 1000), decisive=200),
        "paper": SearchScale(
            MatchSettings(1000), (100, 300, 1000, 3000, 10_000), MatchSettings(200), (10_000, 100_000)
        ),
    }

    @property
    def role(self) -> str:
        """The role of the dataset for the network; without it the search with priors is skipped."""
        return "kgs" if self.scale == "paper" else "small"

    @property
    def used_roles(self) -> tuple[str, ...]:
        return (self.role,) if self.role in self.datasets else ()

    @property
    def guided_size(self) -> int:
        """The board size of the search with a network."""
        return 19 if self.scale == "paper" else SIZE

    def network(self) -> tuple[ImitationJob, GradientTraining, tuple[int, ...]]:
        """Return the network of the priors, its training and its board sizes."""
        if self.scale == "paper":
            return depth_network(self, (12, 128)), DEPTH_SCALES[self.scale].learning, (19,)
        return size_network(self, "nobi-net", "9x9 and 13x13"), SIZE_SCALES[self.scale].named["nobi-net"][1], SMALL

    def opponent(self) -> MatchPlayer:
        """Return the opponent of the search without a network."""
        return gnugo_player(self, self.settings.bare.level)

    def bare_match(self, playouts: int) -> MatchJob:
        """Return the match of the search without a network against GNU Go."""
        s = self.settings
        settings = replace(s.bare, games=s.decisive) if s.decisive and playouts == DECISIVE else s.bare
        return match_job(MatchPlayer(f"mcts:rollouts={playouts}"), self.opponent(), settings, self.seed, SIZE)

    def guided_match(self, run: ImitationJob | ShippedNetwork, playouts: int, mode: str) -> MatchJob:
        """Return the match of the search with or without priors of a network against the network alone."""
        s = self.settings.guided
        priors = "without priors" if mode == "none" else f"with {mode} priors"
        spec, title = f"mcts:rollouts={playouts}{MODES[mode]}", f"search of {playouts} playouts {priors}"
        search = MatchPlayer(spec, run if mode != "none" else None, title=title)
        alone = network_player(run, "the network alone")
        referee = self.opponent() if self.opponent().engine else None
        game, size = RULES["chinese"], self.guided_size
        return MatchJob(search, alone, game, size, s.games, self.seed, referee, longest=s.longest)

    def conditions(self) -> dict[str, str]:
        s = self.settings
        exceptions = f", {s.decisive} of that with {DECISIVE:,} playouts," if s.decisive else ""
        found = {
            "search": f"UCT with RAVE and 3x3 patterns, one thread, {_counts(s.playouts)} playouts a move",
            **match_conditions(s.bare, [self.opponent()], SIZE, exceptions=exceptions),
        }
        games = match_conditions(s.guided, [self.opponent()], self.guided_size)["games"]
        found |= {
            "with priors": f"{_counts(s.guided_playouts)} playouts a move, against the network alone; {games}",
            "network of nobi": MAIN.describe(),
            "the network's move": NETWORK_MOVES,
        }
        if self.used_roles:
            run, training, sizes = self.network()
            found |= {
                "network": run.net,
                "training": training.describe(self.datasets[self.role].count("train", sizes)),
                "reproducibility, with priors": (
                    "asynchronous priors arrive when they are computed, so these games differ each time; the others "
                    "depend only on the seed, if torch rounds equally"
                ),
            }
        return found

    def jobs(self) -> Jobs:
        jobs: dict[object, MatchJob] = {playouts: self.bare_match(playouts) for playouts in self.settings.playouts}
        for run in self.guides():
            keys = product(self.settings.guided_playouts, MODES)
            jobs |= {(run.net, *key): self.guided_match(run, *key) for key in keys}
        return jobs

    def guides(self) -> list[ImitationJob | ShippedNetwork]:
        """Return the networks whose priors are used."""
        return [self.network()[0], MAIN] if self.used_roles else [MAIN]

    def report(self, found: Results, out: Path) -> Findings:
        findings = self._report_bare(found, out)
        for run in self.guides():
            findings += self._report_guided(found, run, out)
        if not self.used_roles:
            note = f"Search with the priors of a network of the paper is left out: it needs --data {self.role}=DATASET."
            findings += Findings(notes=[note])
        return findings

    def _report_bare(self, found: Results, out: Path) -> Findings:
        opponent, playouts = str(self.opponent()), self.settings.playouts
        results = {count: MatchResult.from_arrays(found[count]) for count in playouts}
        rows = [
            result.row({"playouts a move": f"{count:,}", "opponent": opponent}) for count, result in results.items()
        ]
        few, many = min(playouts), max(playouts)
        text = f"The search becomes stronger with more playouts, from {few:,} to {many:,}."
        gap = results[many].share - results[few].share
        claims = [Claim.positive(text, gap, "share of games won, difference")]
        if DECISIVE in results:
            text = f"With {DECISIVE:,} playouts a move, without a network, it wins more often than not on 9x9."
            claims.append(Claim.positive(text, results[DECISIVE].share, str(results[DECISIVE]), null=0.5))
        lines = {opponent: [(count, result.share) for count, result in results.items()]}
        title = f"Search without a network against {opponent}, {SIZE}x{SIZE}"
        win_rates(lines, out / self.figure, title)
        picture = Picture(self.figure, "Games won by the search without a network, with 95 % intervals.")
        notes = match_notes({f"{count:,} playouts": result for count, result in results.items()})
        return Findings([Table(f"Search without a network, {SIZE}x{SIZE}", rows)], claims, [picture], notes)

    def _report_guided(self, found: Results, run: ImitationJob | ShippedNetwork, out: Path) -> Findings:
        playouts = self.settings.guided_playouts
        results = {key: MatchResult.from_arrays(found[run.net, *key]) for key in product(playouts, MODES)}
        rows = []
        for (count, mode), result in results.items():
            paper = SECTION_6.get(count) if mode == "asynchronous" and run is not MAIN else None
            rows.append(result.row({"playouts a move": f"{count:,}", "priors": mode}, paper, 50.0))
        shares = {f"{count:,} playouts": results[count, "asynchronous"].share for count in playouts}
        name = f" ({run.net})" if run is MAIN else ""
        texts = {
            "beats": f"Search with asynchronous priors beats the network alone{name}.",
            "weaker": f"Asynchronous evaluation is weaker than synchronous{name}.",
            "priors": f"Priors make the search stronger at equal playouts{name}.",
        }
        claims = [
            Claim.positive(texts["beats"], shares, null=0.5),
            _better("synchronous", "asynchronous", texts["weaker"], results),
            _better("asynchronous", "none", texts["priors"], results),
        ]
        names = {mode: "no priors" if mode == "none" else f"{mode} priors" for mode in MODES}
        lines = {name: [(count, results[count, mode].share) for count in playouts] for mode, name in names.items()}
        title = f"Search against the network alone{name}, {self.guided_size}x{self.guided_size}"
        file = f"{self.name}-{MAIN.net if run is MAIN else 'priors'}.png"
        win_rates(lines, out / file, title)
        picture = Picture(file, "Games won by the search against the network alone, with 95 % intervals.")
        notes = match_notes({f"{count:,} playouts, {names[mode]}": one for (count, mode), one in results.items()})
        return Findings([Table(title, rows)], claims, [picture], notes)


def _better(mode: str, other: str, text: str, results: Mapping[tuple[int, str], MatchResult]) -> Claim:
    counts = dict.fromkeys(count for count, _ in results)
    gaps = {f"{count:,} playouts": results[count, mode].share - results[count, other].share for count in counts}
    return Claim.positive(text, gaps, f"share of games won, {mode} minus {other}")


def _counts(playouts: Sequence[int]) -> str:
    return ", ".join(f"{count:,}" for count in playouts)
