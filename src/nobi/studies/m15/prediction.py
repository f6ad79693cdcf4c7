"""M15: symmetric weights (section 5.1), depth and width (5.2), guesses (figure 1), and the rank as an input."""

from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import ClassVar

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.statistics import Interval, all_positive
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import (
    TINY,
    GradientTraining,
    ImitationJob,
    PredictionJob,
    curve_lines,
    imitation_run,
    learning_conditions,
    move_rankings,
    prediction_job,
    published_accuracy,
    small_training,
    weight_count,
)

BOARD = (19,)
Shape = tuple[int, int]
"""Numbers of layers and filters."""
TEST_POSITIONS = 2_000_000
"""Number of test positions of the paper (section 3)."""
SYMMETRY: dict[Shape, tuple[float, float]] = {
    # network of the paper → accuracy without and with symmetric weights
    (3, 64): (43.3, 44.3),
    (6, 192): (49.6, 49.4),
}
DEPTH: dict[Shape, Interval] = {
    shape: published_accuracy(percent, TEST_POSITIONS)
    for shape, percent in {(3, 16): 37.5, (3, 128): 48.0, (6, 128): 51.2, (10, 128): 54.5, (12, 128): 55.2}.items()
}
"""Network → accuracy."""
TOP_TEN = published_accuracy(94.0, TEST_POSITIONS)
"""Share of expert moves among the ten best of the 12-layer network, %."""
GUESSES = (1, 2, 3, 5, 10, 20, 50)
DEVIATIONS = (
    "planes of own and enemy stones, where the paper's are black and white (tried in m15-claims); synchronous gradient "
    "descent, where the paper's is asynchronous with 50 replicas"
)
ACCURACY_CAPTION = "Accuracy with 95 % intervals; the paper's where the network is the same."
CURVES_CAPTION = "Accuracy on the same validation positions during training."


@dataclass(frozen=True)
class Networks:
    """The networks of a study and their training."""

    learning: GradientTraining
    shapes: tuple[Shape, ...]


PAPER = GradientTraining(epochs=28.0, schedule="m15")
"""The paper's training: 25 epochs and 3 of fine-tuning."""
DEPTH_SCALES = {
    "tiny": Networks(TINY, ((3, 4), (3, 8), (6, 4), (12, 4))),
    "quick": Networks(
        small_training(12_800, 1000, batch=32, validation=500, measurements=5), ((3, 16), (3, 32), (6, 16), (12, 16))
    ),
    "day": Networks(small_training(1_024_000, 50_000), ((3, 16), (3, 128), (6, 128))),
    "paper": Networks(PAPER, tuple(DEPTH)),
}
RANK_SCALES = {
    "tiny": Networks(TINY, ((3, 4),)),
    "quick": Networks(DEPTH_SCALES["quick"].learning, ((3, 32),)),
    "day": Networks(DEPTH_SCALES["day"].learning, ((3, 128),)),
    "paper": Networks(PAPER, ((10, 128),)),
}


def shape_text(shape: Shape) -> str:
    """Return a shape as text, such as `12 layers of 128`."""
    return f"{shape[0]} layers of {shape[1]}"


def network_run(study: Study, training: GradientTraining, shape: Shape, **settings: str) -> ImitationJob:
    """Return the run of a network on games of KGS."""
    more = "".join(f",{name}={value}" for name, value in settings.items())
    net = f"m15:layers={shape[0]},filters={shape[1]}{more}"
    return imitation_run(study, training, net, "kgs", BOARD, symmetries=True)


def depth_network(study: Study, shape: Shape) -> ImitationJob:
    """Return a network of the study of depth."""
    return network_run(study, DEPTH_SCALES[study.scale].learning, shape)


def rank_network(study: Study, *, rank: bool) -> ImitationJob:
    """Return the network of the study of ranks, with or without the rank as an input."""
    scale = RANK_SCALES[study.scale]
    return network_run(study, scale.learning, scale.shapes[0], **({} if rank else {"planes": "m15-norank"}))


def chains(shapes: tuple[Shape, ...]) -> dict[str, list[Shape]]:
    """Return the networks that differ only in depth, and those that differ only in width, in order."""
    widths = [filters for _, filters in shapes]
    common = max(widths, key=lambda filters: (widths.count(filters), filters))
    return {
        "Deeper": sorted(shape for shape in shapes if shape[1] == common),
        "Wider": sorted(shape for shape in shapes if shape[0] == min(depth for depth, _ in shapes)),
    }


class M15Study(Study):
    """Predictions of networks of M15 on games of KGS."""

    page = "m15-prediction"
    roles: ClassVar = {"kgs": BOARD}
    planes: ClassVar[str]
    """Description of the input planes."""

    def conditions(self) -> dict[str, str]:
        return {
            "networks": "m15: first layer 5x5, the others 3x3, biases for every point, a softmax for each colour",
            "deviations from the paper": DEVIATIONS,
            "planes": self.planes,
            **learning_conditions(self, self.settings.learning, "kgs", BOARD, symmetries=True, legal=False),
        }

    def prediction(self, run: ImitationJob) -> PredictionJob:
        """Return the predictions of a network."""
        return prediction_job(self, self.settings.learning, run, "kgs", BOARD, legal=False)


class Symmetry(M15Study):
    """M15 section 5.1: weights that are the same under all symmetries of the board."""

    name = "m15-symmetry"
    planes = "the paper's reduced set: stones, liberties, legality, the latest move"
    scales: ClassVar = {
        "tiny": Networks(TINY, ((3, 4), (6, 4))),
        "quick": Networks(small_training(16_000, 1000, batch=32, validation=500, measurements=5), ((3, 64), (6, 32))),
        "day": Networks(small_training(192_000, 50_000), ((3, 64), (6, 64))),
        "paper": Networks(PAPER, tuple(SYMMETRY)),
    }
    kinds = ("free", "symmetric")

    def run(self, shape: Shape, weights: str) -> ImitationJob:
        """Return a network with free or symmetric weights."""
        more = {"symmetric": "true"} if weights == "symmetric" else {}
        return network_run(self, self.settings.learning, shape, **more, planes="m15-reduced")

    def jobs(self) -> Jobs:
        return {key: self.prediction(self.run(*key)) for key in product(self.settings.shapes, self.kinds)}

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import validation_curves
        from nobi.imitation.metrics import gain_of, gains_apart, metrics_of

        rows, changes, bars, curves, pairs = [], [], [], {}, []
        rankings = {key: move_rankings(found[key]) for key in found.jobs}
        for shape, (paper_shape, paper) in zip(self.settings.shapes, SYMMETRY.items(), strict=True):
            name = shape_text(shape)
            for weights, number in zip(self.kinds, paper, strict=True):
                count = weight_count(self.run(shape, weights).settings.net)
                accuracy = 100 * metrics_of(rankings[shape, weights]).accuracy
                same = published_accuracy(number, TEST_POSITIONS) if shape == paper_shape else None
                labels = {"network": name, "weights": weights, "weight count": count}
                rows.append(Row(labels, "accuracy, %", accuracy, same))
                bars.append(PaperComparison(f"{name}, {weights}", accuracy, same))
                curves[f"{name}, {weights}"] = curve_lines(found.runs((shape, weights))[0])
            pairs.append((rankings[shape, "symmetric"], rankings[shape, "free"]))
            # where the paper's network is too large, its difference is compared with that of a smaller network
            suffix = "" if shape == paper_shape else f" (paper: {shape_text(paper_shape)})"
            gain, paper_gain = gain_of(*pairs[-1]).accuracy, round(paper[1] - paper[0], 1)
            changes.append(Row({"network": f"{name}{suffix}"}, "accuracy gained, points", 100 * gain, paper_gain, 0.0))
        shallow = gain_of(*pairs[0]).accuracy
        claims = [
            Claim.positive("Weight symmetries help small and shallow networks.", shallow, points=True),
            Claim.positive(
                "They help larger and deeper networks less.",
                gains_apart(*pairs),
                "the gain of the shallow network minus that of the deep one",
                points=True,
            ),
        ]
        curves_file = f"{self.name}-curves.png"
        compare_with_paper(bars, out / self.figure, "Accuracy with free and with symmetric weights", "accuracy, %")
        validation_curves(curves, out / curves_file, "Learning with free and symmetric weights")
        tables = [
            Table("Accuracy on the test split", rows),
            Table("Effect of symmetric weights, on the same positions", changes),
        ]
        return Findings(tables, claims, [Picture(self.figure, ACCURACY_CAPTION), Picture(curves_file, CURVES_CAPTION)])


class DepthStudy(M15Study):
    """Networks of several depths and widths."""

    planes = "all 36 of the paper, including the rank of the player"
    scales = DEPTH_SCALES

    def jobs(self) -> Jobs:
        return {shape: self.prediction(depth_network(self, shape)) for shape in self.settings.shapes}


class Depth(DepthStudy):
    """M15 section 5.2: accuracy of deeper and wider networks."""

    name = "m15-depth"

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import validation_curves
        from nobi.imitation.metrics import gain_of, metrics_of

        rankings = {shape: move_rankings(found[shape]) for shape in found.jobs}
        rows, bars, curves, claims = [], [], {}, []
        for shape in self.settings.shapes:
            name, accuracy = shape_text(shape), 100 * metrics_of(rankings[shape]).accuracy
            labels = {"network": name, "weight count": weight_count(depth_network(self, shape).settings.net)}
            rows.append(Row(labels, "accuracy, %", accuracy, DEPTH.get(shape)))
            bars.append(PaperComparison(name, accuracy, DEPTH.get(shape)))
            curves[name] = curve_lines(found.runs(shape)[0])
        for adjective, chain in chains(self.settings.shapes).items():
            gaps = {
                f"{shape_text(b)} minus {shape_text(a)}": gain_of(rankings[b], rankings[a]).accuracy
                for a, b in pairwise(chain)
            }
            claims.append(Claim.positive(f"{adjective} networks predict better.", gaps, points=True))
        curves_file = f"{self.name}-curves.png"
        compare_with_paper(bars, out / self.figure, "Accuracy of networks of different depth and width", "accuracy, %")
        validation_curves(curves, out / curves_file, "Learning of networks of different depth and width")
        pictures = [Picture(self.figure, ACCURACY_CAPTION), Picture(curves_file, CURVES_CAPTION)]
        return Findings([Table("Accuracy on the test split", rows)], claims, pictures)


class Figure1(DepthStudy):
    """M15 figure 1: how often the expert's move is among the n best."""

    name = "m15-fig1"

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import top_curve
        from nobi.imitation.metrics import guesses_gain, prediction_of

        rankings = {shape: move_rankings(found[shape]) for shape in found.jobs}
        top = {shape: prediction_of(one).top for shape, one in rankings.items()}
        rows = []
        for shape, n in product(self.settings.shapes, GUESSES):
            paper = DEPTH.get(shape) if n == 1 else TOP_TEN if n == 10 and shape == (12, 128) else None
            labels = {"network": shape_text(shape), "guesses": str(n)}
            rows.append(Row(labels, "accuracy, %", 100 * top[shape][n - 1], paper))
        *others, best = sorted(rankings, key=lambda shape: top[shape][0].value)
        several = [n for n in GUESSES if 1 < n <= 10]
        gaps = {
            shape: {n: guesses_gain(rankings[best], n, rankings[shape], n) for n in several} for shape in others[::-1]
        }
        ten = top[best][9]
        claims = [
            Claim(
                "The network that is best with one guess is ahead of every other with 2 to 10 guesses, too.",
                all_positive(gap for by_guesses in gaps.values() for gap in by_guesses.values()),
                "; ".join(
                    f"{shape_text(best)} minus {shape_text(shape)}: "
                    + ", ".join(f"{n} guesses {100 * gap:+.1f} points" for n, gap in by_guesses.items())
                    for shape, by_guesses in gaps.items()
                ),
            ),
            Claim(
                "The best network has the expert's move among its ten best at least 94 % of the time.",
                None if ten.low < 0.94 <= ten.high else ten.low >= 0.94,
                f"{shape_text(best)}: {100 * ten:.1f} %",
            ),
        ]
        curves = {shape_text(shape): curve for shape, curve in top.items()}
        top_curve(curves, out / self.figure, "The expert's move within n guesses")
        caption = "How often the expert's move is among the n best of each network, on the test split; bands are 95 %."
        return Findings([Table("Within n guesses", rows)], claims, [Picture(self.figure, caption)])


class Rank(M15Study):
    """M15 section 5.2: accuracy with and without the rank of the player as an input."""

    name = "m15-rank"
    planes = "all 36 of the paper, and all but the 9 of the rank"
    scales = RANK_SCALES
    kinds: ClassVar = {"with the rank": True, "without the rank": False}

    def jobs(self) -> Jobs:
        return {kind: self.prediction(rank_network(self, rank=rank)) for kind, rank in self.kinds.items()}

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.figures.training import accuracy_by_group
        from nobi.imitation.metrics import FEWEST_GAMES, gain_of, large_enough, prediction_of
        from nobi.records.properties import rank_name

        groups, rows = {}, []
        rankings = {kind: move_rankings(found[kind]) for kind in self.kinds}
        for kind, one in rankings.items():
            predicted = prediction_of(one)
            groups[kind] = {rank_name(rank): one.accuracy for rank, one in large_enough(predicted.by_rank).items()}
            for rank, accuracy in {"all": predicted.all.accuracy, **groups[kind]}.items():
                rows.append(Row({"network": kind, "rank of the player": rank}, "accuracy, %", 100 * accuracy))
        claim = Claim.positive(
            "Knowing the rank of the player makes the moves easier to predict.",
            gain_of(*rankings.values()).accuracy,
            "accuracy with the rank minus without",
            points=True,
        )
        accuracy_by_group(groups, out / self.figure, "rank of the player")
        caption = (
            f"Accuracy on the test split by the rank of the player to move; at least {FEWEST_GAMES} games per rank."
        )
        return Findings([Table("By rank of the player", rows)], [claim], [Picture(self.figure, caption)])
