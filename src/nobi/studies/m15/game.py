"""M15 figure 2: a game of a network, here of the shipped model against GNU Go."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nobi import games
from nobi.errors import NobiError
from nobi.figures.board import games_figure
from nobi.games.base import Game
from nobi.matches.folder import GameResult
from nobi.storage import atomic_write
from nobi.studies.match_jobs import (
    NETWORK_MOVES,
    PAPER_LEVEL,
    RULES,
    MatchJob,
    MatchPlayer,
    MatchResult,
    MatchSettings,
    engine_player,
    match_conditions,
    match_job,
    match_notes,
)
from nobi.studies.resources import GNUGO, Strength
from nobi.studies.study import Findings, Jobs, Picture, Results, Row, Study, Table

MODEL_NAME = "go-main"
SIZE = 19
NETWORK = 0
"""The number of the network as a player (A)."""


@dataclass(frozen=True)
class GameScale(MatchSettings):
    """The games from which the displayed game is chosen."""

    model: str = MODEL_NAME


class Figure2(Study):
    """M15 figure 2: a game of a network without search against a program."""

    name = "m15-fig2"
    page = "m15-games"
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": GameScale(2, longest=20, model="playout"),
        "quick": GameScale(2, level=1),
        "day": GameScale(10, level=1),
        "paper": GameScale(20),
    }

    def opponent(self) -> MatchPlayer:
        """Return GNU Go."""
        return engine_player(self, GNUGO, Strength(level=self.settings.level, rules="chinese"))

    def conditions(self) -> dict[str, str]:
        model = self.settings.model
        return {
            "network": f"{model}, which ships with nobi; it moves by its policy alone",
            **match_conditions(self.settings, [self.opponent()]),
            "deviation from the paper": "its network has 12 layers, and its opponent is Fuego with 100,000 playouts",
            "shown": "the first game that the network won with White, as in the paper; else its first with White",
            "move": NETWORK_MOVES,
        }

    def match(self) -> MatchJob:
        """Return the match."""
        return match_job(MatchPlayer(self.settings.model), self.opponent(), self.settings, self.seed)

    def jobs(self) -> Jobs:
        return {"match": self.match()}

    def report(self, found: Results, out: Path) -> Findings:
        folder, records = found.cache.run_folder(self.match()), self.match().records(found.cache)
        with_white = [record for record in records if record.white == NETWORK]
        if not with_white:
            path = str(found.cache.path(self.match()))
            raise NobiError(f"The games in {str(folder)!r} are missing; delete {path!r} to play them again.")
        shown = next((record for record in with_white if record.points(NETWORK) == 1), with_white[0])
        sgf = f"{self.name}.sgf"
        atomic_write(out / sgf, (folder / f"game-{shown.game + 1:04d}.sgf").read_bytes())
        game, file = replay(shown), f"{self.name}.png"
        heading = f"Black: {self.opponent()}, White: {self.settings.model}: {shown.result}, {len(shown.moves)} moves"
        games_figure([(game, heading)], out / file, "A game of a network without search", columns=1)
        result = MatchResult.from_arrays(found["match"])
        labels = {"network": self.settings.model, "opponent": str(self.opponent()), "games": str(result.games)}
        rows = [Row(labels, "games won, %", 100 * result.share)]
        pictures = [
            Picture(file, f"Game {shown.game + 1} of {len(records)}; {heading}."),
            Picture(sgf, "the same game as a record"),
        ]
        notes = match_notes({self.settings.model: result}, self.settings.level if self.scale != "tiny" else PAPER_LEVEL)
        return Findings([Table("Games won", rows)], pictures=pictures, notes=notes)


def replay(record: GameResult) -> Game:
    """Return the position at the end of a game."""
    game = games.variant(RULES["chinese"], SIZE).new()
    for move in record.moves:
        game.play(move)
    return game
