"""S08's formula and its published code treat the border differently: does that explain where our figures differ?"""

from pathlib import Path

import numpy as np

from nobi.arena.summary import mean_interval
from nobi.studies.base import Findings, Row, Table
from nobi.studies.s08_coevolution import TABLE_2
from nobi.studies.s08_random import BORDERS, GAME_NAMES
from nobi.studies.s08_trained import Table3
from nobi.studies.workshop import Workshop


class BorderStudy(Table3):
    """Tables II and III once more, with a missing predecessor as in the published code."""

    name = "beyond-border"
    group = "beyond"
    title = "S08 tables II and III with the border of the published code"
    paper = ""
    net = BORDERS["border as in the published code"]

    def conditions(self) -> dict[str, str]:
        """The border, and all else as in table III."""
        return {
            "border": "a missing predecessor adds a bias (the published code), not an output of its own (the formula)",
            **super().conditions(),
            "networks": "generation champions of runs like those of figure 6 and the elitist ones of table II",
        }

    def findings(self, workshop: Workshop, folder: Path) -> Findings:
        """Table III, and the dominance numbers of the elitist runs."""
        found = super().findings(workshop, folder)
        rows = []
        for game in GAME_NAMES:
            if (game, True) in TABLE_2:
                runs = self.champions(game, "coevolution", 5, 5).runs
                numbers = np.array([float(len(workshop.arrays(run)["dominant"])) for run in runs])
                labels = {"game": GAME_NAMES[game], "selection": "elitist"}
                rows.append(Row(labels, "dominance number", mean_interval(numbers), TABLE_2[game, True]))
        return Findings([Table("Dominance numbers", rows), *found.tables], found.claims)


STUDIES = {BorderStudy.name: BorderStudy}
