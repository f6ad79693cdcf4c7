"""Claims of the text of S09 without a table: the receptive field of CONV, and the level of play on 15x15."""

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import bounded_difference, last_tenth
from nobi.studies.jobs import ChampionsJob, Training, learning_curves
from nobi.studies.s09.random import MDLSTM
from nobi.studies.s09.training import AGAINST_HEURISTIC, LAST_TENTH, trained_networks
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

WIDTHS = (3, 5, 7)
BEST = 5
PLANES = {"CONV (1 plane)": "", "CONV (2 planes)": ",planes=2"}
OPPONENT, EXPERT = "heuristic:e=0.2", "heuristic:e=0"
LARGE = 15


@dataclass(frozen=True)
class ClaimsScale:
    """Training against the heuristic player, and the games of the last champions on 15x15."""

    training: Training
    games: int


class Claims(Study):
    """S09: claims of the text, on the width of CONV's filters and on the level of play on 15x15."""

    name = "s09-claims"
    page = "s09-training"
    scales: ClassVar = {
        "tiny": ClaimsScale(AGAINST_HEURISTIC["tiny"], 4),
        "quick": ClaimsScale(AGAINST_HEURISTIC["quick"], 40),
        "day": ClaimsScale(replace(AGAINST_HEURISTIC["day"], generations=200), 100),
        "paper": ClaimsScale(AGAINST_HEURISTIC["paper"], 400),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings.training
        return {
            "CONV": "3 maps of p x p, with 1 plane of own minus enemy stones and with 2 planes",
            "training": f"{s.runs} runs of CMA-ES for each network, {s.generations} generations, {s.games} games of "
            f"each network in each generation, on 7x7 Atari-Go against {OPPONENT}",
            "15x15": f"the champion of the last generation of each run of MDLSTM, {self.settings.games} games against "
            f"{EXPERT}",
            "beginners": "the paper says that its heuristic player with e = 0 is challenging for beginners; that "
            "player is lost, and ours reads ladders and nets",
            "fitness": "the mean outcome: win 1, draw 0, loss -1",
        }

    @staticmethod
    def conv(planes: str, width: int) -> str:
        """Return the spec of a CONV."""
        return f"conv:features=3,width={width}{PLANES[planes]}"

    def jobs(self) -> Jobs:
        s = self.settings
        nets = {(planes, width): self.conv(planes, width) for planes, width in product(PLANES, WIDTHS)}
        jobs: dict[Any, Any] = {key: trained_networks(self, s.training, net, OPPONENT) for key, net in nets.items()}
        runs = jobs[MDLSTM] = trained_networks(self, s.training, MDLSTM, OPPONENT)
        for opponent in (OPPONENT, EXPERT):
            last = s.training.generations - 1
            jobs[opponent] = ChampionsJob(runs, last, 1, LARGE, opponent, s.games, self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        rows, bars, reached = [], [], {}
        for planes, width in product(PLANES, WIDTHS):
            values = reached[planes, width] = last_tenth(learning_curves(found.runs((planes, width)))[0])
            rows.append(Row.over_runs({"network": planes, "p": str(width)}, "mean fitness, last tenth", values))
            bars.append(PaperComparison(f"{planes}, p = {width}", rows[-1].ours, each=rows[-1].each))
        claims = [
            Claim.positive(
                f"p = {BEST} is best for {planes} against {OPPONENT}.",
                {
                    f"p = {BEST} minus p = {p}": bounded_difference(reached[planes, BEST], reached[planes, p])
                    for p in (3, 7)
                },
                LAST_TENTH,
            )
            for planes in PLANES
        ]
        large = [
            Row.over_runs({"network": "MDLSTM", "opponent": opponent}, "mean fitness", found[opponent]["points"])
            for opponent in (OPPONENT, EXPERT)
        ]
        claims.append(
            Claim.positive(
                f"MDLSTMs trained on 7x7 reach the level of human beginners on {LARGE}x{LARGE}: they win at least as "
                f"often as they lose against {EXPERT}.",
                large[-1].ours,
                "mean fitness of the last champions",
            )
        )
        title = f"CONV trained on 7x7 against {OPPONENT}"
        compare_with_paper(bars, out / self.figure, title, "mean fitness, last tenth")
        caption = "Mean fitness at the end of training by the width p of the filters; 95 % intervals over runs."
        tables = [Table("Widths of filters", rows), Table(f"Last champions on {LARGE}x{LARGE}", large)]
        return Findings(tables, claims, [Picture(self.figure, caption)])
