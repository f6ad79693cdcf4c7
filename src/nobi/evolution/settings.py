"""What a run of evolution depends on."""

from dataclasses import dataclass

from nobi.errors import NobiError


@dataclass(frozen=True)
class EvolutionSettings:
    """What a run depends on, all of it; the flags of `nobi evolve` among them."""

    game: str = "atari-go"
    """The game, with its settings: `atari-go`, `gomoku`, `pente`, `go:komi=5.5` …"""
    sizes: tuple[int, ...] = (7,)
    """The boards to train on; fitness is the mean over all."""
    net: str = "mdlstm"
    """The network, with its settings: `mdlstm:hidden=3`, `mdrnn:hidden=10`, `conv:features=3,width=5`, `mlp` …"""
    method: str = "cmaes"
    """The trainer, with its settings: `cmaes`, `es:parents=10,offspring=10`, `guess`, `nsga2` …"""
    opponents: tuple[str, ...] = ("naive",)
    """The players to train against."""
    generations: int = 200
    """How many generations."""
    games: int = 100
    """Games of a candidate in a generation, on every board against every opponent; half with each colour."""
    measures: tuple[str, ...] = ("points",)
    """What counts: points (the mean outcome), score (which rewards speed), black, white, length; several for nsga2."""
    curriculum: str = ""
    """Train against the heuristic player, whose share of random moves falls: 'start=0.5,end=0.05,factor=0.8'."""
    seed: int = 0
    """Chooses everything that is random."""

    def check(self) -> None:
        """Refuses what makes no run."""
        if self.generations < 1:
            raise NobiError(f"generations must be 1 or more, not {self.generations}.")
        if self.games < 2 or self.games % 2:
            raise NobiError(f"games must be an even number, half for each colour, not {self.games}.")
        for name in ("sizes", "opponents", "measures"):
            if not getattr(self, name):
                raise NobiError(f"{name} must name at least one.")
