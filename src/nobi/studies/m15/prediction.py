"""M15: symmetric weights (section 5.1), depth and width (5.2), guesses (figure 1), and the rank as an input.

How often the networks of `Depth` and `Rank` win is measured elsewhere; their runs are pieces that any study can ask
for, as in `Depth(scale, seed, records).run(12, 128)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.study import Claim, Findings, Picture, Row, Table, verdict, verdict_of_all
from nobi.studies.training_jobs import TINY, DeepStudy, Imitation, Learning, Prediction, percent, points, small_scale

if TYPE_CHECKING:
    from nobi.imitation.prediction import MoveRankings


BOARD = (19,)
SYMMETRY = {
    # (layers, filters) of the paper → accuracy without and with symmetric weights
    (3, 64): (43.3, 44.3),
    (6, 192): (49.6, 49.4),
}
DEPTH = {(3, 16): 37.5, (3, 128): 48.0, (6, 128): 51.2, (10, 128): 54.5, (12, 128): 55.2}
"""(layers, filters) → accuracy."""
TOP_TEN = 94.0
"""How often the move is among the ten best of the 12-layer network, %."""
GUESSES = (1, 2, 3, 5, 10, 20, 50)

Shape = tuple[int, int]
"""Layers and filters."""


@dataclass(frozen=True)
class Networks:
    """Which networks are trained, and how."""

    learning: Learning
    shapes: tuple[Shape, ...]
    """Layers and filters."""


PAPER = Learning(epochs=28.0, schedule="m15")
"""25 epochs and 3 of fine-tuning."""
SYMMETRY_SCALES = {
    "tiny": Networks(TINY, ((3, 4), (6, 4))),
    "quick": Networks(small_scale(16_000, 1000, batch=32, validation=500, measurements=5), ((3, 64), (6, 32))),
    "day": Networks(small_scale(192_000, 50_000), ((3, 64), (6, 64))),
    "paper": Networks(PAPER, ((3, 64), (6, 192))),
}
DEPTH_SCALES = {
    "tiny": Networks(TINY, ((3, 4), (3, 8), (6, 4), (12, 4))),
    "quick": Networks(
        small_scale(12_800, 1000, batch=32, validation=500, measurements=5), ((3, 16), (3, 32), (6, 16), (12, 16))
    ),
    "day": Networks(small_scale(192_000, 50_000), ((3, 16), (3, 32), (3, 64), (3, 128), (6, 32), (10, 32), (12, 32))),
    "paper": Networks(PAPER, tuple(DEPTH)),
}


class M15Study(DeepStudy):
    """Networks of M15 on games of KGS."""

    group = "m15-prediction"
    roles: ClassVar = {"kgs": BOARD}
    symmetries = True
    legal = False
    planes: ClassVar[str]
    """What the networks see, in words."""

    def learning(self) -> Learning:
        """How much is learnt."""
        found: Learning = self.settings.learning
        return found

    def net(self, shape: Shape, **settings: str) -> Imitation:
        """The run of a network of this shape, with more settings."""
        layers, filters = shape
        more = "".join(f",{name}={value}" for name, value in settings.items())
        return self.train(f"m15:layers={layers},filters={filters}{more}", "kgs", BOARD)

    def prediction(self, run: Imitation) -> Prediction:
        """What it predicts."""
        return self.test(run, "kgs", BOARD)

    def conditions(self) -> dict[str, str]:
        """Networks, records and training."""
        records = self.records["kgs"]
        return {
            "networks": "m15: first layer 5x5, the others 3x3, biases for every point, a softmax for each colour",
            "planes": self.planes,
            "records": records.in_words(BOARD),
            "training": self.learning().in_words(records.count("train", BOARD)),
            "samples": "turned by a random symmetry of the board",
            "measured": self.measured_in_words(),
        }


class Symmetry(M15Study):
    """Symmetric weights."""

    name = "m15-symmetry"
    title = "M15 section 5.1: weights that are the same under all symmetries of the board"
    paper = "M15 section 5.1"
    planes = "the paper's reduced set: stones, liberties, legality, the latest move"
    scales = SYMMETRY_SCALES

    def run(self, shape: Shape, *, symmetric: bool) -> Imitation:
        """A network with or without symmetric weights."""
        more = {"symmetric": "true"} if symmetric else {}
        return self.net(shape, **more, planes="m15-reduced")

    def jobs(self) -> Sequence[Job]:
        """Both kinds of all networks."""
        runs = [self.run(shape, symmetric=s) for shape in self.settings.shapes for s in (False, True)]
        return [job for run in runs for job in (run, self.prediction(run))]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Accuracy, and what symmetry adds."""
        from nobi.figures.training import validation_curves
        from nobi.imitation.prediction import gain_of, gains_apart, quality_of

        rows, changes, bars, gains, curves, pairs = [], [], [], {}, {}, []
        for shape, papers in zip(self.settings.shapes, SYMMETRY.items(), strict=True):
            (paper_shape, paper) = papers
            outcomes = []
            for symmetric in (False, True):
                run = self.run(shape, symmetric=symmetric)
                outcomes.append(self.prediction(run).outcomes(cache))
                weights = "symmetric" if symmetric else "free"
                labels = {"network": shape_text(shape), "weights": weights, "weight count": f"{run.weight_count():,}"}
                accuracy = percent(quality_of(outcomes[-1]).accuracy)
                # the paper's figure stands beside a network of its shape, or of fewer filters where that is too much
                figure = paper[symmetric]
                rows.append(Row(labels, "accuracy, %", accuracy, figure if shape == paper_shape else None))
                bars.append(
                    PaperComparison(
                        f"{shape_text(shape)}, {weights}", accuracy, figure if shape == paper_shape else None
                    )
                )
                curves[f"{shape_text(shape)}, {weights}"] = run.lines(cache)
            pairs.append((outcomes[1], outcomes[0]))
            gains[shape] = gain_of(*pairs[-1]).accuracy
            of_paper = "" if shape == paper_shape else f" (paper: {shape_text(paper_shape)})"
            labels = {"network": f"{shape_text(shape)}{of_paper}"}
            changes.append(
                Row(labels, "accuracy gained, points", percent(gains[shape]), round(paper[1] - paper[0], 1), 0.0)
            )
        shallow, gap = gains[self.settings.shapes[0]], gains_apart(*pairs)
        claims = [
            Claim("Weight symmetries help small and shallow networks.", verdict(shallow), points(shallow)),
            Claim(
                "They help larger and deeper networks less.",
                verdict(gap),
                f"the gain of the shallow network minus that of the deep one: {points(gap)}",
            ),
        ]
        compare_with_paper(
            bars, folder / f"{self.name}.png", "Accuracy with free and with symmetric weights", "accuracy, %"
        )
        validation_curves(curves, folder / f"{self.name}-curves.png", "Learning with free and symmetric weights")
        tables = [Table("Accuracy on the test part", rows), Table("What symmetry adds, on the same positions", changes)]
        pictures = [
            Picture(f"{self.name}.png", "Accuracy with 95 % intervals; the paper's where the network is the same."),
            Picture(f"{self.name}-curves.png", "Accuracy on the same validation positions in the course of training."),
        ]
        return Findings(tables, claims, pictures)


class DepthStudy(M15Study):
    """Networks of several depths and widths."""

    planes = "all 36 of the paper, the rank of the player among them"
    scales = DEPTH_SCALES

    def run(self, layers: int, filters: int) -> Imitation:
        """The network of so many layers and filters."""
        return self.net((layers, filters))

    def jobs(self) -> Sequence[Job]:
        """All networks."""
        runs = [self.run(*shape) for shape in self.settings.shapes]
        return [job for run in runs for job in (run, self.prediction(run))]

    def outcomes(self, cache: JobCache) -> "dict[Shape, MoveRankings]":
        """What the networks predict."""
        return {shape: self.prediction(self.run(*shape)).outcomes(cache) for shape in self.settings.shapes}

    def chains(self) -> dict[str, list[Shape]]:
        """Networks that differ in depth alone, and in width alone, in order."""
        shapes = self.settings.shapes
        widths = [filters for _, filters in shapes]
        common = max(widths, key=lambda filters: (widths.count(filters), filters))
        return {
            "Deeper": sorted(shape for shape in shapes if shape[1] == common),
            "Wider": sorted(shape for shape in shapes if shape[0] == min(depth for depth, _ in shapes)),
        }


class Depth(DepthStudy):
    """Accuracy by depth and width."""

    name = "m15-depth"
    title = "M15 section 5.2: accuracy of deeper and wider networks"
    paper = "M15 section 5.2"

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Accuracy of all networks."""
        from nobi.figures.training import validation_curves
        from nobi.imitation.prediction import gain_of, quality_of

        outcomes = self.outcomes(cache)
        rows, bars, curves = [], [], {}
        for shape in self.settings.shapes:
            run, accuracy = self.run(*shape), percent(quality_of(outcomes[shape]).accuracy)
            labels = {"network": shape_text(shape), "weight count": f"{run.weight_count():,}"}
            rows.append(Row(labels, "accuracy, %", accuracy, DEPTH.get(shape)))
            bars.append(PaperComparison(shape_text(shape), accuracy, DEPTH.get(shape)))
            curves[shape_text(shape)] = run.lines(cache)
        claims = []
        for spec, chain in self.chains().items():
            gaps = {(a, b): gain_of(outcomes[b], outcomes[a]).accuracy for a, b in pairwise(chain)}
            claims.append(
                Claim(
                    f"{spec} networks predict better.",
                    verdict_of_all(gaps.values()),
                    "; ".join(f"{shape_text(b)} minus {shape_text(a)}: {points(gap)}" for (a, b), gap in gaps.items()),
                )
            )
        compare_with_paper(
            bars, folder / f"{self.name}.png", "Accuracy of networks of different depth and width", "accuracy, %"
        )
        validation_curves(
            curves, folder / f"{self.name}-curves.png", "Learning of networks of different depth and width"
        )
        pictures = [
            Picture(f"{self.name}.png", "Accuracy with 95 % intervals; the paper's where the network is the same."),
            Picture(f"{self.name}-curves.png", "Accuracy on the same validation positions in the course of training."),
        ]
        return Findings([Table("Accuracy on the test part", rows)], claims, pictures)


class Figure1(DepthStudy):
    """Several guesses."""

    name = "m15-fig1"
    title = "M15 figure 1: how often the expert's move is among the n best"
    paper = "M15 figure 1"

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """A curve a network."""
        from nobi.figures.training import top_curve
        from nobi.imitation.prediction import guesses_gain

        outcomes = self.outcomes(cache)
        curves, rows = {}, []
        for shape in self.settings.shapes:
            top = curves[shape_text(shape)] = self.prediction(self.run(*shape)).predicted(cache).top
            for n in GUESSES:
                paper = DEPTH.get(shape) if n == 1 else TOP_TEN if n == 10 and shape == (12, 128) else None
                rows.append(
                    Row({"network": shape_text(shape), "guesses": str(n)}, "accuracy, %", percent(top[n - 1]), paper)
                )
        best, worst = (sorted(outcomes, key=lambda s: curves[shape_text(s)][0].value)[i] for i in (-1, 0))
        gaps = {n: guesses_gain(outcomes[best], n, outcomes[worst], n) for n in GUESSES if n > 1}
        ten = curves[shape_text(best)][9]
        claims = [
            Claim(
                "The network that is best with one guess is ahead with several guesses, too.",
                verdict_of_all(gap for n, gap in gaps.items() if n <= 10),
                f"{shape_text(best)} minus {shape_text(worst)}: "
                + "; ".join(f"{n} guesses {points(gap)}" for n, gap in gaps.items()),
            ),
            Claim(
                "The best network has the expert's move among its ten best at least 94 % of the time.",
                None if ten.low < 0.94 <= ten.high else ten.low >= 0.94,
                f"{shape_text(best)}: {100 * ten.value:.1f} % [{100 * ten.low:.1f}, {100 * ten.high:.1f}]",
            ),
        ]
        top_curve(curves, folder / f"{self.name}.png", "The expert's move within n guesses")
        caption = "How often the expert's move is among the n best of each network, on the test part; bands are 95 %."
        return Findings([Table("Within n guesses", rows)], claims, [Picture(f"{self.name}.png", caption)])


class Rank(M15Study):
    """The rank of the player as an input."""

    name = "m15-rank"
    title = "M15 section 5.2: what the rank of the player tells a network"
    paper = "M15 section 5.2"
    planes = "all 36 of the paper, and all but the 9 of the rank"
    scales: ClassVar = {
        "tiny": Networks(TINY, ((3, 4),)),
        "quick": Networks(DEPTH_SCALES["quick"].learning, ((3, 32),)),
        "day": Networks(DEPTH_SCALES["day"].learning, ((3, 64),)),
        "paper": Networks(PAPER, ((10, 128),)),
    }

    def run(self, *, rank: bool) -> Imitation:
        """The network with or without the planes of the rank."""
        return self.net(self.settings.shapes[0], **({} if rank else {"planes": "m15-norank"}))

    def jobs(self) -> Sequence[Job]:
        """Both networks."""
        runs = [self.run(rank=rank) for rank in (True, False)]
        return [job for run in runs for job in (run, self.prediction(run))]

    def report(self, cache: JobCache, folder: Path) -> Findings:
        """Accuracy by the rank of the player to move, with and without knowing it."""
        from nobi.figures.training import accuracy_by_group
        from nobi.imitation.prediction import FEWEST_GAMES, gain_of, large_enough
        from nobi.records.properties import rank_name

        groups, rows, outcomes = {}, [], {}
        for spec, rank in (("with the rank", True), ("without the rank", False)):
            job = self.prediction(self.run(rank=rank))
            outcomes[rank] = job.outcomes(cache)
            found = job.predicted(cache)
            enough = large_enough(found.by_rank)
            groups[spec] = {rank_name(key): quality.accuracy for key, quality in enough.items()}
            rows.append(Row({"network": spec, "rank of the player": "all"}, "accuracy, %", percent(found.all.accuracy)))
            for key, quality in enough.items():
                labels = {"network": spec, "rank of the player": rank_name(key)}
                rows.append(Row(labels, "accuracy, %", percent(quality.accuracy)))
        gain = gain_of(outcomes[True], outcomes[False]).accuracy
        claim = Claim(
            "Knowing the rank of the player makes his moves easier to predict.",
            verdict(gain),
            f"accuracy with the rank minus without: {points(gain)}",
        )
        accuracy_by_group(groups, folder / f"{self.name}.png", "rank of the player")
        caption = (
            f"Accuracy on the test part by the rank of the player to move, of ranks in {FEWEST_GAMES} games or more."
        )
        return Findings([Table("By rank of the player", rows)], [claim], [Picture(f"{self.name}.png", caption)])


def shape_text(shape: Shape) -> str:
    """`12 layers of 128 filters`."""
    return f"{shape[0]} layers of {shape[1]}"
