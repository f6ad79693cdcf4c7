"""M15 section 6: tree search, without and with a network's priors."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.figures.curves import share_lines
from nobi.studies.base import Claim, Findings, Picture, Row, Study, Table, beyond_half, mean_text, verdict
from nobi.studies.contests import GO_CHINESE, contest_conditions, gnugo, in_percent, remarks, stand_in
from nobi.studies.matches import Contestant, EngineMatch, standing_of
from nobi.studies.pieces import Piece
from nobi.studies.statistics import difference_of_shares
from nobi.studies.workshop import Workshop

SIZE = 9


@dataclass(frozen=True)
class Searching:
    """How much is played."""

    playouts: tuple[int, ...]
    """A move, of the search without a network."""
    games: int
    level: int = 10
    """GNU Go's."""


class SearchStudy(Study):
    """How strong the search is, by its playouts."""

    name = "m15-search"
    group = "m15-search"
    title = "M15 section 6: tree search, its strength by playouts"
    paper = "M15 section 6"
    opponents = ("gnugo",)
    scales: ClassVar = {
        "tiny": Searching((10, 30), 4),
        "quick": Searching((100, 300), 6),
        "day": Searching((100, 300, 1000, 3000), 200),
        "paper": Searching((100, 300, 1000, 3000, 10_000), 1000),
    }

    def conditions(self) -> dict[str, str]:
        """Players and games."""
        s = self.settings
        return contest_conditions(self.opponent(), SIZE, s.games) | {
            "search": f"UCT with RAVE and patterns, one thread, {' / '.join(map(str, s.playouts))} playouts a move"
        }

    def opponent(self) -> Contestant:
        """Whom the bare search meets."""
        return stand_in() if self.scale == "tiny" else gnugo(self.engines, self.settings.level)

    def bare(self, playouts: int) -> EngineMatch:
        """Search without a network against GNU Go."""
        opponent = self.opponent()
        referee = opponent if opponent.engine else None
        search = Contestant(f"mcts:rollouts={playouts}")
        return EngineMatch(search, opponent, GO_CHINESE, SIZE, self.settings.games, self.seed, referee)

    def pieces(self) -> Sequence[Piece]:
        """The matches, the shortest first."""
        return [self.bare(playouts) for playouts in self.settings.playouts]

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """The curve."""
        opponent = str(self.opponent())
        matches = {playouts: standing_of(workshop.arrays(self.bare(playouts))) for playouts in self.settings.playouts}
        rows = [
            Row({"playouts a move": f"{playouts:,}", "opponent": opponent}, "games won, %", in_percent(found.share))
            for playouts, found in matches.items()
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
        if 1000 in matches:
            claims.append(
                Claim(
                    "With 1,000 playouts a move, without a network, it wins at least as often as not on 9x9.",
                    verdict(beyond_half(matches[1000].share)),
                    f"{matches[1000].words()}: {mean_text(matches[1000].share)}",
                )
            )
        file = f"{self.name}.png"
        share_lines(
            {opponent: [(playouts, found.share) for playouts, found in matches.items()]},
            folder / file,
            f"Search without a network against {opponent}, {SIZE}x{SIZE}",
            xlabel="playouts a move",
            ylabel="games won, %",
        )
        caption = "Games won by the search without a network, with 95 % intervals (Wilson)."
        notes = remarks({f"{playouts:,} playouts": found for playouts, found in matches.items()})
        return Findings([Table("Search without a network", rows)], claims, [Picture(file, caption)], notes)


STUDIES = {SearchStudy.name: SearchStudy}
