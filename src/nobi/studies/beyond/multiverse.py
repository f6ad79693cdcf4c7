"""A multiverse of S08 and S09: every choice that the papers leave open, varied separately and together.

Jobs with equal settings are shared with s08-table2, s08-table3, s09-fig3a and s09-table2; at the scale `paper` the
default is therefore not computed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from nobi.evolution.settings import PUBLISHED_RULES, CoevolutionSettings, EvolutionSettings
from nobi.figures.conclusions import Conclusion, conclusion_table
from nobi.statistics import Interval, bounded_difference, bounded_mean, difference, higher_over_runs, last_tenth
from nobi.studies.jobs import (
    ChampionsJob,
    Measurement,
    TournamentJob,
    Training,
    coevolution_runs,
    evolution_runs,
    learning_curves,
)
from nobi.studies.s08.random import BORDERS, GAME_NAMES, GAMES
from nobi.studies.s08.random import MDRNN as MDRNN_10
from nobi.studies.s08.training import BEATS, COEVOLUTION, FIRST_MEANING, dominance_numbers
from nobi.studies.s08.transfer import TABLE_3
from nobi.studies.s08.transfer import TransferStudy as S08Transfer
from nobi.studies.s09.random import CONV, CONV_2, MDLSTM, MDRNN, MLP, MODES
from nobi.studies.s09.random import GAME_NAMES as S09_GAMES
from nobi.studies.s09.transfer import TransferStudy as S09Transfer
from nobi.studies.study import Claim, Findings, Jobs, Picture, Results, Row, Study, Table

DECIDED = {True: "✓", False: "✗", None: "?"}
OTHER_MEANINGS = list(BEATS)[1:]
ES = "es:parents=10,offspring=10,mutation=0.1"


@dataclass(frozen=True)
class Universe:
    """The choices of one reading of the papers; the defaults are ours."""

    border: str = MDRNN_10
    """S08's network, with its border."""
    small_border: str = MDRNN
    """S09's MDRNN, with its border."""
    conv: str = CONV
    mdlstm: str = MDLSTM
    start: str = "cmaes"
    """CMA-ES with its initial mean."""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """The rules of coevolution."""
    beats: str = FIRST_MEANING


PUBLISHED_BORDER: dict[str, Any] = {
    "border": BORDERS["border as in the published code"],
    "small_border": f"{MDRNN},border=bias",
}
UNIVERSES: dict[str, Universe] = {
    "default": Universe(),
    "border: bias": Universe(**PUBLISHED_BORDER),
    "CONV: 2 planes": Universe(conv=CONV_2),
    "MDLSTM: published gates": Universe(mdlstm=MODES["as in the published code"]),
    "CMA-ES: normal start": Universe(start="cmaes:start=normal"),
    "coevolution: published rules": Universe(rules=PUBLISHED_RULES),
    "beats: both games": Universe(beats=OTHER_MEANINGS[0]),
    "beats: one game": Universe(beats=OTHER_MEANINGS[1]),
    "beats: latest member": Universe(beats=OTHER_MEANINGS[2]),
    "beats: own population": Universe(beats=OTHER_MEANINGS[3]),
    "published code, all": Universe(
        **PUBLISHED_BORDER,
        conv=CONV_2,
        mdlstm=MODES["as in the published code"],
        start="cmaes:start=normal",
        rules=PUBLISHED_RULES,
    ),
}
"""Reading → choices: each varied separately, then all of the published code. The code does not define "beats", since it
has no dominance numbers."""


@dataclass(frozen=True)
class MultiverseScale:
    """The amounts of training and of measurement."""

    coevolution: Training
    s08: Measurement
    s09: Measurement


class Multiverse(Study):
    """A multiverse of S08 and S09, and how every conclusion moves with the choices that the papers leave open."""

    name = "beyond-multiverse"
    page = "beyond"
    scales: ClassVar = {
        "tiny": MultiverseScale(COEVOLUTION["tiny"], S08Transfer.scales["tiny"], S09Transfer.scales["tiny"]),
        "quick": MultiverseScale(
            Training(2, 16, 10), Measurement(Training(2, 8, 10), 4, 2, 10), Measurement(Training(2, 10, 10), 5, 2, 10)
        ),
        "day": MultiverseScale(
            Training(4, 80, 10),
            Measurement(Training(4, 40, 20), 16, 6, 40),
            Measurement(Training(4, 60, 20), 30, 8, 40),
        ),
        "paper": MultiverseScale(COEVOLUTION["paper"], S08Transfer.scales["paper"], S09Transfer.scales["paper"]),
    }

    @property
    def universes(self) -> dict[str, Universe]:
        """All readings; at the scale `tiny` three of them."""
        if self.scale == "tiny":
            return {label: UNIVERSES[label] for label in ("default", "beats: both games", "published code, all")}
        return UNIVERSES

    def conditions(self) -> dict[str, str]:
        s = self.settings
        coevolution, es, cma = s.coevolution, s.s08.training, s.s09.training
        return {
            "readings": "; ".join(self.universes),
            "the default": "border as in the formula, CONV with one plane, symmetric MDLSTM, CMA-ES from zero, our "
            "rules of coevolution, a champion joins the dominant ones if its mean score against all of them is above 0",
            "published code, all": "border, planes, gates, start and rules of the published code together; the code "
            "does not contain dominance numbers, so the meaning of beats is the default's",
            "coevolution": f"{coevolution} on 5x5",
            "evolution, S08": f"(10+10), {es}, {es.games} games; {s.s08.describe()}, {s.s08.games} games on each board",
            "CMA-ES, S09": f"{cma} on 7x7, {cma.games} games; {s.s09.describe()}, {s.s09.games} games on each board",
            "conclusions": "✓ the whole 95 % interval is on the side that the paper claims, ✗ on the other, ? neither",
        }

    def jobs(self) -> Jobs:
        jobs: dict[Any, Any] = {}
        for label, universe in self.universes.items():
            jobs |= {(label, *key): job for key, job in self._s08(universe).items()}
            jobs |= {(label, *key): job for key, job in self._s09(universe).items()}
        return jobs

    def _s08(self, universe: Universe) -> dict[tuple[Any, ...], Any]:
        s = self.settings
        jobs: dict[tuple[Any, ...], Any] = {}
        for game, elitist in product(GAMES, (True, False)):
            settings = CoevolutionSettings(
                game=game, size=5, net=universe.border, elitist=elitist, measure_against="naive", **universe.rules
            )
            runs = coevolution_runs(s.coevolution, settings, self.seed)
            jobs["table2", game, elitist] = tuple(TournamentJob(run) for run in runs)
            if elitist:
                for size in (5, 9):
                    jobs["table3", game, "coevolution", 5, size] = self._coevolved(runs, size)
        for game, (trained, size) in product(GAMES, ((5, 5), (5, 9), (7, 7), (7, 11))):
            settings_es = EvolutionSettings(
                game=game, sizes=(trained,), net=universe.border, method=ES, measures=("score",)
            )
            evolved = evolution_runs(s.s08.training, settings_es, self.seed)
            jobs["table3", game, "evolution", trained, size] = s.s08.champions(evolved, size, "naive", self.seed)
        return jobs

    def _coevolved(self, runs: Any, size: int) -> ChampionsJob:
        """Return the champions of coevolution; at the scale `paper` those of table III."""
        s = self.settings
        if self.scale == "paper":
            return s.s08.champions(runs, size, "naive", self.seed)
        generations = s.coevolution.generations
        return ChampionsJob(runs, generations // 4, generations // 8 or 1, size, "naive", s.s08.games, self.seed)

    def _s09(self, universe: Universe) -> dict[tuple[Any, ...], Any]:
        s = self.settings
        jobs: dict[tuple[Any, ...], Any] = {}
        nets = {"MDLSTM": universe.mdlstm, "CONV": universe.conv, "MDRNN": universe.small_border, "MLP": MLP}
        for name, net in nets.items():
            for game in S09_GAMES if name in ("MDLSTM", "CONV") else ("atari-go",):
                settings = EvolutionSettings(
                    game=game, sizes=(7,), net=net, method=universe.start, opponents=("naive",)
                )
                runs = evolution_runs(s.s09.training, settings, self.seed)
                if game == "atari-go":
                    jobs["fig3a", name] = runs
                if name in ("MDLSTM", "CONV"):
                    for size in (7, 19):
                        jobs["s09-table2", game, name, size] = s.s09.champions(runs, size, "naive", self.seed)
        return jobs

    def report(self, found: Results, out: Path) -> Findings:
        effects = {label: self._effects(label, universe, found) for label, universe in self.universes.items()}
        names = list(effects["default"])
        rows = [
            Row({"conclusion": name, "reading": label}, "effect", effects[label][name], neutral=0.0)
            for name, label in product(names, self.universes)
        ]
        claims = []
        for name in names:
            decided = {label: effects[label][name].is_positive for label in self.universes}
            usual, kinds = decided["default"], set(decided.values())
            moved = [f"{DECIDED[holds]} {label}" for label, holds in decided.items() if holds != usual]
            claims.append(
                Claim(
                    f"The conclusion is the same in every reading: {name}.",
                    False if {True, False} <= kinds else True if len(kinds) == 1 and None not in kinds else None,
                    f"default {DECIDED[usual]}" + (f"; otherwise {', '.join(moved)}" if moved else ", and all others"),
                )
            )
        cells = [Conclusion(name, {label: effects[label][name] for label in self.universes}) for name in names]
        conclusion_table(cells, out / self.figure, "Conclusions of S08 and S09 under every reading")
        caption = (
            "Rows are conclusions of the papers, columns readings of them. A cell shows the effect, above 0 as the "
            "paper claims; its colour says whether the 95 % interval is on the paper's side, on the other, or on both. "
            "Cells without a number have the same runs as the default."
        )
        return Findings([Table("Effects", rows)], claims, [Picture(self.figure, caption)])

    def _effects(self, label: str, universe: Universe, found: Results) -> dict[str, Interval]:
        """Return conclusion → effect, positive as the paper claims."""

        def champions(*key: Any) -> Mapping[str, NDArray[Any]]:
            return found[(label, *key)]

        effects: dict[str, Interval] = {}
        for game in GAMES:
            elitist, other = (
                dominance_numbers(found.runs((label, "table2", game, kept)), universe.beats) for kept in (True, False)
            )
            effects[f"S08 table II, {GAME_NAMES[game]}: elitist selection, more dominant champions"] = difference(
                elitist, other
            )
        for game, method, *sizes in TABLE_3:
            small, large = (champions("table3", game, method, sizes[0], size) for size in sizes)
            share = higher_over_runs(small["score"], large["score"], small["run"])
            boards = f"{sizes[0]} to {sizes[1]}"
            effects[f"S08 table III, {GAME_NAMES[game]}, {method}, {boards}: p above 0.5"] = share - 0.5
        reached = {
            net: last_tenth(learning_curves(found.runs((label, "fig3a", net)))[0])
            for net in ("MDLSTM", "CONV", "MDRNN", "MLP")
        }
        for better, worse in (("MDLSTM", "CONV"), ("CONV", "MDRNN"), ("MDRNN", "MLP")):
            effects[f"S09 figure 3a: {better} learns better than {worse}"] = bounded_difference(
                reached[better], reached[worse]
            )
        effects["S09 figure 3a: MLP loses most games"] = -bounded_mean(reached["MLP"])
        for game, name in S09_GAMES.items():
            shares = {}
            for net in ("MDLSTM", "CONV"):
                small, large = (champions("s09-table2", game, net, size) for size in (7, 19))
                shares[net] = higher_over_runs(small["points"], large["points"], small["run"])
            effects[f"S09 table 2, {name}, 7 to 19: p of MDLSTM above 0.5"] = shares["MDLSTM"] - 0.5
            effects[f"S09 table 2, {name}, 7 to 19: p of MDLSTM above CONV's"] = shares["MDLSTM"] - shares["CONV"]
        return effects
