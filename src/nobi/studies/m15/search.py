"""M15 section 6: tree search without a network, and with the priors of one, asynchronous and synchronous."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from nobi.figures.comparison import share_lines
from nobi.statistics import difference_of_shares
from nobi.studies.beyond.size_transfer import SMALL, SizeTransfer
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.m15.prediction import Depth
from nobi.studies.match_jobs import (
    MODEL,
    PASSES,
    RULES,
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
from nobi.studies.study import Claim, Findings, Picture, Row, Table, beyond_half, mean_text, verdict, verdict_of_all
from nobi.studies.training_jobs import DeepStudy, Imitation, Learning

SIZE = 9
"""Of the search without a network."""
DECISIVE = 1000
"""Playouts a move at which the search without a network is to hold its own."""
SECTION_6 = {100_000: 86.7, 10_000: 67.6}
"""Playouts a move → games that search with the priors of the 12-layer network wins against that network alone, %."""
MODES = {
    "asynchronous": f",model={MODEL},mode=asynchronous",
    "synchronous": f",model={MODEL},mode=synchronous",
    "none": "",
}
"""How the network's priors come into the tree → settings of the search."""


@dataclass(frozen=True)
class Searching:
    """How much is played."""

    bare: Playing
    """Without a network."""
    playouts: tuple[int, ...]
    """A move, without a network."""
    guided: Playing
    """With the priors of a network, against that network."""
    guided_playouts: tuple[int, ...]
    decisive: int = 0
    """Games of the search with DECISIVE playouts, without a network; 0 for as many as the others play."""


class SearchStudy(DeepStudy):
    """How strong the search is, by its playouts."""

    name = "m15-search"
    group = "m15-search"
    title = "M15 section 6: tree search, by playouts, and with the priors of a network"
    paper = "M15 section 6"
    plays_against = ("gnugo",)
    symmetries = True
    legal = True
    scales: ClassVar = {
        "tiny": Searching(Playing(4, longest=30), (10, 30), Playing(2, longest=10), (20,)),
        "quick": Searching(Playing(4), (100, 300), Playing(4), (100,)),
        "day": Searching(Playing(50), (100, 300, 1000, 3000), Playing(50), (300, 1000), decisive=200),
        "paper": Searching(Playing(1000), (100, 300, 1000, 3000, 10_000), Playing(200), (10_000, 100_000)),
    }

    # --- players ----------------------------------------------------------------------------------------------------

    @property
    def learns_from(self) -> tuple[str, ...]:
        """The records of the network that guides the search; without them that part is left out."""
        role = "kgs" if self.scale == "paper" else "small"
        return (role,) if role in self.records else ()

    @property
    def guided_size(self) -> int:
        """The board of the search with a network."""
        return 19 if self.scale == "paper" else SIZE

    def learning(self) -> Learning:
        """How much the network learns; on small boards as in size-transfer, whose network it is."""
        if self.scale == "paper":
            return Depth(self.scale, self.seed, self.records).learning()
        found: Learning = SizeTransfer.scales[self.scale].learning
        return found

    def network(self) -> Imitation:
        """The network that guides."""
        if self.scale == "paper":
            return Depth(self.scale, self.seed, self.records).run(12, 128)
        return self.train(SizeTransfer.scales[self.scale].conv, "small", SMALL)

    def opponent(self) -> Contestant:
        """Whom the search without a network meets."""
        return stand_in() if self.scale == "tiny" else gnugo(self.engines, self.settings.bare.level)

    def bare(self, playouts: int) -> EngineMatch:
        """Search without a network against GNU Go."""
        s = self.settings
        playing = replace(s.bare, games=s.decisive) if s.decisive and playouts == DECISIVE else s.bare
        return match_with(Contestant(f"mcts:rollouts={playouts}"), self.opponent(), playing, self.seed, SIZE)

    def guided(self, playouts: int, mode: str) -> EngineMatch:
        """Search with a network's priors, or without, against the network alone."""
        run, s = self.network(), self.settings.guided
        priors = "without priors" if mode == "none" else f"with {mode} priors"
        title = f"search of {playouts} playouts {priors}"
        search = Contestant(f"mcts:rollouts={playouts}{MODES[mode]}", run if mode != "none" else None, title=title)
        referee = self.opponent() if self.opponent().engine else None
        alone = network_of(run, "the network alone")
        size = self.guided_size
        return EngineMatch(search, alone, RULES["chinese"], size, s.games, self.seed, referee, longest=s.longest)

    # --- the study --------------------------------------------------------------------------------------------------

    def conditions(self) -> dict[str, str]:
        """Players and games."""
        s = self.settings
        opponent = self.opponent()
        referee = "GNU Go" if opponent.engine else "nobi"
        exceptions = f", {s.decisive} of that with {DECISIVE:,} playouts," if s.decisive else ""
        found = {
            "search": f"UCT with RAVE and 3x3 patterns, one thread, {_counts(s.playouts)} playouts a move",
            "opponent": str(opponent),
            **contest_conditions(s.bare, SIZE, referee=referee, exceptions=exceptions),
            "chance": repeatable(opponent),
        }
        if self.learns_from:
            [role] = self.learns_from
            sizes = (19,) if role == "kgs" else SMALL
            games = contest_conditions(s.guided, self.guided_size, referee=referee)["games"]
            found |= {
                "with priors": f"{_counts(s.guided_playouts)} playouts a move, against the network alone; {games}",
                "network": self.network().settings.net,
                "training": self.learning().in_words(self.records[role].count("train", sizes)),
                "the network's move": PASSES,
                "chance, with priors": (
                    "asynchronous priors come when they are ready, so these games differ each time; the others depend "
                    "on the seed alone, where torch rounds alike"
                ),
            }
        return found

    def jobs(self) -> Sequence[Job]:
        """The matches without a network, the shortest first; the network, and those with it."""
        found: list[Job] = [self.bare(playouts) for playouts in self.settings.playouts]
        if self.learns_from:
            found.append(self.network())
            found += [self.guided(playouts, mode) for playouts in self.settings.guided_playouts for mode in MODES]
        return found

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The curve, and what priors add."""
        found = self._without_network(cache, folder)
        if not self.learns_from:
            role = "kgs" if self.scale == "paper" else "small"
            note = f"Search with a network's priors is left out: no records were given for it (--data {role}=DATASET)."
            found.notes.append(note)
            return found
        more = self._with_network(cache, folder)
        return Findings(
            found.tables + more.tables,
            found.claims + more.claims,
            found.pictures + more.pictures,
            found.notes + more.notes,
        )

    def _without_network(self, cache: JobCache, folder: Path) -> Findings:
        opponent = str(self.opponent())
        matches = {playouts: standing_of(cache.arrays(self.bare(playouts))) for playouts in self.settings.playouts}
        rows = [
            Row(
                {"playouts a move": f"{playouts:,}", "opponent": opponent, "games": str(one.games)},
                "games won, %",
                in_percent(one.share),
            )
            for playouts, one in matches.items()
        ]
        few, many = min(matches), max(matches)
        gap = difference_of_shares(matches[many].points, matches[many].games, matches[few].points, matches[few].games)
        claims = [
            Claim(
                f"The search becomes stronger with more playouts, from {few:,} to {many:,}.",
                verdict(gap),
                f"share of games won, difference: {mean_text(gap)}",
            )
        ]
        if DECISIVE in matches:
            claims.append(
                Claim(
                    f"With {DECISIVE:,} playouts a move, without a network, it wins more often than not on 9x9.",
                    verdict(beyond_half(matches[DECISIVE].share)),
                    f"{matches[DECISIVE].words()}: {mean_text(matches[DECISIVE].share)}",
                )
            )
        file = f"{self.name}.png"
        share_lines(
            {opponent: [(playouts, one.share) for playouts, one in matches.items()]},
            folder / file,
            f"Search without a network against {opponent}, {SIZE}x{SIZE}",
            xlabel="playouts a move",
            ylabel="games won, %",
        )
        picture = Picture(file, "Games won by the search without a network, with 95 % intervals.")
        notes = remarks({f"{playouts:,} playouts": one for playouts, one in matches.items()})
        return Findings([Table(f"Search without a network, {SIZE}x{SIZE}", rows)], claims, [picture], notes)

    def _with_network(self, cache: JobCache, folder: Path) -> Findings:
        matches = {
            (playouts, mode): standing_of(cache.arrays(self.guided(playouts, mode)))
            for playouts in self.settings.guided_playouts
            for mode in MODES
        }
        size = f"{self.guided_size}x{self.guided_size}"
        rows = []
        for (playouts, mode), one in matches.items():
            labels = {"playouts a move": f"{playouts:,}", "priors": mode, "games": str(one.games)}
            paper = SECTION_6.get(playouts) if mode == "asynchronous" else None
            rows.append(Row(labels, "games won, %", in_percent(one.share), paper, neutral=50.0))
        claims = [
            _beats_the_network(matches, self.settings.guided_playouts),
            _better("synchronous", "asynchronous", "Asynchronous evaluation is weaker than synchronous.", matches),
            _better("asynchronous", "none", "Priors make the search stronger at equal playouts.", matches),
        ]
        file = f"{self.name}-priors.png"
        lines = {
            "no priors" if mode == "none" else f"{mode} priors": [
                (playouts, matches[playouts, mode].share) for playouts in self.settings.guided_playouts
            ]
            for mode in MODES
        }
        title = f"Search against the network alone, {size}"
        share_lines(lines, folder / file, title, xlabel="playouts a move", ylabel="games won, %")
        picture = Picture(file, "Games won by the search against the network alone, with 95 % intervals.")
        notes = remarks({f"{playouts:,} playouts, priors {mode}": one for (playouts, mode), one in matches.items()})
        return Findings([Table(f"Search against the network alone, {size}", rows)], claims, [picture], notes)


def _beats_the_network(matches: Mapping[tuple[int, str], Standing], playouts: Sequence[int]) -> Claim:
    shares = {count: matches[count, "asynchronous"].share for count in playouts}
    return Claim(
        "Search with asynchronous priors beats the network alone.",
        verdict_of_all(beyond_half(share) for share in shares.values()),
        "; ".join(f"{count:,} playouts: {mean_text(share)}" for count, share in shares.items()),
    )


def _better(mode: str, other: str, text: str, matches: Mapping[tuple[int, str], Standing]) -> Claim:
    gaps = {}
    for playouts in dict.fromkeys(count for count, _ in matches):
        a, b = matches[playouts, mode], matches[playouts, other]
        gaps[playouts] = difference_of_shares(a.points, a.games, b.points, b.games)
    words = "; ".join(f"{playouts:,} playouts: {mean_text(gap)}" for playouts, gap in gaps.items())
    return Claim(text, verdict_of_all(gaps.values()), f"share of games won, {mode} minus {other}: {words}")


def _counts(playouts: Sequence[int]) -> str:
    return ", ".join(f"{count:,}" for count in playouts)
