"""Size-independent networks, trained by gradient descent on small boards or on 19x19, and measured on all boards.

S09 names gradient training as future work; here its MDLSTM is compared with a size-independent convolutional network.
"""

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import ClassVar

from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import (
    TINY,
    GradientTraining,
    ImitationJob,
    imitation_run,
    move_rankings,
    prediction_job,
    small_training,
    weight_count,
)

SMALL, LARGE = (9, 13), (19,)
TRAINED = {"9x9 and 13x13": ("small", SMALL), "19x19": ("pro", LARGE)}
"""Boards of training → role and sizes of the dataset."""
MEASURED = {9: "small", 13: "small", 19: "pro"}
"""Board of the test → role of the dataset."""


@dataclass(frozen=True)
class SizeNetworks:
    """The networks and their training."""

    named: dict[str, tuple[str, GradientTraining]]
    """Name → network and training."""


def _scale(hidden: int, shape: str, positions: int, test: int, **changes: int) -> SizeNetworks:
    """Return both networks, with the same number of positions, each with a suitable optimiser."""
    training = small_training(positions, test, **changes)
    swiping = replace(training, schedule="cosine:rate=0.004")
    residual = replace(training, optimiser="muon", schedule="wsd:rate=0.006,warmup=0.01,decay=0.2", clip=0.0)
    return SizeNetworks(
        {
            "MDLSTM": (f"mdlstm:hidden={hidden},planes=m15-norank", swiping),
            "nobi-net": (f"nobi-net:{shape}", residual),
        }
    )


SCALES = {
    "tiny": SizeNetworks(
        {"MDLSTM": ("mdlstm:hidden=2,planes=m15-norank", TINY), "nobi-net": ("nobi-net:width=16,blocks=1", TINY)}
    ),
    "quick": _scale(8, "width=16,blocks=2", 16_000, 1000, batch=32, validation=500, measurements=5),
    "day": _scale(16, "width=64,blocks=6", 1_024_000, 30_000),
    "paper": _scale(32, "width=64,blocks=6", 12_800_000, 0),
}


def size_network(study: Study, kind: str, trained: str) -> ImitationJob:
    """Return the run of a network on the boards of training."""
    role, sizes = TRAINED[trained]
    net, training = SCALES[study.scale].named[kind]
    return imitation_run(study, training, net, role, sizes, symmetries=True)


class SizeTransfer(Study):
    """Networks trained on small boards measured on 19x19, and the other way round."""

    name = "size-transfer"
    page = "size-transfer"
    roles: ClassVar = {"small": SMALL, "pro": LARGE}
    scales = SCALES

    def conditions(self) -> dict[str, str]:
        small, large = self.datasets["small"], self.datasets["pro"]
        nets = [f"{kind}: {net}, {weight_count(net)} weights" for kind, (net, _) in self.settings.named.items()]
        trainings = {kind: training for kind, (_, training) in self.settings.named.items()}
        training = trainings["MDLSTM"]
        return {
            "networks": "; ".join(nets),
            "records, small boards": small.describe(SMALL),
            "records, 19x19": large.describe(LARGE),
            **{
                f"training of {kind} on {boards}": one.describe(data.count("train", sizes))
                for kind, one in trainings.items()
                for boards, data, sizes in (("small boards", small, SMALL), ("19x19", large, LARGE))
            },
            "sizes": "a batch has one size, drawn in proportion to the number of positions",
            "samples": "a random symmetry of the board for each sample",
            "measured": training.describe_test(legal=True).replace("the test split", "the test split of each size"),
        }

    def jobs(self) -> Jobs:
        return {
            (kind, trained, size): prediction_job(
                self,
                self.settings.named[kind][1],
                size_network(self, kind, trained),
                MEASURED[size],
                (size,),
                legal=True,
            )
            for kind, trained, size in product(self.settings.named, TRAINED, MEASURED)
        }

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import accuracy_by_group
        from nobi.imitation.metrics import gain_of, gains_apart, metrics_of

        rankings = {key: move_rankings(found[key]) for key in found.jobs}
        rows, changes, groups, lost, claims = [], [], {}, {}, []
        for kind, trained in product(self.settings.named, TRAINED):
            metrics = {f"{size}x{size}": metrics_of(rankings[kind, trained, size]) for size in MEASURED}
            groups[f"{kind}, trained on {trained}"] = {board: one.accuracy for board, one in metrics.items()}
            for board, one in metrics.items():
                labels = {"network": kind, "trained on": trained, "measured on": board}
                labels["seen"] = "yes" if board in trained.split(" and ") else "no"
                rows.append(Row(labels, "accuracy, %", 100 * one.accuracy))
                rows.append(Row(labels, "rank", one.rank))
        for kind, size in product(self.settings.named, MEASURED):
            seen, unseen = sorted(TRAINED, key=lambda trained: size not in TRAINED[trained][1])
            lost[kind, size] = gain_of(rankings[kind, seen, size], rankings[kind, unseen, size]).accuracy
            labels = {"network": kind, "board": f"{size}x{size}"}
            changes.append(Row(labels, "accuracy lost, points", 100 * lost[kind, size]))
        for kind in self.settings.named:
            text = f"{kind} predicts moves on 19x19 worse after training on small boards than after training on 19x19."
            claims.append(Claim.positive(text, lost[kind, 19], points=True))
        mdlstm, conv = (
            (rankings[kind, "19x19", 19], rankings[kind, "9x9 and 13x13", 19]) for kind in self.settings.named
        )
        text = "From small boards to 19x19, MDLSTM loses less accuracy than the convolutional network."
        claims.append(Claim.positive(text, gains_apart(conv, mdlstm), "nobi-net's loss minus MDLSTM's", points=True))
        accuracy_by_group(groups, out / self.figure, "board")
        caption = "Accuracy on the test split of each size, with 95 % intervals."
        tables = [
            Table("All networks on all boards", rows),
            Table("Accuracy lost on boards not seen in training, on the same positions", changes),
        ]
        return Findings(tables, claims, [Picture(self.figure, caption)])
