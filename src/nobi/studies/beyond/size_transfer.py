"""Networks that serve every size of board, trained by gradient on small boards or on the large one, measured on all.

S09 names training by gradient as its next step; here its MDLSTM and a convolutional network that knows no size either
stand side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.study import Claim, Findings, Picture, Row, Table, verdict
from nobi.studies.training_jobs import TINY, DeepStudy, Imitation, Learning, Prediction, percent, points

SMALL, LARGE = (9, 13), (19,)
TRAINED = {"9x9 and 13x13": ("small", SMALL), "19x19": ("pro", LARGE)}
"""Where a network is trained → role and sizes."""
MEASURED = {9: "small", 13: "small", 19: "pro"}
"""Size → the role of the records it is measured on."""


@dataclass(frozen=True)
class Kinds:
    """The networks, and how they are trained."""

    mdlstm: str
    conv: str
    learning: Learning

    @property
    def named(self) -> dict[str, str]:
        """Name → network."""
        return {"MDLSTM": self.mdlstm, "nobi-net": self.conv}


def _planes(cells: int) -> str:
    return f"mdlstm:hidden={cells},planes=m15-norank"


class SizeTransfer(DeepStudy):
    """Trained on some sizes, measured on all."""

    name = "size-transfer"
    group = "size-transfer"
    title = "what networks trained on small boards know of 19x19, and the other way round"
    paper = ""
    roles: ClassVar = {"small": SMALL, "pro": LARGE}
    symmetries = True
    legal = True
    scales: ClassVar = {
        "tiny": Kinds(
            _planes(2),
            "nobi-net-v1:width=4,blocks=1",
            TINY,
        ),
        "quick": Kinds(
            _planes(8),
            "nobi-net-v1:width=16,blocks=2",
            Learning(16_000, 0.0, 1000, 32, "adamw", "cosine:rate=0.005", 1.0, validation=500, measurements=5),
        ),
        "day": Kinds(
            _planes(16),
            "nobi-net-v1:width=32,blocks=4",
            Learning(384_000, 0.0, 30_000, 128, "adamw", "cosine:rate=0.004", 1.0),
        ),
        "paper": Kinds(
            _planes(32),
            "nobi-net-v1",
            Learning(12_800_000, 0.0, 0, 128, "adamw", "cosine:rate=0.002", 1.0),
        ),
    }

    def learning(self) -> Learning:
        """How much is learnt."""
        found: Learning = self.settings.learning
        return found

    def run(self, kind: str, trained: str) -> Imitation:
        """A network, trained on some sizes."""
        role, sizes = TRAINED[trained]
        return self.train(self.settings.named[kind], role, sizes)

    def prediction(self, kind: str, trained: str, size: int) -> Prediction:
        """What it predicts on a size."""
        return self.test(self.run(kind, trained), MEASURED[size], (size,))

    def conditions(self) -> dict[str, str]:
        """Networks, records and training."""
        small, large = self.records["small"], self.records["pro"]
        kinds = self.settings.named
        weights = {kind: f"{self.run(kind, '19x19').weight_count():,} weights" for kind in kinds}
        return {
            "networks": "; ".join(f"{kind}: {net}, {weights[kind]}" for kind, net in kinds.items()),
            "records, small boards": small.in_words(SMALL),
            "records, 19x19": large.in_words(LARGE),
            "training on small boards": self.learning().in_words(small.count("train", SMALL)),
            "training on 19x19": self.learning().in_words(large.count("train", LARGE)),
            "sizes": "a batch has one size, drawn in proportion to the positions there are",
            "samples": "turned by a random symmetry of the board",
            "measured": self.measured_in_words().replace("the test part", "the test part of each size"),
        }

    def jobs(self) -> Sequence[Job]:
        """All networks on all sizes."""
        return [
            job
            for kind in self.settings.named
            for trained in TRAINED
            for job in (self.run(kind, trained), *(self.prediction(kind, trained, size) for size in MEASURED))
        ]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Accuracy on all sizes, and what it costs not to have seen one."""
        from nobi.figures.training import accuracy_by_group
        from nobi.imitation.prediction import gain_of, gains_apart, quality_of

        kinds = list(self.settings.named)
        rows, changes, groups, lost = [], [], {}, {}
        outcomes = {
            (kind, trained, size): self.prediction(kind, trained, size).outcomes(cache)
            for kind in kinds
            for trained in TRAINED
            for size in MEASURED
        }
        for kind in kinds:
            for trained, (_, sizes) in TRAINED.items():
                found = {size: quality_of(outcomes[kind, trained, size]) for size in MEASURED}
                groups[f"{kind}, trained on {trained}"] = {f"{n}x{n}": q.accuracy for n, q in found.items()}
                for size, quality in found.items():
                    labels = {"network": kind, "trained on": trained, "measured on": f"{size}x{size}"}
                    labels["seen"] = "yes" if size in sizes else "no"
                    rows.append(Row(labels, "accuracy, %", percent(quality.accuracy)))
                    rows.append(Row(labels, "rank", quality.rank))
            for size in MEASURED:
                (native,) = (trained for trained, (_, sizes) in TRAINED.items() if size in sizes)
                (stranger,) = (trained for trained in TRAINED if trained != native)
                lost[kind, size] = gain_of(outcomes[kind, native, size], outcomes[kind, stranger, size]).accuracy
                labels = {"network": kind, "board": f"{size}x{size}"}
                changes.append(Row(labels, "accuracy lost, points", percent(lost[kind, size])))
        claims = [
            Claim(
                f"{kind} predicts moves on 19x19 worse if it has learnt on small boards than if it has learnt there.",
                verdict(lost[kind, 19]),
                points(lost[kind, 19]),
            )
            for kind in kinds
        ]
        gap = gains_apart(*((outcomes[kind, "19x19", 19], outcomes[kind, "9x9 and 13x13", 19]) for kind in kinds[::-1]))
        claims.append(
            Claim(
                "On the way from small boards to 19x19, MDLSTM loses less accuracy than the convolutional network.",
                verdict(gap),
                f"nobi-net's loss minus MDLSTM's: {points(gap)}",
            )
        )
        accuracy_by_group(groups, folder / f"{self.name}.png", "board")
        caption = "Accuracy on the test part of each size, with 95 % intervals."
        tables = [
            Table("All networks on all boards", rows),
            Table("What it costs never to have seen the board, on the same positions", changes),
        ]
        return Findings(tables, claims, [Picture(f"{self.name}.png", caption)])
