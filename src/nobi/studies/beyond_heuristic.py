"""The objection of S08 section VI: might networks do better on large boards only because naive is weak there?"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.figures.scatter import Cloud, ScatterPanel, scatter_plot
from nobi.studies.base import Claim, Findings, Picture, Row, Study, Table, every, mean_text, verdict_of_all
from nobi.studies.pieces import Champions, Piece, RandomNetworks
from nobi.studies.s08_random import MDRNN, PAIRS, boards, transfer_claims, transfer_rows
from nobi.studies.s08_random import SCALES as S08_SCALES
from nobi.studies.s09_random import MDLSTM
from nobi.studies.s09_training import AGAINST_NAIVE, Training, training_runs
from nobi.studies.statistics import gain_over_runs, higher_over_runs
from nobi.studies.workshop import Workshop


@dataclass(frozen=True)
class Objection:
    """Random networks as in S08, champions as in S09."""

    networks: int
    games: int
    training: Training
    first: int
    step: int


class Heuristic(Study):
    """S08 section VI: the effect might be due to an opponent that scales weakly."""

    name = "beyond-heuristic"
    group = "beyond"
    paper = ""
    title = "S08 table I against the heuristic player, which does not weaken on large boards"
    opponents = ("heuristic:e=0.5", "heuristic:e=0.2")
    sizes = (7, 11, 15, 19)
    scales: ClassVar = {
        "tiny": Objection(6, 4, AGAINST_NAIVE["tiny"], 2, 1),
        "quick": Objection(60, 20, AGAINST_NAIVE["quick"], 30, 5),
        "paper": Objection(S08_SCALES["paper"].networks, 100, AGAINST_NAIVE["paper"], 50, 15),
    }

    def conditions(self) -> dict[str, str]:
        """Both halves of the question."""
        s = self.settings
        return {
            "random networks": f"{s.networks} MDRNNs of 10 units, {s.games} games on each board; S08's score",
            "trained networks": f"champions of MDLSTM trained on 7x7 against naive, {s.training.runs} runs, "
            f"{every(s.step)} generation from {s.first} on, {s.games} games; mean outcome",
            "opponents": "the heuristic player, a share e of whose moves are random",
        }

    def random(self, size: int, opponent: str) -> RandomNetworks:
        """Random networks on one board."""
        return RandomNetworks(MDRNN, "atari-go", size, opponent, self.settings.networks, self.settings.games, self.seed)

    def trained(self, size: int, opponent: str) -> Champions:
        """Champions of training against naive on one board."""
        s = self.settings
        runs = training_runs(s.training, MDLSTM, "atari-go", "naive", self.seed)
        return Champions(runs, s.first, s.step, size, opponent, s.games, self.seed)

    def pieces(self) -> Sequence[Piece]:
        """All boards, both halves."""
        sizes = sorted({size for pair in PAIRS for size in pair})
        random = [self.random(size, opponent) for opponent in self.opponents for size in sizes]
        trained = [self.trained(size, opponent) for opponent in ("naive", self.opponents[1]) for size in self.sizes]
        return [*random, *trained[0].runs, *trained]

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """Table I again, and champions on larger boards against both opponents."""
        rows = []
        for opponent in self.opponents:
            for small, large in PAIRS:
                pair = [workshop.arrays(self.random(size, opponent))["score"] for size in (small, large)]
                rows.extend(transfer_rows({"opponent": opponent, "boards": boards(small, large)}, pair[0], pair[1]))
        more, panels, gains = [], [], {}
        for opponent in ("naive", self.opponents[1]):
            trained = workshop.arrays(self.trained(7, opponent))
            for size in self.sizes[1:]:
                larger = workshop.arrays(self.trained(size, opponent))
                labels = {"opponent": opponent, "boards": boards(7, size)}
                both = trained["points"], larger["points"], trained["run"]
                more.append(Row(labels, "p", higher_over_runs(*both), neutral=0.5))
                gains[opponent, size] = gain_over_runs(*both)
                more.append(Row(labels, "fitness gained", gains[opponent, size], neutral=0.0))
            cloud = Cloud("MDLSTM", trained["points"], workshop.arrays(self.trained(15, opponent))["points"])
            panels.append(ScatterPanel(f"against {opponent}", "fitness on 7x7", "fitness on 15x15", [cloud]))
        scatter_plot(
            panels,
            folder / f"{self.name}.png",
            "Champions trained on 7x7 against the naive player, on larger boards",
            columns=2,
        )
        hard = {size: gain for (opponent, size), gain in gains.items() if opponent != "naive"}
        claim = Claim(
            "The objection is refuted: networks also gain on larger boards against the heuristic player.",
            verdict_of_all(hard.values()),
            "; ".join(f"7x7 to {size}x{size}: {mean_text(gain)}" for size, gain in hard.items()),
        )
        tables = [
            Table("Random MDRNNs against the heuristic player", rows),
            Table("MDLSTMs trained on 7x7 against naive, measured against both", more),
        ]
        caption = (
            "Champions on the board of their training and on 15x15, against the opponent of the training and another."
        )
        return Findings(tables, [*transfer_claims(rows), claim], [Picture(f"{self.name}.png", caption)])


STUDIES = {Heuristic.name: Heuristic}
