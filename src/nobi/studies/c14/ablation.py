"""C14 section 4.1: the small network with its ideas left out (table 1), and its filters (figure 3)."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import mean_interval
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.study import Claim, Findings, Picture, Row, Table, mean_text, negative, verdict, verdict_of_all
from nobi.studies.training_jobs import (
    TINY,
    DeepStudy,
    Imitation,
    Learning,
    Prediction,
    gain_rows,
    less,
    percent,
    points,
    quality_rows,
    small_scale,
)

BOARD = (19,)
NONE, ALL, LIBERTIES_ONLY = "none", "all", "all but liberties"
SWITCHES = {
    # what is left out → the switches of the network that are off
    NONE: (),
    "ko constraints": ("ko",),
    "edge encoding": ("edge",),
    "masked training": ("mask",),
    "liberties encoding": ("liberties",),
    "reflection preserving": ("reflection",),
    LIBERTIES_ONLY: ("ko", "edge", "mask", "reflection"),
    ALL: ("ko", "edge", "mask", "reflection", "liberties"),
}
TABLE_1 = {
    # accuracy, rank, probability
    NONE: (36.77, 7.50, 8.66),
    "ko constraints": (36.55, 7.59, 8.53),
    "edge encoding": (36.81, 7.64, 8.50),
    "masked training": (36.31, 7.66, 8.43),
    "liberties encoding": (35.65, 7.89, 8.11),
    "reflection preserving": (34.95, 8.32, 7.60),
    LIBERTIES_ONLY: (34.48, 8.36, 7.55),
    ALL: (33.45, 8.76, 7.07),
}
SINGLE = [case for case, off in SWITCHES.items() if len(off) == 1]


class AblationStudy(DeepStudy):
    """The small network, trained with and without each idea."""

    group = "c14-ablation"
    roles: ClassVar = {"pro": BOARD}
    symmetries = False
    legal = True
    scales: ClassVar = {
        "tiny": TINY,
        "quick": small_scale(12_800, 1000, batch=32, validation=500, measurements=5),
        "day": small_scale(192_000, 100_000),
        # the paper gives "0.01 for 7 epochs, and 0.05 for 2", here in the order in which rates fall
        "paper": Learning(epochs=9.0, schedule="pieces:rates=0.05/0.01,lengths=7/2"),
    }

    def run(self, left_out: str) -> Imitation:
        """The network without one of the ideas."""
        off = ",".join(f"{switch}=false" for switch in SWITCHES[left_out])
        return self.train(f"c14-small:{off}" if off else "c14-small", "pro", BOARD)

    def prediction(self, left_out: str) -> Prediction:
        """What that network predicts."""
        return self.test(self.run(left_out), "pro", BOARD)

    def conditions(self) -> dict[str, str]:
        """Network, records and training."""
        records = self.records["pro"]
        return {
            "network": "c14-small: 48 filters of 7x7, three layers of 32 of 5x5, one fully connected layer",
            "records": records.in_words(BOARD),
            "training": self.learning().in_words(records.count("train", BOARD)),
            "samples": "not turned, as in the paper",
            "measured": self.measured_in_words(),
        }


class Table1(AblationStudy):
    """The ablation study."""

    name = "c14-table1"
    title = "C14 table 1: what each idea of the paper is worth"
    paper = "C14 table 1"

    def jobs(self) -> Sequence[Job]:
        """A run and a prediction for every row."""
        return [job for case in SWITCHES for job in (self.run(case), self.prediction(case))]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The table, and the differences to the network from which nothing is left out."""
        from nobi.figures.training import validation_curves
        from nobi.imitation.prediction import gain_of, quality_of

        outcomes = {case: self.prediction(case).outcomes(cache) for case in SWITCHES}
        rows, changes = [], []
        lost, bars = {}, []
        for case in SWITCHES:
            labels = {"left out": case}
            rows += quality_rows(labels, quality_of(outcomes[case]), TABLE_1[case])
            if case == NONE:
                continue
            lost[case] = gain_of(outcomes[NONE], outcomes[case])
            paper = [round(a - b, 2) for a, b in zip(TABLE_1[NONE], TABLE_1[case], strict=True)]
            changes += gain_rows(labels, lost[case], paper)
            bars.append(PaperComparison(case, percent(lost[case].accuracy), paper[0]))
        least = {
            case: gain_of(outcomes[case], outcomes["reflection preserving"]).accuracy
            for case in SINGLE
            if case != "reflection preserving"
        }
        over_liberties = gain_of(outcomes[NONE], outcomes[LIBERTIES_ONLY]).accuracy
        claims = [
            Claim(
                "Reflection preservation is the most useful of the ideas.",
                verdict_of_all(least.values()),
                "accuracy without it is lower than "
                + "; ".join(f"without {case} by {points(gap)}" for case, gap in least.items()),
            ),
            *(
                Claim(f"{name} raises accuracy.", verdict(lost[case].accuracy), points(lost[case].accuracy))
                for case, name in (
                    ("reflection preserving", "Reflection preservation"),
                    ("liberties encoding", "The encoding of liberties"),
                )
            ),
            Claim(
                "All the techniques improve average rank and average probability.",
                verdict_of_all(gap for case in SINGLE for gap in (negative(lost[case].rank), lost[case].probability)),
                "; ".join(
                    f"{case}: rank {mean_text(lost[case].rank)}, probability {points(lost[case].probability)}"
                    for case in SINGLE
                ),
            ),
            Claim(
                "Together they raise accuracy by over 3 %.",
                verdict(less(lost[ALL].accuracy, 0.03)),
                points(lost[ALL].accuracy),
            ),
            Claim(
                "They raise accuracy relative to the encoding of liberties alone by over 2 %.",
                verdict(less(over_liberties, 0.02)),
                points(over_liberties),
            ),
        ]
        compare_with_paper(
            bars, folder / "c14-table1.png", "What leaving out an idea costs in accuracy", "accuracy lost, points"
        )
        curves = {case: self.run(case).lines(cache) for case in SWITCHES}
        validation_curves(
            curves, folder / "c14-table1-curves.png", "Learning of networks from which an idea is left out"
        )
        tables = [
            Table("Networks from which something is left out", rows),
            Table("Ahead by so much if nothing is left out, on the same positions", changes),
        ]
        pictures = [
            Picture(
                "c14-table1.png", "Accuracy lost by leaving out an idea, with 95 % intervals; the paper's beside it."
            ),
            Picture("c14-table1-curves.png", "Accuracy on the same validation positions in the course of training."),
        ]
        return Findings(tables, claims, pictures)


class Figure3(AblationStudy):
    """Filters with and without tied weights."""

    name = "c14-fig3"
    title = "C14 figure 3: filters of the first layer, with and without reflection preservation"
    paper = "C14 figure 3"
    networks: ClassVar = {"free": "reflection preserving", "tied": NONE}

    def jobs(self) -> Sequence[Job]:
        """Two runs of table 1."""
        return [self.run(case) for case in self.networks.values()]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The filters, and how symmetric they are."""
        from nobi.figures.training import filter_figure

        rows, pictures, shares = [], [], {}
        for spec, case in self.networks.items():
            filters = self.run(case).filters(cache)
            if filters is None:
                raise ValueError("the network has no convolution")
            shares[spec] = mean_interval(symmetric_share(filters))
            rows.append(Row({"weights": spec}, "symmetric share of a filter", shares[spec]))
            file = f"{self.name}-{spec}.png"
            title = f"Filters of the first layer of C14's small network, {spec} weights"
            filter_figure(filters, folder / file, title, self.run(case).plane_names(), seed=self.seed)
            pictures.append(
                Picture(file, f"Randomly chosen channels of the filters of the first layer, {spec} weights.")
            )
        by_chance = chance_share(7)
        claim = Claim(
            "Even without weight tying some filters have learned to acquire a symmetric property.",
            verdict(less(shares["free"], by_chance)),
            f"of a filter's squared length {mean_text(shares['free'])} is symmetric, by chance {by_chance:.2f}",
        )
        return Findings([Table("How symmetric filters are", rows)], [claim], pictures)


def symmetric_share(filters: NDArray[np.float32]) -> NDArray[np.float64]:
    """[channel] which share of a filter's squared length is in the part that all eight symmetries leave as it is.

    1 for a symmetric filter, 0 for one whose images cancel out.

    Args:
        filters: float32[outputs, inputs, width, width].
    """
    width = filters.shape[-1]
    flat = filters.reshape(-1, width, width).astype(np.float64)
    mirrored = np.concatenate([flat[None], flat.transpose(0, 2, 1)[None]])
    images = [np.rot90(mirrored, turns, axes=(2, 3)) for turns in range(4)]
    symmetric = np.mean(images, axis=(0, 1))
    lengths = (flat**2).sum(axis=(1, 2))
    found: NDArray[np.float64] = (symmetric**2).sum(axis=(1, 2))[lengths > 0] / lengths[lengths > 0]
    return found


def chance_share(width: int) -> float:
    """The expected symmetric share of a filter of independent normal weights: distinct weights among all."""
    half = (width + 1) // 2
    return half * (half + 1) / 2 / width**2
