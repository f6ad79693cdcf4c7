"""Claims of the text of M15: ladders, overfitting, time of a batch, accuracy and strength; absolute colours."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import Interval, share_interval
from nobi.studies.m15.games import other_rows
from nobi.studies.m15.prediction import BOARD, DEPTH, DEVIATIONS, PAPER, Shape, network_run, shape_text
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
    BatchTimeJob,
    GradientTraining,
    ImitationJob,
    PredictionJob,
    learning_conditions,
    move_rankings,
    prediction_job,
    small_training,
)

USUAL, NO_LADDER, ABSOLUTE, DEEP = "usual planes", "without ladders", "black and white stones", "deep"
CHANGES: dict[str, dict[str, str]] = {
    USUAL: {},
    NO_LADDER: {"planes": "m15-noladder"},
    ABSOLUTE: {"absolute": "true"},
}
"""label → settings of a network of the usual shape."""
LARGEST = "m15"
"""The largest network, with 12 layers of 128 filters."""
BATCH_SECONDS = 0.15
"""Seconds per batch of the largest network on the paper's GPU."""
PAPER_OVERFITTING = 0.5
"""Accuracy of 10 layers on the training set minus that on the test set, points."""


@dataclass(frozen=True)
class ClaimsScale:
    """Networks, training and games."""

    learning: GradientTraining
    usual: Shape
    deep: Shape
    others: tuple[Shape, ...]
    """Additional networks with the usual planes, for accuracy and strength."""
    games: int
    """Games of each pair of networks."""
    longest: int = 0
    largest: str = LARGEST
    """The network whose time is measured."""


class Claims(Study):
    """M15: claims of the text, on ladders, overfitting, speed, accuracy and strength."""

    name = "m15-claims"
    page = "m15-claims"
    roles: ClassVar = {"kgs": BOARD}
    scales: ClassVar = {
        "tiny": ClaimsScale(TINY, (2, 4), (4, 4), ((2, 2),), 2, 10, "m15:layers=2,filters=4"),
        "quick": ClaimsScale(
            small_training(6400, 1000, batch=32, validation=200, measurements=2), (3, 16), (10, 8), ((3, 8),), 2, 100
        ),
        "day": ClaimsScale(
            small_training(102_400, 10_000, batch=32, validation=500, measurements=4), (3, 32), (10, 16), ((3, 8),), 6
        ),
        "paper": ClaimsScale(PAPER, (12, 128), (10, 128), ((3, 16), (3, 128), (6, 128)), 200),
    }

    def conditions(self) -> dict[str, str]:
        s = self.settings
        stopped = f", stopped after {s.longest} moves" if s.longest else ""
        return {
            "networks": f"m15, {shape_text(s.usual)}, with the paper's 36 planes and with others; of other shapes "
            f"{', '.join(map(shape_text, (s.deep, *s.others)))}",
            "deviations from the paper": DEVIATIONS,
            **learning_conditions(self, s.learning, "kgs", BOARD, symmetries=True, legal=False),
            "overfitting": "as many positions of the train split, of which the network has seen the share stated above",
            "time": f"untrained {s.largest}, 128 positions, the best of three repetitions",
            "games": f"{s.games} of each pair of networks of different shapes, Chinese rules, komi 7.5, {RANDOM_MOVES} "
            f"random moves first, the same in two games with exchanged colours{stopped}; scored by nobi",
            "move": NETWORK_MOVES,
        }

    def run(self, shape: Shape, label: str = USUAL) -> ImitationJob:
        """Return the run of a network."""
        return network_run(self, self.settings.learning, shape, **CHANGES[label])

    def prediction(self, run: ImitationJob, split: str = "test") -> PredictionJob:
        """Return the predictions of a network."""
        return prediction_job(self, self.settings.learning, run, "kgs", BOARD, split, legal=False)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The networks that play against each other."""
        return (self.settings.usual, self.settings.deep, *self.settings.others)

    def jobs(self) -> Jobs:
        s = self.settings
        jobs: dict[Any, Any] = {label: self.prediction(self.run(s.usual, label)) for label in CHANGES}
        jobs |= {shape: self.prediction(self.run(shape)) for shape in self.shapes}
        jobs["train"] = self.prediction(self.run(s.deep), "train")
        jobs["time"] = BatchTimeJob(s.largest)
        for pair in combinations(self.shapes, 2):
            a, b = (network_player(self.run(shape), shape_text(shape)) for shape in pair)
            jobs[pair] = networks_match(a, b, s.games, self.seed, longest=s.longest)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.imitation.metrics import gain_of, metrics_of

        s = self.settings
        rankings = {key: move_rankings(found[key]) for key in (*CHANGES, *self.shapes, "train")}
        accuracy = {key: metrics_of(one).accuracy for key, one in rankings.items()}
        ladder = gain_of(rankings[USUAL], rankings[NO_LADDER]).accuracy
        colours = gain_of(rankings[USUAL], rankings[ABSOLUTE]).accuracy
        overfitting = accuracy["train"] - accuracy[s.deep]
        matches = {pair: MatchResult.from_arrays(found[pair]) for pair in combinations(self.shapes, 2)}
        seconds = float(found["time"]["seconds"].min())
        planes = [Row({"planes": label}, "accuracy, %", 100 * accuracy[label]) for label in CHANGES]
        facts = [
            Row({"what": "accuracy gained by the plane of ladders"}, "points", 100 * ladder, neutral=0.0),
            Row({"what": "accuracy gained by own and enemy stones over black and white"}, "points", 100 * colours),
            Row(
                {"what": f"{shape_text(s.deep)}: accuracy on the train split minus the test split"},
                "points",
                100 * overfitting,
                PAPER_OVERFITTING if s.deep == (10, 128) else None,
            ),
            Row(
                {"what": f"a batch of 128 positions, {s.largest}"},
                "seconds",
                Interval(*[seconds] * 3),
                BATCH_SECONDS if s.largest == LARGEST else None,
            ),
        ]
        bars = [PaperComparison(label, 100 * accuracy[label]) for label in CHANGES]
        bars += [PaperComparison(shape_text(shape), 100 * accuracy[shape], DEPTH.get(shape)) for shape in self.shapes]
        compare_with_paper(bars, out / self.figure, "Accuracy of small networks of M15", "accuracy, %")
        claims = [
            Claim.positive("The plane of ladders adds a small benefit.", ladder, points=True),
            s.learning.overfitting(
                "A network of 10 layers overfits by less than 1 %.",
                overfitting,
                0.01,
                self.datasets["kgs"].count("train", BOARD),
                f"{shape_text(s.deep)}, accuracy on the train minus the test split: {100 * overfitting:+.1f} points",
            ),
            self.strength(accuracy, matches),
        ]
        notes = match_notes({f"{shape_text(a)} against {shape_text(b)}": one for (a, b), one in matches.items()})
        notes.append(f"The paper's time of a batch is that of a graphics card, ours of {self.threads(found)}.")
        tables = [
            Table(f"Planes, {shape_text(s.usual)}", planes),
            Table("Numbers of the text", facts),
            Table("Accuracy and strength", self.strengths(accuracy, matches)),
            Table("Rows of the paper's table that are not its own networks", other_rows()),
        ]
        caption = "Accuracy on the test split with 95 % intervals; the paper's where the shape is the same."
        return Findings(tables, claims, [Picture(self.figure, caption)], notes)

    @staticmethod
    def threads(found: Results) -> str:
        """Return the threads of the measurement, in words."""
        threads = found.cache.threads
        return (
            f"{threads} thread{'s' if threads != 1 else ''} of a processor" if threads else "all threads of a processor"
        )

    def strength(self, accuracy: Mapping[Any, Interval], matches: Mapping[tuple[Shape, Shape], MatchResult]) -> Claim:
        """Return the claim that the network with the higher accuracy wins more games of a pair."""
        won = played = 0.0
        for (a, b), result in matches.items():
            won += result.points if accuracy[a].value >= accuracy[b].value else result.games - result.points
            played += result.games
        text = "Accuracy goes with strength: of two networks the one that predicts better wins more games."
        what = f"{won:g} of {played:g} games of {len(matches)} pairs"
        return Claim.positive(text, share_interval(won, played), what, null=0.5)

    def strengths(
        self, accuracy: Mapping[Any, Interval], matches: Mapping[tuple[Shape, Shape], MatchResult]
    ) -> list[Row]:
        """Return the accuracy of each network, and its share of games won against the others."""
        rows = []
        for shape in self.shapes:
            own = [(one.points, one.games) for (a, _), one in matches.items() if a == shape]
            own += [(one.games - one.points, one.games) for (_, b), one in matches.items() if b == shape]
            won, played = (sum(column) for column in zip(*own, strict=True))
            labels = {"network": shape_text(shape), "games": f"{played:g}"}
            rows.append(Row(labels, "accuracy, %", 100 * accuracy[shape]))
            rows.append(Row(labels, "games won against the others, %", 100 * share_interval(won, played)))
        return rows
