"""A complete new study in one file: what is the advantage of the first move between random players?

`nobi study first-move --scale quick --load examples/first_move_study.py` runs it.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import nobi
from nobi.plugins import Claim, Findings, Job, Row, Study, Table, register_study, share_interval


@dataclass(frozen=True)
class GamesJob(Job):
    """Games of a player against itself: `black` [game], 1 if Black won. Cached by its settings."""

    kind = "example-games"
    player: str
    size: int
    games: int
    seed: int

    @property
    def label(self):
        """A short readable description, part of the file name."""
        return f"games {self.player} {self.size}"

    def make(self, cache, progress):
        """Play the games."""
        played = nobi.play_games(
            nobi.variant("atari-go", self.size),
            self.player,
            self.player,
            games=self.games,
            seed=self.seed,
            threads=cache.threads,
            progress=False,
        )
        progress(1.0)
        return {"black": played.outcome == nobi.BLACK}


@dataclass(frozen=True)
class FirstMoveSettings:
    """The sample size of a scale."""

    games: int


@register_study
class FirstMove(Study):
    """Example: what is the advantage of the first move in Atari-Go?"""

    name = "first-move"
    page = "example"
    scales = {"tiny": FirstMoveSettings(200), "quick": FirstMoveSettings(10_000), "paper": FirstMoveSettings(100_000)}  # noqa: RUF012

    def conditions(self):
        """The conditions of the measurement, as text."""
        return {"players": "random against random", "games": f"{self.settings.games:,} on each board"}

    def jobs(self):
        """The required jobs, by the keys that `report` uses."""
        return {size: GamesJob("random", size, self.settings.games, self.seed) for size in (5, 9, 13)}

    def report(self, found, out):  # noqa: ARG002 (the folder for figures)
        """Compute rows and claims from the results of the jobs."""
        shares = {}
        for size in (5, 9, 13):
            black = found[size]["black"]
            shares[f"{size}x{size}"] = share_interval(float(black.sum()), len(black))
        rows = [Row({"board": board}, "share of games that Black wins", share) for board, share in shares.items()]
        claim = Claim.positive("Black wins more than half of the games.", shares, null=0.5)
        return Findings([Table("The first move", rows)], [claim])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for document in nobi.run_study("first-move", scale="tiny", out=Path(folder)):
            for row in document["tables"][0]["rows"]:
                print(row["labels"]["board"], row["ours"])
