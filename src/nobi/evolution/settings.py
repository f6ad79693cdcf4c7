"""The settings of evolution and of coevolution; their fields are the keys of config.json and the flags of commands."""

import math
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class EvolutionSettings:
    """Everything that the result of evolution depends on."""

    game: str = "atari-go"
    """The game, with its settings: atari-go, gomoku, pente, 'go:komi=5.5' … See 'nobi games'."""
    sizes: tuple[int, ...] = (7,)
    """The board sizes to train on; fitness is the mean over all."""
    net: str = "mdlstm"
    """The network, with its settings: 'mdlstm:hidden=3', mdrnn, stacked, 'conv:features=3,width=5', mlp …"""
    method: str = "cmaes"
    """The trainer, with its settings: cmaes, 'es:parents=10,offspring=10', guess, nsga2 …"""
    opponents: tuple[str, ...] = ("naive",)
    """The players to train against, or model files. See 'nobi players'."""
    generations: int = 200
    """Number of generations."""
    games: int = 100
    """Games of a candidate in a generation, on every board against every opponent; half with each colour."""
    measures: tuple[str, ...] = ("points",)
    """What counts: points (the mean outcome), score (which rewards short games), black, white, length; several for
    nsga2."""
    curriculum: str = ""
    """Train against the heuristic player with a falling share of random moves: 'start=0.5,end=0.05,factor=0.8'."""
    seed: int = 0
    """Seed of all random numbers."""

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ValueError(f"`generations` must be 1 or more, not {self.generations}")
        _check_even("games", self.games)
        for name in ("sizes", "opponents", "measures"):
            if not getattr(self, name):
                raise ValueError(f"`{name}` must name at least one")


PUBLISHED_RULES: dict[str, Any] = {
    "results": "all",
    "hall_draw": "own",
    "champion_by": "shared",
    "parasites_from": "current",
    "first": "mutants",
}
"""The settings of coevolution in which the published code of S08 differs from ours."""


@dataclass(frozen=True)
class CoevolutionSettings:
    """Everything that the result of coevolution depends on; the defaults are S08's."""

    population: int = 15
    """Networks in each of the two populations."""
    selected: int = 5
    """Hosts that are selected in a generation."""
    parasites: int = 5
    """Opponents from the other population."""
    hall: int = 10
    """Opponents from the hall of fame."""
    elitist: bool = True
    """Keep the selected hosts in addition to their mutants; --no-elitist replaces them by mutants too."""
    mutation: float = 0.1
    """Standard deviation of the change of every weight."""
    game: str = "atari-go"
    """The game, with its settings: atari-go, gomoku, pente, 'go:komi=5.5' … See 'nobi games'."""
    size: int = 5
    """The board size."""
    net: str = "mdrnn"
    """The network, with its settings: 'mdrnn:hidden=10', 'mdlstm:hidden=3' …"""
    generations: int = 400
    """Number of generations; the populations are hosts in turn."""
    games: int = 2
    """Games of a host with an opponent, half with each colour; two are enough for greedy networks."""
    temperature: float = 0.0
    """Above 0 moves are drawn from the Gibbs distribution; 0: greedy."""
    measure_against: str = ""
    """Measure every champion against this player, such as naive; it does not change the training."""
    measure_games: int = 100
    """Games of this measurement."""
    seed: int = 0
    """Seed of all random numbers."""
    results: Literal["generation", "all"] = "generation"
    """The results that shared fitness counts: those of this generation, or all since the start against members of the
    other population and the hall of fame (the published code of S08)."""
    hall_draw: Literal["common", "own"] = "common"
    """All hosts meet the same members of the hall of fame, or each draws its own (the published code)."""
    champion_by: Literal["relative", "shared"] = "relative"
    """The champion has the best relative fitness (the paper), or the best shared fitness (the published code)."""
    parasites_from: Literal["evaluated", "current"] = "evaluated"
    """Parasites are chosen by shared sampling from the other population as it was last evaluated, or from its current
    members, mutants included, by their mean score so far (the published code)."""
    first: Literal["random", "mutants"] = "random"
    """The first populations are random networks, or one each and its mutants (the published code)."""

    def __post_init__(self) -> None:
        if not 1 <= self.selected <= self.population:
            raise ValueError(f"`selected` must be 1 to `population`, not {self.selected} of {self.population}")
        if self.elitist and self.selected == self.population:
            raise ValueError("with `elitist`, `selected` must be less than `population`, which never changes otherwise")
        if not 1 <= self.parasites <= self.population:
            raise ValueError(f"`parasites` must be 1 to `population`, not {self.parasites} of {self.population}")
        if self.hall < 0:
            raise ValueError(f"`hall` must be 0 or more, not {self.hall}")
        if not 0 < self.mutation < math.inf:
            raise ValueError(f"`mutation` must be above 0, not {self.mutation}")
        if self.generations < 1:
            raise ValueError(f"`generations` must be 1 or more, not {self.generations}")
        _check_even("games", self.games)
        _check_even("measure_games", self.measure_games)
        if not 0 <= self.temperature < math.inf:
            raise ValueError(f"`temperature` must be 0 or more, not {self.temperature}")


def _check_even(name: str, games: int) -> None:
    if games < 2 or games % 2:
        raise ValueError(f"`{name}` must be an even number, half for each colour, not {games}")
