"""C14 section 4.2: the large network on games of professionals and of KGS (tables 2 and 3, figures 6 to 8)."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from nobi.statistics import Interval
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import (
    MAIN,
    TINY,
    GradientTraining,
    ImitationJob,
    PredictionJob,
    curve_lines,
    imitation_run,
    move_rankings,
    prediction_job,
    prediction_rows,
    published_accuracy,
    small_training,
)

if TYPE_CHECKING:
    from nobi.imitation.metrics import Prediction

BOARD = (19,)
RECORDS = {"pro": "professionals", "kgs": "KGS"}
PAPER = {
    # (records, split) → accuracy, rank, probability
    ("pro", "test"): (41.06, 5.91, 11.17),
    ("pro", "train"): (41.86, 5.78, 11.58),
    ("kgs", "test"): (44.37, 5.21, 13.12),
    ("kgs", "train"): (45.24, 5.07, 13.67),
}
POSITIONS = {"test": 1_300_000, "train": 14_700_000}
"""Number of test positions of the paper in each dataset (section 3.2)."""
PHASES = {
    "moves 1 to 10": (0, 10),
    "moves 11 to 50": (10, 50),
    "moves 51 to 150": (50, 150),
    "later moves": (150, 1000),
}
GUESSES = (1, 2, 3, 5, 10, 20, 40, 50)
SCALES = {
    "tiny": TINY,
    "quick": small_training(16_000, 1000, batch=32, validation=500, measurements=5),
    "day": small_training(512_000, 100_000),
    "paper": GradientTraining(epochs=10.0, schedule="c14"),
}


def large_network(study: Study, role: str) -> ImitationJob:
    """Return the run of the large network on the records of this role."""
    return imitation_run(study, SCALES[study.scale], "c14-large", role, BOARD, symmetries=False)


class LargeStudy(Study):
    """Predictions of the large network; the keys of jobs are (role, split)."""

    page = "c14-prediction"
    roles: ClassVar = {"pro": BOARD}
    scales = SCALES
    predictions: ClassVar[tuple[tuple[str, str], ...]] = (("pro", "test"),)
    main_role = ""
    """The role of the dataset on whose test split go-main is also measured."""

    def conditions(self) -> dict[str, str]:
        records = {}
        for role in self.roles:
            dataset, name = self.datasets[role], RECORDS[role]
            records[f"records, {name}"] = dataset.describe(BOARD)
            records[f"training, {name}"] = self.settings.describe(dataset.count("train", BOARD))
        layers = "64 filters of 7x7, layers of 64, 64, 48, 48, 32 and 32 of 5x5, one fully connected layer"
        return {
            "network": f"c14-large: {layers}; all ideas of the paper",
            **({"second network": MAIN.describe()} if self.main_role else {}),
            **records,
            "samples": "no symmetries of the board, as in the paper",
            "measured": self.settings.describe_test(legal=True),
        }

    def jobs(self) -> Jobs:
        jobs: dict[tuple[str, str], PredictionJob] = {
            (role, split): prediction_job(
                self, self.settings, large_network(self, role), role, BOARD, split, legal=True
            )
            for role, split in self.predictions
        }
        if self.main_role:
            jobs[self.main_role, MAIN.net] = prediction_job(
                self, self.settings, MAIN, self.main_role, BOARD, legal=True
            )
        return jobs

    def predicted(self, found: Results, role: str = "pro", split: str = "test") -> "Prediction":
        """Return the prediction metrics of the network trained on the records of a role on a split of them.

        The split `go-main` refers to the predictions of this network on the test split.
        """
        from nobi.imitation.metrics import prediction_of

        return prediction_of(move_rankings(found[role, split]))

    def accuracy_table(self, found: Results, role: str) -> tuple[Table, dict[str, Interval]]:
        """Return table 2 or 3, and the accuracy on each split."""
        metrics = {split: self.predicted(found, role, split).all for split in ("test", "train")}
        rows = []
        for split, one in metrics.items():
            labels = {"network": "c14-large", "records": RECORDS[role], "part": split}
            rows += prediction_rows(labels, one, PAPER[role, split], POSITIONS[split])
        labels = {"network": MAIN.net, "records": RECORDS[role], "part": "test"}
        rows += prediction_rows(labels, self.predicted(found, role, MAIN.net).all)
        table = Table("Accuracy, rank and probability of the expert's move", rows)
        return table, {split: one.accuracy for split, one in metrics.items()}


class Table2(LargeStudy):
    """C14 table 2: the large network on games of professionals."""

    name = "c14-table2"
    predictions = (("pro", "test"), ("pro", "train"))
    main_role = "pro"

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        table, accuracy = self.accuracy_table(found, "pro")
        gap = accuracy["train"] - accuracy["test"]
        claim = self.settings.overfitting(
            "Overfitting is not the primary problem: on games it has seen the network is ahead by less than 2 %.",
            gap,
            0.02,
            self.datasets["pro"].count("train", BOARD),
            f"accuracy on the train split minus the test split: {100 * gap:+.1f} points; the paper's: +0.8",
        )
        return Findings([table], [claim])


class Table3(LargeStudy):
    """C14 table 3: the large network on games of KGS."""

    name = "c14-table3"
    roles: ClassVar = {"pro": BOARD, "kgs": BOARD}
    predictions = (("pro", "test"), ("kgs", "test"), ("kgs", "train"))
    main_role = "kgs"

    def report(self, found: Results, out: Path) -> Findings:  # noqa: ARG002
        table, accuracy = self.accuracy_table(found, "kgs")
        claim = Claim.positive(
            "Moves of KGS are predicted better than those of professionals, each by a network trained on its kind.",
            accuracy["test"] - self.predicted(found).all.accuracy,
            "accuracy on KGS minus professionals (the paper's: +3.3)",
            points=True,
        )
        return Findings([table], [claim])


class Figure6(LargeStudy):
    """C14 figure 6: negative log likelihood in the course of training."""

    name = "c14-fig6"
    predictions = (("pro", "validation"),)

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import training_curve

        lines = curve_lines(found.runs(("pro", "validation"))[0])
        training_curve(lines, out / self.figure, "Training of C14's large network on games of professionals")
        losses = [line["validation_loss"] for line in lines]
        tenth = max(1, (len(losses) - 1) // 10)
        fallen, at_last = losses[0] - losses[-1], losses[-1 - tenth] - losses[-1]
        loss = self.predicted(found, split="validation").all.loss
        # a schedule that decays to zero ends every improvement, so the claim cannot be decided with it
        decides = "cosine" not in self.settings.schedule
        claim = Claim(
            "Improvement on the validation set has more or less slowed to a halt at the end.",
            at_last < 0.01 * fallen if decides else None,
            f"in the whole training the loss falls by {fallen:.3f}, in its last {tenth / (len(losses) - 1):.0%} by "
            f"{at_last:.3f}; less than a hundredth is a halt"
            + ("" if decides else "; not decided, because the rate falls to zero on a cosine here"),
        )
        caption = "Loss and accuracy on training and validation positions; dotted lines where the rate was lowered."
        table = Table(
            "Negative log likelihood", [Row({"part": "validation"}, "negative log likelihood in the end", loss)]
        )
        return Findings([table], [claim], [Picture(self.figure, caption)])


class Figure7(LargeStudy):
    """C14 figure 7: accuracy by the number of moves made."""

    name = "c14-fig7"

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import moves_curve
        from nobi.imitation.metrics import metrics_of

        rankings = move_rankings(found["pro", "test"])
        moves_curve({"c14-large": self.predicted(found).by_move}, out / self.figure)
        accuracy = {
            phase: metrics_of(rankings.select((rankings.ply >= first) & (rankings.ply < end))).accuracy
            for phase, (first, end) in PHASES.items()
        }
        rows = [Row({"phase": phase}, "accuracy, %", 100 * share) for phase, share in accuracy.items()]
        _, opening, middle, late = PHASES
        claim = Claim.positive(
            "The network is more accurate in the beginning and in the end game than in the middle game.",
            {f"{phase} minus {middle}": accuracy[phase] - accuracy[middle] for phase in (opening, late)},
            points=True,
        )
        caption = "Accuracy on the test split by the number of moves made; the band is 95 %."
        return Findings([Table("Phases of a game", rows)], [claim], [Picture(self.figure, caption)])


class Figure8(LargeStudy):
    """C14 figure 8: accuracy when several guesses are allowed."""

    name = "c14-fig8"

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import top_curve
        from nobi.imitation.metrics import guesses_gain

        rankings = move_rankings(found["pro", "test"])
        top = self.predicted(found).top
        top_curve({"c14-large": top}, out / self.figure, "The expert's move within n guesses")
        paper = published_accuracy(PAPER["pro", "test"][0], POSITIONS["test"])
        rows = [Row({"guesses": str(n)}, "accuracy, %", 100 * top[n - 1], paper if n == 1 else None) for n in GUESSES]
        wrong = 1 - top[0].value
        often = (1 / wrong if wrong else 0.0) * guesses_gain(rankings, 3, rankings, 1)
        missed = -(top[39] - 1)
        claims = [
            Claim(
                "If the best guess is wrong, the second or third is often right; often is one time in five here.",
                (often - 0.2).is_positive,
                f"{100 * often:.0f} % of these positions",
            ),
        ]
        note = f"The expert's move is not among the best 40 in {100 * missed:.1f} % of the positions."
        caption = "How often the expert's move is among the network's n best, on the test split; the band is 95 %."
        return Findings([Table("Within n guesses", rows)], claims, [Picture(self.figure, caption)], [note])
