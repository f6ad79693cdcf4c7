"""C14 section 4.2: the large network on games of professionals and of KGS (tables 2 and 3, figures 6 to 8)."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from nobi.statistics import Interval
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.study import Claim, Findings, Picture, Row, Table, verdict, verdict_of_all
from nobi.studies.training_jobs import (
    TINY,
    DeepStudy,
    Imitation,
    Learning,
    Prediction,
    apart,
    percent,
    points,
    quality_rows,
    small_scale,
)

BOARD = (19,)
RECORDS = {"pro": "professionals", "kgs": "KGS"}
PAPER = {
    # (records, part) → accuracy, rank, probability
    ("pro", "test"): (41.06, 5.91, 11.17),
    ("pro", "train"): (41.86, 5.78, 11.58),
    ("kgs", "test"): (44.37, 5.21, 13.12),
    ("kgs", "train"): (45.24, 5.07, 13.67),
}
PHASES = {
    "moves 1 to 10": (0, 10),
    "moves 11 to 50": (10, 50),
    "moves 51 to 150": (50, 150),
    "later moves": (150, 1000),
}
GUESSES = (1, 2, 3, 5, 10, 20, 40, 50)


class LargeStudy(DeepStudy):
    """The large network."""

    group = "c14-prediction"
    roles: ClassVar = {"pro": BOARD}
    symmetries = False
    legal = True
    scales: ClassVar = {
        "tiny": TINY,
        "quick": small_scale(16_000, 1000, batch=32, validation=500, measurements=5),
        "day": small_scale(192_000, 100_000),
        "paper": Learning(epochs=10.0, schedule="c14"),
    }

    def run(self, role: str = "pro") -> Imitation:
        """The network, trained on the records of this role."""
        return self.train("c14-large", role, BOARD)

    def prediction(self, role: str = "pro", split: str = "test") -> Prediction:
        """What it predicts of a part of the same records."""
        return self.test(self.run(role), role, BOARD, split)

    def conditions(self) -> dict[str, str]:
        """Network, records and training."""
        both = {}
        for role in self.roles:
            records, name = self.records[role], RECORDS[role]
            both[f"records, {name}"] = records.in_words(BOARD)
            both[f"training, {name}"] = self.learning().in_words(records.count("train", BOARD))
        layers = "64 filters of 7x7, layers of 64, 64, 48, 48, 32 and 32 of 5x5, one fully connected layer"
        return {
            "network": f"c14-large: {layers}; all ideas of the paper",
            **both,
            "samples": "not turned, as in the paper",
            "measured": self.measured_in_words(),
        }

    def jobs(self) -> Sequence[Job]:
        """The run on professionals' games and what it predicts."""
        return [self.run(), self.prediction()]

    def accuracy_rows(self, cache: JobCache, role: str) -> tuple[list[Row], dict[str, Interval]]:
        """The rows of one table, and the accuracy on each part."""
        rows, accuracy = [], {}
        for split in ("test", "train"):
            quality = self.prediction(role, split).predicted(cache).all
            accuracy[split] = quality.accuracy
            rows += quality_rows({"records": RECORDS[role], "part": split}, quality, PAPER[role, split])
        return rows, accuracy


class Table2(LargeStudy):
    """Games of professionals."""

    name = "c14-table2"
    title = "C14 table 2: the large network on games of professionals"
    paper = "C14 table 2"

    def jobs(self) -> Sequence[Job]:
        """A run, and both parts."""
        return [self.run(), self.prediction(), self.prediction(split="train")]

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table."""
        rows, accuracy = self.accuracy_rows(cache, "pro")
        gap = apart(accuracy["train"], accuracy["test"])
        claim = Claim(
            "Overfitting is not the primary problem: on games it has seen the network is ahead by less than 2 %.",
            verdict(Interval(0.02 - gap.value, 0.02 - gap.high, 0.02 - gap.low)),
            f"accuracy on the train part minus the test part: {points(gap)}; the paper's: +0.8",
        )
        return Findings([Table("Accuracy, rank and probability of the expert's move", rows)], [claim])


class Table3(LargeStudy):
    """Games of KGS."""

    name = "c14-table3"
    title = "C14 table 3: the large network on games of KGS"
    paper = "C14 table 3"
    roles: ClassVar = {"pro": BOARD, "kgs": BOARD}

    def jobs(self) -> Sequence[Job]:
        """A run on KGS and both parts, and table 2's test to compare with."""
        kgs = [self.run("kgs"), self.prediction("kgs"), self.prediction("kgs", "train")]
        return [*super().jobs(), *kgs]

    def report(self, cache: JobCache, folder: Path) -> Findings:  # noqa: ARG002
        """The table."""
        rows, accuracy = self.accuracy_rows(cache, "kgs")
        gap = apart(accuracy["test"], self.prediction("pro").predicted(cache).all.accuracy)
        claim = Claim(
            "Moves of KGS are predicted better than those of professionals, each by a network trained on its kind.",
            verdict(gap),
            f"accuracy on KGS minus professionals: {points(gap)}; the paper's: +3.3",
        )
        return Findings([Table("Accuracy, rank and probability of the expert's move", rows)], [claim])


class Figure6(LargeStudy):
    """The learning curve."""

    name = "c14-fig6"
    title = "C14 figure 6: negative log likelihood in the course of training"
    paper = "C14 figure 6"

    def jobs(self) -> Sequence[Job]:
        """Table 2's run, and what it predicts of the validation part in the end."""
        return [self.run(), self.prediction(split="validation")]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The curve, and how much the last tenth of it falls."""
        from nobi.figures.training import training_curve

        lines = self.run().lines(cache)
        training_curve(lines, folder / f"{self.name}.png", "Training of C14's large network on games of professionals")
        losses = [line["validation_loss"] for line in lines]
        tenth = max(1, (len(losses) - 1) // 10)
        fallen, at_last = losses[0] - losses[-1], losses[-1 - tenth] - losses[-1]
        end = self.prediction(split="validation").predicted(cache).all
        rows = [Row({"part": "validation"}, "negative log likelihood in the end", end.loss)]
        claim = Claim(
            "Improvement on the validation set has more or less slowed to a halt at the end.",
            at_last < 0.01 * fallen,
            f"in the whole training the loss falls by {fallen:.3f}, in its last {tenth / (len(losses) - 1):.0%} by "
            f"{at_last:.3f}; less than a hundredth is a halt",
        )
        caption = "Loss and accuracy on training and validation positions; dotted lines where the rate was lowered."
        return Findings([Table("Negative log likelihood", rows)], [claim], [Picture(f"{self.name}.png", caption)])


class Figure7(LargeStudy):
    """Accuracy by move number."""

    name = "c14-fig7"
    title = "C14 figure 7: accuracy by the number of moves made"
    paper = "C14 figure 7"

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The curve, and the phases of the game."""
        from nobi.figures.training import moves_curve
        from nobi.imitation.prediction import quality_of

        job = self.prediction()
        outcomes = job.outcomes(cache)
        moves_curve({"c14-large": job.predicted(cache).by_move}, folder / f"{self.name}.png")
        rows, accuracy = [], {}
        for phase, (first, end) in PHASES.items():
            accuracy[phase] = quality_of(outcomes.select((outcomes.ply >= first) & (outcomes.ply < end))).accuracy
            rows.append(Row({"phase": phase}, "accuracy, %", percent(accuracy[phase])))
        _, opening, middle, late = PHASES
        gaps = {phase: apart(accuracy[phase], accuracy[middle]) for phase in (opening, late)}
        claim = Claim(
            "The network is more accurate in the beginning and in the end game than in the middle game.",
            verdict_of_all(gaps.values()),
            "; ".join(f"{phase} minus {middle}: {points(gap)}" for phase, gap in gaps.items()),
        )
        caption = "Accuracy on the test part by how many moves were made; the band is 95 %."
        return Findings([Table("Phases of a game", rows)], [claim], [Picture(f"{self.name}.png", caption)])


class Figure8(LargeStudy):
    """Accuracy when several guesses are allowed."""

    name = "c14-fig8"
    title = "C14 figure 8: accuracy when several guesses are allowed"
    paper = "C14 figure 8"

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """The curve."""
        from nobi.figures.training import top_curve
        from nobi.imitation.prediction import guesses_gain

        job = self.prediction()
        top = job.predicted(cache).top
        top_curve({"c14-large": top}, folder / f"{self.name}.png", "The expert's move within n guesses")
        rows = [
            Row({"guesses": str(n)}, "accuracy, %", percent(top[n - 1]), PAPER["pro", "test"][0] if n == 1 else None)
            for n in GUESSES
        ]
        wrong = 1 - top[0].value
        outcomes = job.outcomes(cache)
        more = guesses_gain(outcomes, 3, outcomes, 1)
        often = Interval(*(getattr(more, bound) / wrong if wrong else 0.0 for bound in ("value", "low", "high")))
        beyond = Interval(1 - top[39].value, 1 - top[39].high, 1 - top[39].low)
        claims = [
            Claim(
                "If the best guess is wrong, the second or third is often right; often is one time in five here.",
                verdict(Interval(often.value - 0.2, often.low - 0.2, often.high - 0.2)),
                f"{100 * often.value:.0f} % [{100 * often.low:.0f}, {100 * often.high:.0f}] of these positions",
            ),
            Claim(
                "There are times when the expert's move is not among the best 40.",
                verdict(beyond),
                f"{100 * beyond.value:.1f} % [{100 * beyond.low:.1f}, {100 * beyond.high:.1f}] of the positions",
            ),
        ]
        caption = "How often the expert's move is among the network's n best, on the test part; the band is 95 %."
        return Findings([Table("Within n guesses", rows)], claims, [Picture(f"{self.name}.png", caption)])
