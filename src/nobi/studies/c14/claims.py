"""Claims of the text of C14 without a table: architectures that were tried and rejected, ko, tied weights, records."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import Interval, share_interval
from nobi.studies.c14.ablation import BOARD
from nobi.studies.c14.ablation import SCALES as ABLATION_SCALES
from nobi.studies.c14.prediction import RECORDS
from nobi.studies.match_jobs import (
    NETWORK_MOVES,
    RANDOM_MOVES,
    MatchResult,
    match_notes,
    network_player,
    networks_match,
)
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import (
    TINY,
    GradientTraining,
    ImitationJob,
    KoJob,
    LegalChoicesJob,
    imitation_run,
    move_rankings,
    prediction_job,
    prediction_rows,
    small_training,
    weight_count,
)

if TYPE_CHECKING:
    from nobi.imitation.metrics import MoveRankings

USUAL = "as in the paper"
UNMASKED = "without masked training"
DEEP, FLAT = "many small filters, 6 layers", "few large filters, 2 layers"
AUGMENTED = "free weights, eight-fold samples"
NETWORKS = {
    USUAL: "",
    "convolutional top": "top=conv",
    "two fully connected layers": "dense=2",
    "tanh": "unit=tanh",
    "edge as enemy stones": "edge=false,enemy_edge=true",
    UNMASKED: "mask=false",
    # about as many multiplications as the usual network: 106, 108 and 116 thousand per point without the top
    DEEP: "filters=48/48/48/48/48/32,widths=5/3/3/3/3/3",
    FLAT: "filters=24/32,widths=11/11",
    AUGMENTED: "reflection=false",
}
"""label → settings; all have the same training, except that AUGMENTED uses random symmetries of the board."""
PAPER_KO = 2.4
"""Positions of professionals' games with a ko constraint, %."""
EIGHT_FOLD = Interval(8.0, 7.5, 8.5)
"""The paper: tying reduces the number of parameters "by about eight folds"."""
NEARLY_ALWAYS = 0.99
"""\"Very close to 100 %\"."""


@dataclass(frozen=True)
class ClaimsScale:
    """Training, games, and positions in which ko is counted."""

    size: int
    """The board of the changed networks. Small machines use 9x9, where training is five times as fast."""
    learning: GradientTraining
    """Training of the changed networks."""
    large: GradientTraining
    """Training of the networks of professionals' and of KGS games on 19x19."""
    games: int
    """Games between these two networks."""
    ko: int
    longest: int = 0

    @property
    def role(self) -> str:
        """The role of the dataset for the changed networks."""
        return "pro" if self.size == BOARD[0] else "small"

    def net(self, label: str) -> str:
        """Return the spec of a changed network."""
        size = "" if self.size == BOARD[0] else f"size={self.size}"
        changes = ",".join(filter(None, (size, NETWORKS[label])))
        return f"c14-small:{changes}" if changes else "c14-small"


class Claims(Study):
    """C14: claims of the text, on architecture, edge, legal moves, tied weights, ko and records."""

    name = "c14-claims"
    page = "c14-claims"
    roles: ClassVar = {"pro": BOARD, "kgs": BOARD, "small": (9,)}
    scales: ClassVar = {
        "tiny": ClaimsScale(9, TINY, TINY, 2, 100, 20),
        "quick": ClaimsScale(
            9,
            small_training(12_800, 5000, batch=32, validation=200, measurements=2),
            small_training(3200, 1000, batch=32, validation=200, measurements=2),
            2,
            10_000,
            100,
        ),
        "day": ClaimsScale(
            9,
            small_training(256_000, 20_000, batch=32, validation=500, measurements=4),
            small_training(51_200, 5000, batch=32, validation=500, measurements=4),
            20,
            50_000,
        ),
        "paper": ClaimsScale(19, ABLATION_SCALES["paper"], ABLATION_SCALES["paper"], 400, 0),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings
        board, own = (s.size,), self.datasets[s.role]
        stopped = f", stopped after {s.longest} moves" if s.longest else ""
        return {
            "changed networks": f"c14-small on {s.size}x{s.size}, and the same with one change",
            "edge as enemy stones": "the plane of enemy stones with three or more liberties is padded with ones",
            "few and many filters": "24 and 32 of 11x11; 48 of 5x5, 4 times 48 and 32 of 3x3; about as many "
            "multiplications as the usual network",
            "their records": own.describe(board),
            "their training": s.learning.describe(own.count("train", board)),
            "equal time": "a step with free weights takes nearly as long as one with tied weights (within a tenth on "
            "one core, on 9x9), so that equal numbers of steps are equal times",
            "samples": f"no symmetries of the board, except {AUGMENTED}: a random one for each sample",
            "measured": s.learning.describe_test(legal=True),
            "ko": f"counted in {f'{s.ko:,}' if s.ko else 'all'} positions of professionals' games on 19x19",
            **{f"19x19, {name}": self.datasets[role].describe(BOARD) for role, name in RECORDS.items()},
            **{
                f"training on 19x19, {name}": s.large.describe(self.datasets[role].count("train", BOARD))
                for role, name in RECORDS.items()
            },
            "games": f"{s.games} between the networks of professionals' and of KGS games on 19x19, Chinese rules, komi "
            f"7.5, {RANDOM_MOVES} random moves first, the same in two games with exchanged colours{stopped}",
            "move": NETWORK_MOVES,
        }

    def run(self, label: str) -> ImitationJob:
        """Return the run of a changed network."""
        s = self.settings
        return imitation_run(self, s.learning, s.net(label), s.role, (s.size,), symmetries=label == AUGMENTED)

    def jobs(self) -> Jobs:
        s = self.settings
        jobs: dict[Any, Any] = {
            label: prediction_job(self, s.learning, self.run(label), s.role, (s.size,), legal=True)
            for label in NETWORKS
        }
        jobs["ko"] = KoJob(self.datasets["pro"].digest, s.ko, BOARD[0], seed=self.seed)
        own = self.datasets[s.role].digest
        jobs["legal"] = LegalChoicesJob(
            self.run(UNMASKED), (own,), s.learning.test, sizes=(s.size,), legal=False, seed=self.seed
        )
        pro, kgs = (
            network_player(imitation_run(self, s.large, "c14-small", role, BOARD, symmetries=False), name)
            for role, name in RECORDS.items()
        )
        jobs["match"] = networks_match(pro, kgs, s.games, self.seed, longest=s.longest)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.imitation.metrics import gain_of, metrics_of

        rankings = {label: move_rankings(found[label]) for label in NETWORKS}
        rows, bars = [], []
        for label in NETWORKS:
            labels = {
                "network": label,
                "weights": weight_count(self.settings.net(label)),
                "CPU s of training": f"{found.cache.spent(self.run(label)).cpu:,.0f}",
            }
            rows += prediction_rows(labels, metrics_of(rankings[label]))
            if label != USUAL:
                bars.append(PaperComparison(label, 100 * gain_of(rankings[label], rankings[USUAL]).accuracy))
        ko, legal = found["ko"]["ko"], found["legal"]["legal"]
        match = MatchResult.from_arrays(found["match"])
        facts = [
            Row({"what": "positions with a ko constraint"}, "%", 100 * _share(ko), PAPER_KO),
            *self.tying(),
            Row({"what": "best point is legal, without masked training"}, "%", 100 * _share(legal)),
            Row({"what": f"games won by the network of professionals, of {match.games}"}, "%", 100 * match.share),
        ]
        compare_with_paper(bars, out / self.figure, "Accuracy with one change of c14-small", "accuracy gained, points")
        caption = "Accuracy of the changed networks minus that of the usual one on the same positions; 95 % intervals."
        tables = [Table("Networks with one change", rows), Table("Other numbers of the text", facts)]
        notes = match_notes({"professionals against KGS": match})
        return Findings(tables, self.claims(rankings, found), [Picture(self.figure, caption)], notes)

    @staticmethod
    def tying() -> list[Row]:
        """Return the ratios of numbers of free and tied weights."""
        from nobi.board.symmetry import cell_orbits
        from nobi.networks.deep import make_deep

        ratios = {}
        for name in ("c14-small", "c14-large"):
            tied, free = (make_deep(f"{name}:reflection={on}").weight_count() for on in ("true", "false"))
            ratios[f"weights of {name}, free over tied"] = free / tied
        for width in (5, 7):
            what = f"weights of a {width}x{width} filter, free over tied"
            ratios[what] = width**2 / (int(cell_orbits(width).max()) + 1)
        return [Row({"what": text}, "times", Interval(*[ratio] * 3), EIGHT_FOLD) for text, ratio in ratios.items()]

    def claims(self, rankings: "Mapping[str, MoveRankings]", found: Results) -> list[Claim]:
        """Return the claims on accuracy, legal moves and games."""
        from nobi.imitation.metrics import gain_of

        # with few positions, results show the speed of learning, not the final strength
        after = f"after {self.run(USUAL).positions:,} positions"

        def better(text: str, one: str, other: str) -> Claim:
            gain = gain_of(rankings[one], rankings[other]).accuracy
            return Claim.positive(
                f"{text.removesuffix('.')}, {after}.", gain, f"accuracy, {one} minus {other}", points=True
            )

        def seconds(label: str) -> str:
            return f"{label}: {found.cache.spent(self.run(label)).cpu:,.0f} CPU s of training"

        second = gain_of(rankings["two fully connected layers"], rankings[USUAL]).accuracy
        deep = better("Many small filters in a deep network are worth more than few large ones.", DEEP, FLAT)
        tied = better(
            "Tied weights are better than an eight-fold number of samples at equal numbers of steps, of equal cost.",
            USUAL,
            AUGMENTED,
        )
        match = MatchResult.from_arrays(found["match"])
        return [
            better("A fully connected top layer is better than a convolutional one.", USUAL, "convolutional top"),
            Claim(
                f"A second fully connected layer does not help, {after}.",
                (-second).is_positive,
                f"accuracy gained by it: {100 * second:+.1f} points",
            ),
            better("Rectifiers are slightly better than tanh.", USUAL, "tanh"),
            better("An edge that looks like enemy stones gives worse results.", USUAL, "edge as enemy stones"),
            Claim(deep.text, deep.holds, f"{deep.evidence}; {seconds(DEEP)}, {seconds(FLAT)}"),
            Claim(tied.text, tied.holds, f"{tied.evidence}; {seconds(USUAL)}, {seconds(AUGMENTED)}"),
            Claim.positive(
                f"Without masked training the network avoids illegal moves, very close to 100 %, {after}.",
                _share(found["legal"]["legal"]),
                "share of positions in which the best point is legal; 99 % is very close",
                null=NEARLY_ALWAYS,
            ),
            Claim.positive(
                "The network of professionals' games plays slightly better than that of KGS games.",
                match.share,
                f"{match} against each other",
                null=0.5,
            ),
        ]


def _share(found: NDArray[np.bool_]) -> Interval:
    return share_interval(int(found.sum()), len(found))
