"""M15 section 5.2: networks as players: depth, the rank as an input, and several opponents."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from nobi import games
from nobi.errors import NobiError
from nobi.figures.board import games_figure
from nobi.games.base import Game
from nobi.matches.folder import GameResult
from nobi.statistics import Interval, with_standard_error
from nobi.storage import atomic_write
from nobi.studies import ENGINES
from nobi.studies.m15.prediction import (
    BOARD,
    DEPTH_SCALES,
    DEVIATIONS,
    RANK_SCALES,
    Shape,
    chains,
    depth_network,
    rank_network,
    shape_text,
)
from nobi.studies.match_jobs import (
    NETWORK_MOVES,
    PAPER_LEVEL,
    RANDOM_MOVES,
    RULES,
    MatchCase,
    MatchJob,
    MatchPlayer,
    MatchResult,
    MatchSettings,
    engine_player,
    gnugo_player,
    main_claim,
    main_player,
    match_conditions,
    match_findings,
    match_job,
    match_notes,
    network_player,
    networks_match,
)
from nobi.studies.resources import GNUGO, Strength
from nobi.studies.study import NOT_MEASURED, Claim, Findings, Jobs, Picture, Results, Row, Study, Table
from nobi.studies.training_jobs import MAIN

DEPTH_WINS: dict[Shape, Interval] = {
    (3, 16): with_standard_error(3.4, 1.1),
    (3, 128): with_standard_error(61.8, 2.6),
    (6, 128): with_standard_error(84.4, 1.9),
    (10, 128): with_standard_error(94.7, 1.2),
    (12, 128): with_standard_error(97.2, 0.9),
}
"""Network → games won against GNU Go, %, with the paper's standard error."""
OTHERS: dict[str, tuple[Interval | float, Interval | float]] = {
    # rows of the paper's table other than its own networks: accuracy and games won against GNU Go, %
    "8 layers (Clark & Storkey 2014)": (44.4, with_standard_error(86.0, 2.5)),
    "Aya 2014": (38.8, with_standard_error(6.0, 1.0)),
    "human 6 dan": (with_standard_error(52.0, 5.8), 100.0),
}
RANK_WINS = {
    1: with_standard_error(49.2, 3.6),
    5: with_standard_error(60.1, 1.6),
    9: with_standard_error(67.9, 5.0),
}
"""Dan → games won against a network without the rank as an input, %."""
OPPONENTS = {
    # engine, playouts per move → games won by the network of 12 layers, %
    (GNUGO, 0): with_standard_error(97.2, 0.9),
    ("mogo", 100_000): with_standard_error(45.9, 4.5),
    ("pachi", 100_000): with_standard_error(11.0, 2.1),
    ("fuego", 100_000): with_standard_error(12.5, 5.8),
    ("pachi", 10_000): with_standard_error(47.4, 3.7),
    ("fuego", 10_000): with_standard_error(23.3, 7.8),
}
NETWORK_NUMBER = 0
"""Of the player A in a match, which is our network."""


class M15Games(Study):
    """The networks of M15 as players."""

    page = "m15-games"
    roles: ClassVar = {"kgs": BOARD}

    def training_conditions(self) -> dict[str, str]:
        """Return the conditions of the networks' training and of their choice of moves."""
        training = DEPTH_SCALES[self.scale].learning
        return {
            "networks": "those of m15-depth, with all 36 planes, playing as 9 dan",
            "network of nobi": MAIN.describe(),
            "deviations from the paper": DEVIATIONS,
            "training": training.describe(self.datasets["kgs"].count("train", BOARD)),
            "move": NETWORK_MOVES,
        }


class DepthWins(M15Games):
    """M15 section 5.2: games that deeper and wider networks win against GNU Go."""

    name = "m15-depth-wins"
    plays_against = (GNUGO,)
    scales: ClassVar = {
        "tiny": MatchSettings(2, longest=20),
        "quick": MatchSettings(2, level=1, longest=30),
        "day": MatchSettings(60, trial_games=20),
        "paper": MatchSettings(400),
    }

    def opponent(self) -> MatchPlayer:
        """Return GNU Go."""
        return gnugo_player(self, self.settings.level)

    def conditions(self) -> dict[str, str]:
        return {**match_conditions(self.settings, [self.opponent()]), **self.training_conditions()}

    def jobs(self) -> Jobs:
        shapes = DEPTH_SCALES[self.scale].shapes
        players: dict[Shape | str, MatchPlayer] = {
            shape: network_player(depth_network(self, shape), shape_text(shape)) for shape in shapes
        }
        players[MAIN.net] = main_player()
        return {key: match_job(player, self.opponent(), self.settings, self.seed) for key, player in players.items()}

    def report(self, found: Results, out: Path) -> Findings:
        results = {shape: MatchResult.from_arrays(found[shape]) for shape in DEPTH_SCALES[self.scale].shapes}
        trained = MatchResult.from_arrays(found[MAIN.net])
        cases = [
            MatchCase(shape_text(shape), {"network": shape_text(shape)}, result, DEPTH_WINS.get(shape))
            for shape, result in results.items()
        ]
        cases.append(MatchCase(MAIN.net, {"network": MAIN.net}, trained, None))
        claims = [main_claim(trained, self.opponent())]
        for adjective, chain in chains(DEPTH_SCALES[self.scale].shapes).items():
            gaps = {
                f"{shape_text(b)} minus {shape_text(a)}": results[b].share - results[a].share
                for a, b in pairwise(chain)
            }
            claims.append(Claim.positive(f"{adjective} networks win more games.", gaps))
        title = f"Games won against {self.opponent()}"
        found_here = match_findings(self, cases, claims, title, out, level=self.settings.level)
        return found_here + Findings([Table("Other rows of the paper's table", other_rows())])


def other_rows() -> list[Row]:
    """Return the rows of the paper's table that are not its own networks."""
    measures = ("accuracy, %", "games won against GNU Go, %")
    return [
        Row({"player": player}, measure, NOT_MEASURED, paper)
        for player, papers in OTHERS.items()
        for measure, paper in zip(measures, papers, strict=True)
    ]


class RankWins(M15Games):
    """M15 section 5.2: games that a network wins when it plays as 1, 5 and 9 dan."""

    name = "m15-rank-wins"
    scales: ClassVar = {
        "tiny": MatchSettings(2, longest=20),
        "quick": MatchSettings(6),
        "day": MatchSettings(200),
        "paper": MatchSettings(1000),
    }

    def opponent(self) -> MatchPlayer:
        """Return the network without the rank as an input."""
        return network_player(rank_network(self, rank=False), "without the rank")

    def conditions(self) -> dict[str, str]:
        shape = shape_text(RANK_SCALES[self.scale].shapes[0])
        return {
            **match_conditions(self.settings, [self.opponent()]),
            "opponent": f"a network of {shape} without the planes of the rank",
            "beginning": f"{RANDOM_MOVES} random moves, the same in two games, with colours exchanged",
            **self.training_conditions(),
            "networks": "those of m15-rank, with the planes of the rank and without",
        }

    def jobs(self) -> Jobs:
        s, run = self.settings, rank_network(self, rank=True)
        return {
            dan: networks_match(
                network_player(run, f"as {dan} dan", f"rank={dan}"),
                self.opponent(),
                s.games,
                self.seed,
                longest=s.longest,
            )
            for dan in RANK_WINS
        }

    def report(self, found: Results, out: Path) -> Findings:
        results = {dan: MatchResult.from_arrays(found[dan]) for dan in RANK_WINS}
        cases = [
            MatchCase(f"as {dan} dan", {"plays as": f"{dan} dan"}, result, RANK_WINS[dan])
            for dan, result in results.items()
        ]
        gaps = {f"{b} dan minus {a} dan": results[b].share - results[a].share for a, b in pairwise(RANK_WINS)}
        claim = Claim.positive("The network plays better when it is asked to imitate a stronger player.", gaps)
        title = "Games won against a network that does not know the rank"
        return match_findings(self, cases, [claim], title, out)


class Opponents(M15Games):
    """M15 section 5.2: games that the deepest network wins against other programs."""

    name = "m15-opponents"
    plays_against = tuple(dict.fromkeys(engine for engine, _ in OPPONENTS))
    scales: ClassVar = {
        "tiny": MatchSettings(2, longest=20),
        "quick": MatchSettings(2, level=1, longest=30),
        "day": MatchSettings(40, playouts=(10_000,), trial_games=20),
        "paper": MatchSettings(200, playouts=(10_000, 100_000)),
    }

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.shape = max(DEPTH_SCALES[self.scale].shapes)
        if not self.opponents():
            raise NobiError(
                f"The study {self.name!r} has no row at the scale {self.scale!r} for the given engines; "
                "install GNU Go, or give more with --engine."
            )

    def opponents(self) -> dict[tuple[str, int], MatchPlayer]:
        """Return the available opponents, keyed by the rows of the paper."""
        if self.scale == "tiny":
            return {(GNUGO, 0): engine_player(self, GNUGO, Strength())}
        chosen = [
            (engine, n) for engine, n in OPPONENTS if engine in self.engines and n in (0, *self.settings.playouts)
        ]
        level = self.settings.level
        return {
            (engine, n): engine_player(
                self, engine, Strength(level if engine == GNUGO else 0, playouts=n, rules="chinese")
            )
            for engine, n in chosen
        }

    def conditions(self) -> dict[str, str]:
        return {
            **match_conditions(self.settings, list(self.opponents().values())),
            **self.training_conditions(),
            "networks": f"{shape_text(self.shape)} filters, of m15-depth, playing as 9 dan; and go-main",
        }

    def jobs(self) -> Jobs:
        player = network_player(depth_network(self, self.shape), shape_text(self.shape))
        return {
            (key, title): match_job(one, opponent, self.settings, self.seed)
            for key, opponent in self.opponents().items()
            for title, one in {shape_text(self.shape): player, MAIN.net: main_player()}.items()
        }

    def report(self, found: Results, out: Path) -> Findings:
        cases, opponents = [], self.opponents()
        for key, network in found.jobs:
            labels = {"opponent": str(opponents[key]), "network": network}
            same = network == shape_text(max(DEPTH_WINS))
            result = MatchResult.from_arrays(found[key, network])
            cases.append(MatchCase(f"{opponents[key]}, {network}", labels, result, OPPONENTS[key] if same else None))
        level = self.settings.level if GNUGO in self.engines else PAPER_LEVEL
        title = f"Games won by the network of {shape_text(self.shape)} filters and by {MAIN.net}"
        findings = match_findings(self, cases, [], title, out, level=level)
        missing = [ENGINES[name] for name in self.plays_against if name not in self.engines]
        if missing and self.scale != "tiny":
            note = f"Rows against {' and '.join(missing)} are left out: give their commands with --engine NAME=COMMAND."
            findings.notes.append(note)
        return findings


@dataclass(frozen=True)
class GameScale(MatchSettings):
    """The games from which the one that is shown is chosen."""

    model: str = MAIN.net


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
        return gnugo_player(self, self.settings.level)

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
        """Return the games."""
        return match_job(MatchPlayer(self.settings.model), self.opponent(), self.settings, self.seed)

    def jobs(self) -> Jobs:
        return {"match": self.match()}

    def report(self, found: Results, out: Path) -> Findings:
        folder, records = found.cache.run_folder(self.match()), self.match().records(found.cache)
        with_white = [record for record in records if record.white == NETWORK_NUMBER]
        if not with_white:
            path = str(found.cache.path(self.match()))
            raise NobiError(f"The games in {str(folder)!r} are missing; delete {path!r} to play them again.")
        shown = next((record for record in with_white if record.points(NETWORK_NUMBER) == 1), with_white[0])
        sgf = f"{self.name}.sgf"
        atomic_write(out / sgf, (folder / f"game-{shown.game + 1:04d}.sgf").read_bytes())
        heading = f"Black: {self.opponent()}, White: {self.settings.model}: {shown.result}, {len(shown.moves)} moves"
        games_figure([(replay(shown), heading)], out / self.figure, "A game of a network without search", columns=1)
        result = MatchResult.from_arrays(found["match"])
        rows = [result.row({"network": self.settings.model, "opponent": str(self.opponent())})]
        pictures = [
            Picture(self.figure, f"Game {shown.game + 1} of {len(records)}; {heading}."),
            Picture(sgf, "the same game as a record"),
        ]
        notes = match_notes({self.settings.model: result}, self.settings.level if self.scale != "tiny" else PAPER_LEVEL)
        return Findings([Table("Games won", rows)], pictures=pictures, notes=notes)


def replay(record: GameResult) -> Game:
    """Return the position at the end of a game."""
    game = games.variant(RULES["chinese"], 19).new()
    for move in record.moves:
        game.play(move)
    return game
