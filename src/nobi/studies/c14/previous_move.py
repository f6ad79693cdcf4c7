"""C14 section 1: the previous move as an input, which is said to raise accuracy and to reduce strength."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nobi.figures.comparison import PaperComparison, compare_with_paper
from nobi.studies.match_jobs import (
    NETWORK_MOVES,
    PAPER_LEVEL,
    RANDOM_MOVES,
    MatchPlayer,
    MatchResult,
    MatchSettings,
    gnugo_player,
    match_conditions,
    match_job,
    match_notes,
    network_player,
    networks_match,
)
from nobi.studies.resources import GNUGO
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Study, Table
from nobi.studies.training_jobs import (
    TINY,
    GradientTraining,
    ImitationJob,
    imitation_run,
    learning_conditions,
    move_rankings,
    prediction_job,
    prediction_rows,
    small_training,
)

SIZE = 9
NETWORKS = {
    "without the previous move": f"c14-small:size={SIZE}",
    "with the previous move": f"c14-small:size={SIZE},latest=true",
}
WITHOUT, WITH = NETWORKS


@dataclass(frozen=True)
class PreviousMoveScale:
    """Training and matches."""

    learning: GradientTraining
    engine: MatchSettings
    """Games against GNU Go."""
    games: int
    """Games of the networks against each other."""


class PreviousMove(Study):
    """C14 section 1: the previous move as an input, accuracy and strength."""

    name = "c14-previous-move"
    page = "c14-claims"
    roles: ClassVar = {"small": (SIZE,)}
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": PreviousMoveScale(TINY, MatchSettings(2, longest=20), 2),
        "quick": PreviousMoveScale(
            small_training(12_800, 1000, batch=32, validation=200, measurements=2), MatchSettings(4, level=1), 4
        ),
        "day": PreviousMoveScale(
            small_training(25_600, 20_000, batch=32, validation=500, measurements=4), MatchSettings(40, level=1), 40
        ),
        "paper": PreviousMoveScale(GradientTraining(epochs=10.0, schedule="c14"), MatchSettings(400), 400),
    }

    def opponent(self) -> MatchPlayer:
        """Return GNU Go."""
        return gnugo_player(self, self.settings.engine.level)

    def conditions(self) -> dict[str, str]:
        s = self.settings
        return {
            "networks": f"c14-small on {SIZE}x{SIZE}, with and without a plane that marks the previous move",
            "deviation from the paper": f"no such experiment there; its networks play on 19x19, not {SIZE}x{SIZE}",
            **learning_conditions(self, s.learning, "small", (SIZE,), symmetries=False, legal=True),
            **match_conditions(s.engine, [self.opponent()], SIZE),
            "against each other": f"{s.games} games, {RANDOM_MOVES} random moves first, the same in two games with "
            "exchanged colours; scored by nobi",
            "move": NETWORK_MOVES,
        }

    def run(self, label: str) -> ImitationJob:
        """Return the run of a network."""
        return imitation_run(self, self.settings.learning, NETWORKS[label], "small", (SIZE,), symmetries=False)

    def jobs(self) -> Jobs:
        s = self.settings
        jobs: dict[Any, Any] = {}
        for label in NETWORKS:
            jobs["predicts", label] = prediction_job(self, s.learning, self.run(label), "small", (SIZE,), legal=True)
            player = network_player(self.run(label), label)
            jobs["plays", label] = match_job(player, self.opponent(), s.engine, self.seed, SIZE)
        one, other = (network_player(self.run(label), label) for label in NETWORKS)
        jobs["each other"] = networks_match(one, other, s.games, self.seed, SIZE, s.engine.longest)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        from nobi.imitation.metrics import gain_of, metrics_of

        rankings = {label: move_rankings(found["predicts", label]) for label in NETWORKS}
        results = {label: MatchResult.from_arrays(found["plays", label]) for label in NETWORKS}
        each_other = MatchResult.from_arrays(found["each other"])
        opponent = str(self.opponent())
        rows = [row for label in NETWORKS for row in prediction_rows({"network": label}, metrics_of(rankings[label]))]
        games, bars = [], []
        for label, result in results.items():
            games.append(result.row({"network": label, "opponent": opponent}))
            bars.append(PaperComparison(f"{label}, against {opponent}", 100 * result.share))
        games.append(each_other.row({"network": WITHOUT, "opponent": WITH}))
        bars.append(PaperComparison(f"{WITHOUT}, against the other", 100 * each_other.share))
        claims = [
            Claim.positive(
                "The previous move as an input raises accuracy.",
                gain_of(rankings[WITH], rankings[WITHOUT]).accuracy,
                "accuracy with minus without it",
                points=True,
            ),
            Claim.positive(
                f"It hurts play: without it the network wins more games against {opponent}.",
                results[WITHOUT].share - results[WITH].share,
                f"{results[WITHOUT]} without it, {results[WITH]} with it; difference of the shares",
            ),
            Claim.positive(
                "It hurts play: without it the network beats the one with it.",
                each_other.share,
                str(each_other),
                null=0.5,
            ),
        ]
        title = f"Games won with and without the previous move as an input, {SIZE}x{SIZE}"
        compare_with_paper(bars, out / self.figure, title, "games won, %")
        caption = "Games won against GNU Go, and of the two networks against each other; 95 % intervals."
        notes = match_notes({**results, "against each other": each_other}, PAPER_LEVEL)
        tables = [Table("Accuracy on the test split", rows), Table("Games", games)]
        return Findings(tables, claims, [Picture(self.figure, caption)], notes)
