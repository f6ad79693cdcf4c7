"""C14 section 4.1: the small network without some of its techniques (table 1), and its filters (figure 3)."""

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import all_positive, mean_interval
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import (
    TINY,
    GradientTraining,
    ImitationJob,
    curve_lines,
    imitation_run,
    learning_conditions,
    move_rankings,
    prediction_job,
    prediction_rows,
    small_training,
)

BOARD = (19,)
NONE, ALL, LIBERTIES_ONLY = "none", "all", "all but liberties"
SWITCHES = {
    # omitted technique → switches of the network that are off
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
TEST_POSITIONS = 1_300_000
"""Number of test positions of the paper (section 3.2)."""
SINGLE = [case for case, off in SWITCHES.items() if len(off) == 1]
SCALES = {
    "tiny": TINY,
    "quick": small_training(12_800, 1000, batch=32, validation=500, measurements=5),
    "day": small_training(512_000, 100_000),
    # the paper gives "0.01 for 7 epochs, and 0.05 for 2"; here the rates decrease
    "paper": GradientTraining(epochs=9.0, schedule="pieces:rates=0.05/0.01,lengths=7/2"),
}


def small_network(study: Study, left_out: str = NONE) -> ImitationJob:
    """Return the run of the small network on games of professionals, without some techniques."""
    off = ",".join(f"{switch}=false" for switch in SWITCHES[left_out])
    net = f"c14-small:{off}" if off else "c14-small"
    return imitation_run(study, SCALES[study.scale], net, "pro", BOARD, symmetries=False)


class AblationStudy(Study):
    """The small network, trained with and without each technique."""

    page = "c14-ablation"
    roles: ClassVar = {"pro": BOARD}
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        return {
            "network": "c14-small: 48 filters of 7x7, three layers of 32 of 5x5, one fully connected layer",
            **learning_conditions(self, self.settings, "pro", BOARD, symmetries=False, legal=True),
        }


class Table1(AblationStudy):
    """C14 table 1: what each idea of the paper is worth."""

    name = "c14-table1"

    def jobs(self) -> Jobs:
        return {
            case: prediction_job(self, self.settings, small_network(self, case), "pro", BOARD, legal=True)
            for case in SWITCHES
        }

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import validation_curves
        from nobi.imitation.metrics import gain_of, metrics_of

        rankings = {case: move_rankings(found[case]) for case in SWITCHES}
        rows, changes, bars, lost = [], [], [], {}
        for case in SWITCHES:
            labels = {"left out": case}
            rows += prediction_rows(labels, metrics_of(rankings[case]), TABLE_1[case], TEST_POSITIONS)
            if case != NONE:
                lost[case] = gain_of(rankings[NONE], rankings[case])
                paper = [round(a - b, 2) for a, b in zip(TABLE_1[NONE], TABLE_1[case], strict=True)]
                changes += prediction_rows(labels, lost[case], paper, differences=True)
                bars.append(PaperComparison(case, 100 * lost[case].accuracy, paper[0]))
        reflection = {
            case: gain_of(rankings[case], rankings["reflection preserving"]).accuracy
            for case in SINGLE
            if case != "reflection preserving"
        }
        accuracy = {case: change.accuracy for case, change in lost.items()}
        claims = [
            Claim.positive(
                "Reflection preservation is the most useful of the ideas.",
                reflection,
                "accuracy without another idea minus that without reflection preservation",
                points=True,
            ),
            Claim.positive("Reflection preservation raises accuracy.", accuracy["reflection preserving"], points=True),
            Claim.positive("The encoding of liberties raises accuracy.", accuracy["liberties encoding"], points=True),
            Claim(
                "All the techniques improve average rank and average probability.",
                all_positive(gap for case in SINGLE for gap in (-lost[case].rank, lost[case].probability)),
                "; ".join(
                    f"{case}: rank {lost[case].rank}, probability {100 * lost[case].probability:+.1f} points"
                    for case in SINGLE
                ),
            ),
            Claim.positive("Together they raise accuracy by over 3 %.", accuracy[ALL], null=0.03, points=True),
            Claim.positive(
                "They raise accuracy relative to the encoding of liberties alone by over 2 %.",
                accuracy[LIBERTIES_ONLY],
                null=0.02,
                points=True,
            ),
        ]
        title = "What leaving out an idea costs in accuracy"
        compare_with_paper(bars, out / self.figure, title, "accuracy lost, points")
        curves = {case: curve_lines(found.runs(case)[0]) for case in SWITCHES}
        title = "Learning of networks from which an idea is left out"
        validation_curves(curves, out / "c14-table1-curves.png", title)
        tables = [
            Table("Networks from which something is left out", rows),
            Table("Difference to the complete network, on the same positions", changes),
        ]
        caption = "Accuracy lost by leaving out an idea, with 95 % intervals, beside the paper's."
        curves_caption = "Accuracy on the same validation positions during training."
        pictures = [Picture(self.figure, caption), Picture("c14-table1-curves.png", curves_caption)]
        return Findings(tables, claims, pictures)


class Figure3(AblationStudy):
    """C14 figure 3: filters of the first layer, with and without reflection preservation."""

    name = "c14-fig3"
    networks: ClassVar = {"free": "reflection preserving", "tied": NONE}

    def jobs(self) -> Jobs:
        return {weights: small_network(self, case) for weights, case in self.networks.items()}

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import filter_figure, plane_names
        from nobi.imitation.prediction import first_filters
        from nobi.models.model import load_model

        rows, pictures, shares = [], [], {}
        for weights, case in self.networks.items():
            network = load_model(small_network(self, case).model(found.cache)).module()
            filters = first_filters(network)
            if filters is None:
                raise ValueError("the network has no convolution")
            shares[weights] = mean_interval(symmetric_share(filters))
            rows.append(Row({"weights": weights}, "symmetric share of a filter", shares[weights]))
            file = f"{self.name}-{weights}.png"
            title = f"Filters of the first layer of C14's small network, {weights} weights"
            names = plane_names(network.planes, network.settings)
            filter_figure(filters, out / file, title, names, seed=self.seed)
            caption = f"Randomly chosen channels of the filters of the first layer, {weights} weights."
            pictures.append(Picture(file, caption))
        expected = expected_symmetric_share(7)
        claim = Claim(
            "Even without weight tying some filters have learned to acquire a symmetric property.",
            (shares["free"] - expected).is_positive,
            f"symmetric share of a filter's squared norm {shares['free']}, of random filters {expected:.2f}",
        )
        return Findings([Table("How symmetric filters are", rows)], [claim], pictures)


def symmetric_share(filters: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the share of a filter's squared norm in its mean over the eight symmetries, [channel].

    It is 1 for a symmetric filter, 0 for a filter whose images cancel out.

    Args:
        filters: float32[outputs, inputs, width, width].
    """
    width = filters.shape[-1]
    flat = filters.reshape(-1, width, width).astype(np.float64)
    mirrored = np.concatenate([flat[None], flat.transpose(0, 2, 1)[None]])
    images = [np.rot90(mirrored, turns, axes=(2, 3)) for turns in range(4)]
    symmetric = np.mean(images, axis=(0, 1))
    norms = (flat**2).sum(axis=(1, 2))
    found: NDArray[np.float64] = (symmetric**2).sum(axis=(1, 2))[norms > 0] / norms[norms > 0]
    return found


def expected_symmetric_share(width: int) -> float:
    """Return the expected symmetric share of a filter of independent normal weights: distinct weights / all weights."""
    half = (width + 1) // 2
    return half * (half + 1) / 2 / width**2
