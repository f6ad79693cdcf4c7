"""`nobi evolve`: train a network by evolution."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nobi import evolve, games, networks, players
from nobi.cli.common import (
    CommonFlags,
    Stopwatch,
    announce_compiling,
    nothing_done,
    print_json,
    progress_bar,
    settings_among,
)
from nobi.evolve.settings import EvolutionSettings


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
    method: Annotated[str, tyro.conf.arg(help=f"The trainer: {', '.join(evolve.names())}; as in 'es:parents=5'.")] = (
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
        from nobi.evolve.run import Run
        from nobi.figures.learning import learning_curve
        from nobi.figures.titles import boards_in_words, in_words, title

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
