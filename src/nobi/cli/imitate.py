"""`nobi imitate`: train a deep network on the moves of experts.

MERGED imitate/scalars.py: Metrics for TensorBoard.
"""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nobi.cli.base import (
    CommonFlags,
    Stopwatch,
    announce_compiling,
    nothing_done,
    print_json,
    progress_bar,
    settings_among,
)
from nobi.errors import NobiError, require_torch
from nobi.imitation.settings import ImitationSettings
from nobi.networks import deep
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.imitation.run import ImitationRun
    from nobi.imitation.step import ProcessGroup


_NET = f"The network: {', '.join(deep.names())}; as in 'c14-small:size=9' or 'nobi-net:width=32,blocks=4'."

_SYMMETRIES = "Turn each sample by one of the 8 symmetries of the board at random (C14 did not), or not."


@dataclass(frozen=True)
class Imitate(CommonFlags, ImitationSettings):
    """Train a deep network to predict the moves of experts, in a folder that can be left and taken up again.

    By default as in the papers: plain gradient descent, batches of 128, rates annealed as in Clark & Storkey 2014, or
    as in Maddison et al. 2015 for the network m15. Ctrl-C saves; the same command with --resume goes on, and ends in
    the same bits as a run that was never left. On a processor --processes 2 is faster than two threads;
    'torchrun … -m -- nobi imitate …' trains on several machines.
    """

    out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DIR", help="The folder of the run.")] = (
        tyro.MISSING
    )
    data: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="DATASET", help="Datasets, made by 'nobi data import'.")
    ] = ()
    net: Annotated[str, tyro.conf.arg(help=_NET)] = "c14-small"
    symmetries: Annotated[bool, tyro.conf.arg(help=_SYMMETRIES)] = True
    seed: int = 0
    """Chooses everything that is random: the same bits on the same machine with as many threads and processes."""
    threads: int = 0
    """Torch's threads, in each process; 0 for one a core. Another number rounds differently."""
    processes: int = 1
    """Processes that share every batch; 0 for one per core. Each has its part of the cores."""
    device: str = "auto"
    """Where to compute: cpu, cuda, cuda:1, or auto for a graphics card where there is one."""
    tensorboard: bool = False
    """Write scalars for TensorBoard into the folder 'tensorboard' of the run."""
    resume: bool = False
    """Go on with the run in the folder, if it holds one."""

    def run(self) -> int:
        """Trains."""
        self.check()
        if self.processes < 0:
            raise NobiError(f"--processes must be 0 or more, not {self.processes}.")
        if self.processes != 1 and "WORLD_SIZE" not in os.environ:
            return _launch(self.processes or usable_threads())
        announce_compiling()
        require_torch("Training by imitation")
        from nobi.imitation.step import join_process_group, use_threads

        use_threads(self.threads, usable_threads())
        with join_process_group(self.device) as group:
            try:
                return self._train(settings_among(self, ImitationSettings), group)
            except NobiError:
                if group.leads:
                    raise
                return 2  # what all processes are refused is said once

    def _train(self, settings: ImitationSettings, group: "ProcessGroup") -> int:
        from nobi.imitation.run import ImitationRun

        run = group.together(lambda: ImitationRun(self.out, settings, resume=self.resume, group=group))
        scalars = None
        if self.tensorboard and group.leads:
            scalars = Scalars(self.out / "tensorboard", run.step_number * self.batch)
        clock, first = Stopwatch(), run.step_number
        interrupted = False

        def speed() -> float:
            return (run.step_number - first) * self.batch / clock.seconds()

        def note(line: dict[str, Any]) -> None:
            if scalars:
                scalars.write(line, speed())

        with progress_bar("steps", run.total, note=True, show=group.leads) as progress:

            def show(run: "ImitationRun") -> None:
                loss, accuracy = run.recent
                words = f"loss {loss:.3f}, accuracy {100 * accuracy:.1f} %, {speed():,.0f} pos/s"
                last = run.lines[-1].get("validation_accuracy") if run.lines else None
                progress(run.step_number, words if last is None else f"{words}, validation {100 * last:.1f} %")

            progress(run.step_number)
            try:
                run.train(show, note)
            except KeyboardInterrupt:
                interrupted = True
        if scalars:
            scalars.close()
        if interrupted and not (self.out / "model.safetensors").exists():
            return nothing_done() if group.leads else 130
        if group.leads:
            self._report(run, clock.seconds(), first)
        if interrupted and group.leads:
            print(f"nobi: interrupted after {run.step_number:,} of {run.total:,} steps; "
                  "the same command with --resume goes on.", file=sys.stderr)  # fmt: skip
        return 130 if interrupted else 0

    def _report(self, run: "ImitationRun", seconds: float, first: int) -> None:
        from nobi.figures.style import in_words, title
        from nobi.figures.training import training_curve

        text = f"Training of {in_words(self.net)} on game records by {in_words(self.optimiser)}"
        training_curve(run.lines, self.out / "curve.png", title(text))
        seen = (run.step_number - first) * self.batch
        first_line, last = run.lines[0], run.lines[-1]
        if self.json:
            print_json(
                {
                    "folder": str(self.out),
                    "steps": run.step_number,
                    "of": run.total,
                    "positions": run.step_number * self.batch,
                    "weights": run.network.weight_count(),
                    "device": str(run.group.device),
                    "processes": run.group.processes,
                    "seconds": seconds,
                    "positions_per_second": seen / seconds,
                    "first": first_line,
                    "last": last,
                    "model": str(self.out / "model.safetensors"),
                }
            )
            return
        if run.finished and not seen:
            print("Nothing was left to do.")
        else:
            print(f"{seen:,} positions in {seconds:.1f} s ({seen / seconds:,.0f} positions/s).")
        print(f"In all {run.step_number * self.batch:,} positions were seen, "
              f"{run.step_number * self.batch / run.sources.total:.3g} times those there are; "
              f"the network has {run.network.weight_count():,} weights.")  # fmt: skip
        if "loss" in last:
            since = run.lines[-2]["positions"] if len(run.lines) > 1 else 0
            print(f"Training, positions {since:,} to {last['positions']:,}: loss {last['loss']:.3f}, "
                  f"accuracy {100 * last['accuracy']:.1f} %.")  # fmt: skip
        if "validation_loss" in last:
            print(f"Validation: loss {first_line['validation_loss']:.3f} → {last['validation_loss']:.3f}, "
                  f"accuracy {100 * first_line['validation_accuracy']:.1f} → "
                  f"{100 * last['validation_accuracy']:.1f} %.")  # fmt: skip
        print(f"The model: {self.out / 'model.safetensors'}; the curve: {self.out / 'curve.png'}")


def _launch(processes: int) -> int:
    """Runs this command in several processes on this machine, by torch's launcher."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    threads = str(max(1, usable_threads() // processes))
    environment = {"OMP_NUM_THREADS": threads, "OMP_WAIT_POLICY": "passive", **os.environ}
    # "--" keeps the launcher from taking our options for abbreviations of its own
    command = [*launcher, "-m", "--", "nobi", *sys.argv[1:]]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the processes hear of Ctrl-C themselves
    try:
        done = subprocess.run(command, env=environment, check=False)  # noqa: S603
    finally:
        signal.signal(signal.SIGINT, before)
    return done.returncode


class Scalars:
    """Writes lines of metrics as scalars that TensorBoard draws, by the number of positions seen."""

    def __init__(self, folder: Path, positions: int) -> None:
        """What the folder tells of later positions than these is void: a resumed run writes it anew."""
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ModuleNotFoundError:
            raise NobiError(
                "Writing for TensorBoard needs the package tensorboard; install it with pip install 'nobi[deep]'."
            ) from None
        self._writer: Any = SummaryWriter(str(folder), purge_step=positions + 1)

    def write(self, line: dict[str, Any], speed: float) -> None:
        """Writes a line of metrics, and how many positions a second were trained on."""
        positions = line["positions"]
        for name, value in {**line, "positions_per_second": speed}.items():
            if name not in ("step", "positions"):
                part, _, rest = name.partition("_")
                tag = f"validation/{rest}" if part == "validation" else f"training/{name}"
                self._writer.add_scalar(tag, value, positions)
        self._writer.flush()

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()
