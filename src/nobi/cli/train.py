"""`nobi evolve`, `nobi coevolve`, `nobi imitate` and `nobi priors`.

All except the last train in a folder, and can be interrupted and resumed.
"""

import os
import signal
import subprocess
import sys
import textwrap
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nobi.cli import Interrupted
from nobi.cli.base import Command, ExecutorFlags, Result, Stopwatch, joined, plain_table, rate_text, settings_among
from nobi.cli.progress import progress_bar
from nobi.errors import INTERRUPTED, INVALID_INPUT, NobiError, require_torch
from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
from nobi.imitation.settings import ImitationSettings, PriorSettings
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.evolution.run import TrainingRun
    from nobi.imitation.run import ImitationRun
    from nobi.imitation.step import ProcessGroup
    from nobi.workers import Executor

_RESUME = "the same command with --resume continues"
_NOTHING_DONE = "before anything was done; the same command with --resume starts again"


@dataclass(frozen=True)
class TrainingCommand(Command):
    """The flags of all commands that train."""

    out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DIR", help="The folder of the run.")] = (
        tyro.MISSING
    )
    resume: bool = False
    """Continue the run in the folder, if there is one."""


@dataclass(frozen=True)
class GenerationsCommand(TrainingCommand, ExecutorFlags):
    """A command that trains generation by generation."""

    def execute(self) -> Result:
        with self.new_executor() as executor:
            return self._train(executor)

    @abstractmethod
    def _train(self, executor: "Executor") -> Result:
        """Train; `executor` plays the games."""

    def _train_to_end(self, run: "TrainingRun", executor: "Executor", note: Callable[[], str]) -> str:
        """Train to the last generation; after Ctrl-C return how much was done. `note` describes the latest one."""
        total = run.settings.generations
        with progress_bar("generations", total, note=True) as progress:
            try:
                run.train(lambda _: progress(run.generation, joined(note(), executor.describe())))
            except KeyboardInterrupt:
                if not run.done:
                    raise Interrupted(_NOTHING_DONE) from None
                return f"after {run.generation:,} of {total:,} generations; {_RESUME}"
        return ""


def _speed_text(generations: int, total: int, games: int, seconds: float) -> str:
    if not generations:
        return f"All {total:,} generations were done before."
    plural = "s" * (generations != 1)
    return f"{generations:,} generation{plural} in {seconds:.1f} s ({rate_text(games / seconds)} games/s)."


@dataclass(frozen=True)
class Evolve(GenerationsCommand, EvolutionSettings):
    """Train a network by evolution against fixed opponents.

    Ctrl-C saves; the same command with --resume continues, and gives the same bits as an uninterrupted run.
    """

    def _train(self, executor: "Executor") -> Result:
        from nobi.evolution.run import EvolutionRun
        from nobi.figures.style import boards_in_words, in_words, title
        from nobi.figures.training import learning_curve

        run = EvolutionRun(self.out, settings_among(self, EvolutionSettings), resume=self.resume, executor=executor)
        clock, first = Stopwatch(), run.generation
        per_generation = len(run.trainer.ask()) * run.fitness.games_per_candidate

        def note() -> str:
            line = run.done[-1].line
            rate = (run.generation - first) * per_generation / clock.seconds()
            return f"mean {line['mean']:+.3f} best {line['best']:+.3f} {rate:,.0f} games/s"

        interrupted = self._train_to_end(run, executor, note)
        seconds, metrics, done = clock.seconds(), run.metrics(), run.generation - first
        against = "the heuristic player" if self.curriculum else " and ".join(map(in_words, self.opponents))
        where = f"{in_words(self.game)} on {boards_in_words(self.sizes)} against {against}"
        figure = self.out / "curve.png"
        learning_curve(metrics, figure, title(f"{in_words(self.net)} trained by {in_words(self.method)}: {where}"))
        best, last, champion = max(line["best"] for line in metrics), metrics[-1], self.out / "champion.safetensors"
        document = {
            "folder": self.out,
            "generations": run.generation,
            "seconds": seconds,
            "best": best,
            "last": last,
            "champion": champion,
        }
        report = [
            _speed_text(done, run.generation, done * per_generation, seconds),
            f"Last generation: mean fitness {last['mean']:+.3f}, best {last['best']:+.3f}; best ever {best:+.3f}.",
            f"The champion: {champion}; the curve: {figure}",
        ]
        return Result(document, report, interrupted)


@dataclass(frozen=True)
class Coevolve(GenerationsCommand, CoevolutionSettings):
    """Train two populations of networks against each other; no other player is needed.

    Ctrl-C saves; the same command with --resume continues, and gives the same bits as an uninterrupted run.
    """

    ciao: bool = False
    """Save the CIAO plot: all champions of one population against all of the other."""

    def _train(self, executor: "Executor") -> Result:
        from nobi.evolution.coevolution import CoevolutionRun
        from nobi.figures.style import in_words, title
        from nobi.figures.training import champions_curve, ciao_plot

        settings = settings_among(self, CoevolutionSettings)
        run = CoevolutionRun(self.out, settings, resume=self.resume, executor=executor)
        clock, first, played = Stopwatch(), run.generation, run.games_done

        def note() -> str:
            rate = (run.games_done - played) / clock.seconds()
            return f"champion {run.done[-1].line['score']:+.3f} {rate:,.0f} games/s"

        interrupted = self._train_to_end(run, executor, note)
        seconds, last, dominance = clock.seconds(), run.done[-1].line, run.dominance()
        where = f"{in_words(self.game)} on {self.size}x{self.size}"
        text = title(f"Champions of two populations of {in_words(self.net)} that evolve together: {where}")
        figures = [self.out / "curve.png"]
        champions_curve(run.metrics(), dominance.all, figures[0], text, self.measure_against)
        if self.ciao and run.generation > 1:
            figures.append(self.out / "ciao.png")
            text = f"All champions of one population against all of the other: {where}"
            ciao_plot(run.ciao(), figures[1], textwrap.fill(text, 50))
        document = {
            "folder": self.out,
            "generations": run.generation,
            "seconds": seconds,
            "last": last,
            "dominance_number": len(dominance.all),
            "dominant": dominance,
            "champions": [self.out / f"{name}.safetensors" for name in run.models()],
            "figures": figures,
        }
        absolute = f", against {self.measure_against} {last['absolute']:+.3f}" if "absolute" in last else ""
        report = [
            _speed_text(run.generation - first, run.generation, run.games_done - played, seconds),
            f"Last generation: champion of population {last['population']}, mean score {last['score']:+.3f}, "
            f"shared fitness {last['shared']:.2f}{absolute}.",
            f"Dominance number: {len(dominance.all)} of {run.generation} champions; "
            f"in population a alone {len(dominance.a)}, in b {len(dominance.b)}.",
            f"The champion: {self.out / 'champion.safetensors'}; figures: {', '.join(map(str, figures))}",
        ]
        return Result(document, report, interrupted)


@dataclass(frozen=True)
class Imitate(TrainingCommand, ImitationSettings):
    """Train a deep network to predict the moves of experts.

    The defaults are those of the papers: plain gradient descent, batches of 128, rates annealed as in Clark & Storkey
    2014, or as in Maddison et al. 2015 for the network m15. Ctrl-C saves; the same command with --resume continues, and
    gives the same bits as an uninterrupted run. On a CPU --processes 2 is faster than two threads;
    'torchrun … -m -- nobi imitate …' trains on several machines.
    """

    seed: int = 0
    """Seed of all random numbers: the same bits on the same machine with the same number of threads and processes."""
    threads: int = 0
    """Torch's threads in each process; 0: one per core. The rounding of results depends on this number."""
    processes: int = 1
    """Processes that share every batch; 0: one per core. Each uses its share of the cores."""
    device: str = "auto"
    """The device: cpu, cuda, cuda:1, or auto: a GPU if there is one."""
    tensorboard: bool = False
    """Write scalars for TensorBoard to the folder 'tensorboard' of the run."""

    def run(self) -> int:
        """Train in this process, or in several processes."""
        self.require(0, "processes")
        if self.processes != 1 and "WORLD_SIZE" not in os.environ:
            self.check()
            return _launch(self.processes or usable_threads())
        return super().run()

    def execute(self) -> Result:
        require_torch("Training by imitation")
        from nobi.imitation.step import ProcessLostError, join_process_group, use_threads

        use_threads(self.threads, usable_threads())
        try:
            with join_process_group(self.device) as group:
                try:
                    return self._train(group)
                except NobiError:
                    if not group.is_main:
                        raise SystemExit(INVALID_INPUT) from None  # the main process prints the message
                    raise
        except ProcessLostError:
            if int(os.environ["RANK"]) > 1:  # the lost process may be the main one, so the next one also prints
                raise SystemExit(INVALID_INPUT) from None
            raise

    def _train(self, group: "ProcessGroup") -> Result:
        from nobi.imitation.run import ImitationRun

        settings = settings_among(self, ImitationSettings)
        run = ImitationRun(self.out, settings, resume=self.resume, group=group)
        scalars = None
        if self.tensorboard and group.is_main:
            scalars = Scalars(self.out / "tensorboard", run.step_number * self.batch)
        clock, first, interrupted = Stopwatch(), run.step_number, ""

        def speed() -> float:
            return (run.step_number - first) * self.batch / clock.seconds()

        def note(line: dict[str, Any]) -> None:
            if scalars:
                scalars.write(line, speed())

        with progress_bar("steps", run.total, note=True, show=group.is_main) as progress:

            def show(run: "ImitationRun") -> None:
                loss, accuracy = run.recent
                text = f"loss {loss:.3f}, accuracy {100 * accuracy:.1f} %, {speed():,.0f} pos/s"
                last = run.lines[-1].get("validation_accuracy") if run.lines else None
                progress(run.step_number, text if last is None else f"{text}, validation {100 * last:.1f} %")

            progress(run.step_number)
            try:
                run.train(show, note)
            except KeyboardInterrupt:
                interrupted = f"after {run.step_number:,} of {run.total:,} steps; {_RESUME}"
        if scalars:
            scalars.close()
        if not group.is_main:
            raise SystemExit(INTERRUPTED if interrupted else 0)
        if interrupted and not (self.out / "model.safetensors").exists():
            raise Interrupted(_NOTHING_DONE)
        return self._result(run, clock.seconds(), first, interrupted)

    def _result(self, run: "ImitationRun", seconds: float, first: int, interrupted: str) -> Result:
        from nobi.figures.style import in_words, title
        from nobi.figures.training import training_curve

        figure, model = self.out / "curve.png", self.out / "model.safetensors"
        text = f"Training of {in_words(self.net)} on game records by {in_words(self.optimiser)}"
        training_curve(run.lines, figure, title(text))
        seen, seen_in_all = (run.step_number - first) * self.batch, run.step_number * self.batch
        first_line, last = run.lines[0], run.lines[-1]
        document = {
            "folder": self.out,
            "steps": run.step_number,
            "of": run.total,
            "positions": seen_in_all,
            "weights": run.network.weight_count(),
            "device": str(run.group.device),
            "processes": run.group.processes,
            "seconds": seconds,
            "positions_per_second": seen / seconds,
            "first": first_line,
            "last": last,
            "model": model,
        }
        report = [f"{seen:,} positions in {seconds:.1f} s ({seen / seconds:,.0f} positions/s)."]
        if run.finished and not seen:
            report = ["All steps were done before."]
        report.append(
            f"In all {seen_in_all:,} positions were seen, {seen_in_all / run.sources.total:.3g} epochs; "
            f"the network has {run.network.weight_count():,} weights."
        )
        if "loss" in last:
            since = run.lines[-2]["positions"] if len(run.lines) > 1 else 0
            report.append(
                f"Training, positions {since:,} to {last['positions']:,}: loss {last['loss']:.3f}, "
                f"accuracy {100 * last['accuracy']:.1f} %."
            )
        if "validation_loss" in last:
            report.append(
                f"Validation: loss {first_line['validation_loss']:.3f} → {last['validation_loss']:.3f}, accuracy "
                f"{100 * first_line['validation_accuracy']:.1f} → {100 * last['validation_accuracy']:.1f} %."
            )
        report.append(f"The model: {model}; the curve: {figure}")
        return Result(document, report, interrupted)


@dataclass(frozen=True)
class Priors(Command, PriorSettings):
    """Learn the move priors of the tree search of Go from game records, and report how well they predict moves.

    A Bradley-Terry model of 3x3 patterns and tactical features, trained by minorisation-maximisation: one set of
    strengths for boards up to 13x13, one for larger boards.
    """

    out: Annotated[
        tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE", help="The .safetensors file to write.")
    ] = tyro.MISSING
    data: tuple[Path, ...] = ()
    """Datasets made by 'nobi data import'."""

    def execute(self) -> Result:
        from nobi.imitation.bradley_terry import SIZES, train_priors
        from nobi.records.dataset import Dataset, check_split_alike

        if not self.data:
            raise NobiError("'nobi priors' needs --data, one dataset or more.")
        datasets = [Dataset.open(path) for path in self.data]
        check_split_alike(datasets)
        settings = settings_among(self, PriorSettings)
        with progress_bar("sweeps", len(SIZES) * self.sweeps, note=True) as progress:
            results = train_priors(datasets, settings, self.seed, self.out, progress)
        table = plain_table(["boards", "games"], ["positions", "log-likelihood", "top-1"])
        for name, both in results.items():
            for split, metrics in both.items():
                table.add_row(
                    name,
                    split,
                    f"{metrics.positions:,}",
                    f"{metrics.log_likelihood:.3f}",
                    f"{100 * metrics.top1:.1f} %",
                )
        return Result({"settings": asdict(self), "results": results}, [("", table), f"Written: {self.out}."])


def _launch(processes: int) -> int:
    """Run this command in several processes on this machine, by torch's launcher."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    threads = str(max(1, usable_threads() // processes))
    environment = {"OMP_NUM_THREADS": threads, "OMP_WAIT_POLICY": "passive", **os.environ}
    # after "--" the launcher does not interpret our options as abbreviations of its own
    command = [*launcher, "-m", "--", "nobi", *sys.argv[1:]]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the processes receive Ctrl-C themselves
    try:
        done = subprocess.run(command, env=environment, check=False)  # noqa: S603
    finally:
        signal.signal(signal.SIGINT, before)
    return done.returncode


class Scalars:
    """Writes lines of metrics as scalars for TensorBoard, by the number of positions."""

    def __init__(self, folder: Path, positions: int) -> None:
        """Open the folder; its scalars for later positions are discarded, since a resumed run writes them again."""
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ModuleNotFoundError:
            raise NobiError(
                "Writing for TensorBoard needs the package tensorboard; install it with pip install 'nobi[deep]'."
            ) from None
        self._writer: Any = SummaryWriter(str(folder), purge_step=positions + 1)

    def write(self, line: dict[str, Any], speed: float) -> None:
        """Write a line of metrics, and the speed in positions per second."""
        for name, value in {**line, "positions_per_second": speed}.items():
            if name not in ("step", "positions"):
                part, _, rest = name.partition("_")
                tag = f"validation/{rest}" if part == "validation" else f"training/{name}"
                self._writer.add_scalar(tag, value, line["positions"])
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
