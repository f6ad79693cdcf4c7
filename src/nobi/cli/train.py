"""`nobi evolve`: train a network by evolution.

MERGED cli/coevolve.py: `nobi coevolve`: train two populations of networks against each other.
"""

import sys
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nobi import games, networks, players, trainers
from nobi.cli.base import (
    CommonFlags,
    Stopwatch,
    announce_compiling,
    nothing_done,
    print_json,
    progress_bar,
    settings_among,
)
from nobi.errors import NobiError
from nobi.evolution.settings import EvolutionSettings


@dataclass(frozen=True)
class Evolve(CommonFlags, EvolutionSettings):
    """Train a network by evolution against fixed opponents, in a folder that can be left and taken up again.

    Ctrl-C saves; the same command with --resume goes on, and ends in the same bits as a run that was never left.
    """

    out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DIR", help="The folder of the run.")] = (
        tyro.MISSING
    )
    game: Annotated[str, tyro.conf.arg(help=f"The game: {', '.join(games.names())}.")] = "atari-go"
    net: Annotated[str, tyro.conf.arg(help=f"The network: {', '.join(networks.names())}; as in 'mdlstm:hidden=3'.")] = (
        "mdlstm"
    )
    method: Annotated[str, tyro.conf.arg(help=f"The trainer: {', '.join(trainers.names())}; as in 'es:parents=5'.")] = (
        "cmaes"
    )
    opponents: Annotated[
        tuple[str, ...], tyro.conf.arg(help=f"The players to train against: {', '.join(players.names())}, model files.")
    ] = ("naive",)
    resume: bool = False
    """Go on with the run in the folder, if it holds one."""

    def run(self) -> int:
        """Trains."""
        self.check()
        announce_compiling()
        from nobi.evolution.run import Run
        from nobi.figures.style import boards_in_words, in_words, title
        from nobi.figures.training import learning_curve

        run = Run(self.out, settings_among(self, EvolutionSettings), resume=self.resume, threads=self.threads)
        clock, first = Stopwatch(), run.generation
        per_generation = len(run.trainer.ask()) * run.fitness.games_per_candidate
        interrupted = False
        with progress_bar("generations", self.generations, note=True) as progress:

            def show(run: Run) -> None:
                line = run.done[-1].line
                rate = (run.generation - first) * per_generation / clock.seconds()
                progress(run.generation, f"mean {line['mean']:+.3f} best {line['best']:+.3f} {rate:,.0f} games/s")

            try:
                run.train(show)
            except KeyboardInterrupt:
                interrupted = True
        seconds = clock.seconds()
        metrics = run.metrics()
        if not metrics:
            return nothing_done()
        against = "the heuristic player" if self.curriculum else " and ".join(map(in_words, self.opponents))
        where = f"{in_words(self.game)} on {boards_in_words(self.sizes)} against {against}"
        text = title(f"{in_words(self.net)} trained by {in_words(self.method)}: {where}")
        learning_curve(metrics, self.out / "curve.png", text)
        best = max(line["best"] for line in metrics)
        last = metrics[-1]
        document = {
            "folder": str(self.out),
            "generations": run.generation,
            "seconds": seconds,
            "best": best,
            "last": last,
            "champion": str(self.out / "champion.safetensors"),
        }
        if self.json:
            print_json(document)
        else:
            done = run.generation - first
            if not done:
                print(f"All {run.generation} generations were done before.")
            else:
                print(f"{done} generations in {seconds:.1f} s ({done * per_generation / seconds:,.0f} games/s).")
            print(
                f"Last generation: mean fitness {last['mean']:+.3f}, best {last['best']:+.3f}; best ever {best:+.3f}."
            )
            print(f"The champion: {self.out / 'champion.safetensors'}; the curve: {self.out / 'curve.png'}")
        if interrupted:
            print(f"nobi: interrupted after {run.generation} of {self.generations} generations; "
                  "the same command with --resume goes on.", file=sys.stderr)  # fmt: skip
            return 130
        return 0


@dataclass(frozen=True)
class Coevolve(CommonFlags):
    """Train two populations of networks against each other, in a folder that can be left and taken up again.

    No player is needed to learn from. Ctrl-C saves; the same command with --resume goes on, and ends in the same bits
    as a run that was never left.
    """

    out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DIR", help="The folder of the run.")] = (
        tyro.MISSING
    )
    game: Annotated[str, tyro.conf.arg(help=f"The game: {', '.join(games.names())}.")] = "atari-go"
    size: int = 5
    """The board."""
    net: Annotated[str, tyro.conf.arg(help=f"The network: {', '.join(networks.names())}; as in 'mdrnn:hidden=10'.")] = (
        "mdrnn"
    )
    generations: int = 400
    """How many generations; the populations are host in turn."""
    population: int = 15
    """How many networks each of the two populations has."""
    selected: int = 5
    """How many of the hosts are selected."""
    parasites: int = 5
    """How many opponents come from the other population."""
    hall: int = 10
    """How many opponents come from the hall of fame."""
    non_elitist: bool = False
    """Replace those selected by mutants; else they stay beside their mutants."""
    mutation: float = 0.1
    """The standard deviation of the change of every weight."""
    games: int = 2
    """Games of a host with an opponent, half with each colour; two are enough for greedy networks."""
    temperature: float = 0.0
    """Above 0 moves are drawn from the Gibbs distribution; play more games then."""
    measure_against: str = ""
    """Measure every champion against this player, such as 'naive'; it changes nothing but the figure."""
    measure_games: int = 100
    """Games for that."""
    ciao: bool = False
    """Save the CIAO plot: all champions of one population against all of the other."""
    resume: bool = False
    """Go on with the run in the folder, if it holds one."""

    def run(self) -> int:
        """Trains."""
        self.check()
        announce_compiling()
        from nobi.evolution.coevolution import CoevolutionRun, CorunSettings
        from nobi.figures.style import in_words, title
        from nobi.figures.training import champions_curve, ciao_plot

        flags = {**asdict(self), "elitist": not self.non_elitist}
        try:
            settings = CorunSettings(**{name: flags[name] for name in CorunSettings.__dataclass_fields__})
        except ValueError as fault:
            raise NobiError(f"{fault}.") from None
        run = CoevolutionRun(self.out, settings, resume=self.resume, threads=self.threads)
        clock, first, played = Stopwatch(), run.generation, run.games_done
        interrupted = False
        with progress_bar("generations", self.generations, note=True) as progress:

            def show(run: CoevolutionRun) -> None:
                rate = (run.games_done - played) / clock.seconds()
                progress(run.generation, f"champion {run.done[-1].line['score']:+.3f} {rate:,.0f} games/s")

            try:
                run.train(show)
            except KeyboardInterrupt:
                interrupted = True
        seconds = clock.seconds()
        if not run.done:
            return nothing_done()
        dominance = run.dominance()
        where = f"{in_words(self.game)} on {self.size}x{self.size}"
        text = title(f"Champions of two populations of {in_words(self.net)} that evolve together: {where}")
        champions_curve(run.metrics(), dominance.all, self.out / "curve.png", text, self.measure_against)
        pictures = ["curve.png"]
        if self.ciao and run.generation > 1:
            pictures.append("ciao.png")
            text = f"All champions of one population against all of the other: {where}"
            ciao_plot(run.ciao(), self.out / "ciao.png", textwrap.fill(text, 50))
        last = run.done[-1].line
        if self.json:
            print_json(
                {
                    "folder": str(self.out),
                    "generations": run.generation,
                    "seconds": seconds,
                    "last": last,
                    "dominance_number": len(dominance.all),
                    "dominant": dominance,
                    "champions": [str(self.out / f"{name}.safetensors") for name in run.models()],
                    "figures": [str(self.out / name) for name in pictures],
                }
            )
        else:
            rate = (run.games_done - played) / seconds
            absolute = f", against {self.measure_against} {last['absolute']:+.3f}" if "absolute" in last else ""
            if run.generation == first:
                print(f"All {first} generations were done before.")
            else:
                print(f"{run.generation - first} generations in {seconds:.1f} s ({rate:,.0f} games/s).")
            print(f"Last generation: champion of population {last['population']}, mean score {last['score']:+.3f}, "
                  f"shared fitness {last['shared']:.2f}{absolute}.")  # fmt: skip
            print(f"Dominance number: {len(dominance.all)} of {run.generation} champions; "
                  f"in population a alone {len(dominance.a)}, in b {len(dominance.b)}.")  # fmt: skip
            print(f"The champion: {self.out / 'champion.safetensors'}; "
                  f"figures: {', '.join(str(self.out / name) for name in pictures)}")  # fmt: skip
        if interrupted:
            print(f"nobi: interrupted after {run.generation} of {self.generations} generations; "
                  "the same command with --resume goes on.", file=sys.stderr)  # fmt: skip
            return 130
        return 0
