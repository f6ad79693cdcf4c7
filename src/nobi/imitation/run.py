"""Imitation in a folder: gradient training that can be interrupted and resumed at any time.

The folder contains

    config.json              the settings; resuming requires the same
    checkpoint.safetensors   everything that the next step depends on (`Checkpoint`)
    metrics.jsonl            one line per measurement
    model.safetensors        the current network

The samples of a step depend only on the seed and the number of the step. On the same machine, with the same number of
threads and processes, an interrupted and resumed run gives the same result, bit by bit, as an uninterrupted one.
"""

import dataclasses
import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from nobi.errors import NobiError, phrase
from nobi.frames import frame_of
from nobi.imitation.data import Batch, Reader, Sampler, Sources, fixed_sample, open_sources, read_ahead
from nobi.imitation.optimiser import SCHEDULE_OF, Schedule, make_schedule, restore_state, state_tensors
from nobi.imitation.prediction import rank_moves
from nobi.imitation.settings import ImitationSettings
from nobi.imitation.step import GradientStep, LossWeights, ProcessGroup
from nobi.models.model import Model, load_model, save_model
from nobi.networks.deep import make_deep
from nobi.networks.deep.base import DeepNetwork
from nobi.records.dataset import is_dataset
from nobi.spec import parse_spec
from nobi.storage import atomic_write, config_of, holds_run, read_tensors, save_tensors, write_config
from nobi.workers import handle_interrupts

if TYPE_CHECKING:
    import pandas

FORMAT = "nobi-imitation-1"
_NETWORK, _OPTIMISER, _TALLY = "network.", "optimiser.", "tally"
_CHECKPOINT, _MODEL = "checkpoint.safetensors", "model.safetensors"
SAVE_SECONDS = 20.0
"""The time between checkpoints."""
_VALIDATION_SEED = 0
"""Constant, so that all runs on the same data are measured on the same positions."""


@dataclass(frozen=True)
class Checkpoint:
    """Everything that the next step depends on.

    The tensors of the file are `network.NAME`, `optimiser.INDEX.NAME` and `tally`; everything else is in its header.
    """

    step: int
    network: dict[str, NDArray[Any]]
    optimiser: dict[str, NDArray[Any]]
    tally: NDArray[np.float64]
    """float64[2] The sums of loss and hits since the last line of metrics."""
    lines: list[dict[str, Any]]
    """The metrics."""
    data: str
    """The fingerprint of the datasets."""


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, atomically."""
    tensors = {
        **{_NETWORK + name: tensor for name, tensor in checkpoint.network.items()},
        **{_OPTIMISER + name: tensor for name, tensor in checkpoint.optimiser.items()},
        _TALLY: checkpoint.tally,
    }
    texts = {
        "format": FORMAT,
        "step": str(checkpoint.step),
        "lines": json.dumps(checkpoint.lines),
        "data": checkpoint.data,
    }
    save_tensors(path, tensors, texts)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; raise a NobiError if it is damaged."""
    tensors, header = read_tensors(path)
    if header.get("format") != FORMAT:
        raise NobiError(f"{str(path)!r} is not a checkpoint of this version.")
    try:
        return Checkpoint(
            int(header["step"]),
            _with_prefix(tensors, _NETWORK),
            _with_prefix(tensors, _OPTIMISER),
            tensors[_TALLY],
            list(json.loads(header["lines"])),
            header["data"],
        )
    except (KeyError, ValueError, TypeError) as error:
        raise NobiError(f"{str(path)!r} is damaged: {error}.") from None


def _with_prefix(tensors: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


class ImitationRun:
    """Gradient training of a network on game records, in a folder."""

    def __init__(
        self,
        folder: Path,
        settings: ImitationSettings,
        *,
        resume: bool = False,
        group: ProcessGroup | None = None,
        paths: Sequence[str] | None = None,
    ) -> None:
        """Prepare a run, or resume one.

        Args:
            folder: the folder of the run.
            settings: everything that the result depends on.
            resume: whether to continue the run in the folder.
            group: the processes that train together.
            paths: the datasets, if `settings.data` does not contain their paths.
        """
        self.folder = folder
        self.settings = settings
        self.group = group or ProcessGroup()
        self._checkpoint = folder / _CHECKPOINT
        self._paths = tuple(paths or settings.data)
        self.step_number = 0
        """Number of finished steps."""
        self.lines: list[dict[str, Any]] = []
        """The metrics."""
        self._tally = np.zeros(2)
        """Sums of loss and hits since the last line."""
        self._recent: deque[tuple[float, float]] = deque(maxlen=50)
        self._asked_to_stop = False
        self._stopping = False
        """Whether any process was asked to stop, as exchanged in the latest step."""
        self.group.run_together(self._prepare)
        self._open(resume=resume)

    def _prepare(self) -> None:
        """Open the data and create the network, without communication between processes."""
        settings = self.settings
        if not settings.data:
            raise NobiError("Give at least one dataset with --data; 'nobi data import' makes datasets.")
        if settings.batch < self.group.processes:
            raise NobiError(f"A batch of {settings.batch} cannot be shared by {self.group.processes} processes.")
        self.network = make_deep(settings.net, settings.seed)
        if settings.convolution != "auto":
            self.network.convolution = settings.convolution
        self.sources = open_sources(self._paths, "train", settings.sizes, self.network)
        self._held_out = self._open_validation()
        shares = [settings.weights[i] if settings.weights else 1.0 for i in self.sources.dataset]
        self.sampler = Sampler(
            self.sources.counts, shares, settings.batch, settings.seed, symmetries=settings.symmetries
        )
        self.total = settings.steps or max(1, math.ceil(settings.epochs * self.sources.total / settings.batch))
        """Number of steps of the whole run."""
        self.schedule = schedule_of(settings)
        self.network.to(self.group.device)
        weights = LossWeights(settings.answer_weight, settings.value_weight)
        self.gradient_step = GradientStep(
            self.network, settings.optimiser, settings.batch, settings.clip, self.group, weights
        )
        if settings.start and not self._checkpoint.exists():  # before the folder is made: an invalid file leaves none
            self._start_from(Path(settings.start))
        self._earlier = self._earlier_trainings() if self.group.is_main else []

    def __repr__(self) -> str:
        return f"<ImitationRun {self.settings.net}, step {self.step_number:,} of {self.total:,}>"

    def to_frame(self) -> "pandas.DataFrame":
        """Return the learning curve: a data frame with a row per line of metrics."""
        return frame_of(self.lines)

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step_number >= self.total

    @property
    def recent(self) -> tuple[float, float]:
        """The mean loss and accuracy of the latest batches."""
        loss, hits = np.mean(self._recent, axis=0).tolist()
        return loss, hits

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step; steps count from 0."""
        return self.schedule.at((step + 0.5) / self.total)

    def train(
        self,
        progress: Callable[["ImitationRun"], None] = lambda _: None,
        note: Callable[[dict[str, Any]], None] = lambda _: None,
        *,
        until: int | None = None,
    ) -> None:
        """Train to the end of the run, or until step `until`.

        `progress` is called after every step, `note` with every line of metrics. After SIGINT or SIGTERM the current
        step is finished and saved before KeyboardInterrupt is raised.
        """
        self.group.wait()  # until all processes have read the folder
        if self.group.is_main:
            write_config(self.folder, config_of(self.settings))
        end = self.total if until is None else min(until, self.total)
        first, last = self.group.share(self.settings.batch)

        with deterministic(self.group.device), handle_interrupts(self._stop_after_step):
            reader = self._reader(self.sources)

            def make(step: int) -> Batch:
                draw = self.sampler.draw(step, first, last)
                return reader.read(draw.source, draw.number, draw.symmetry)

            if self.step_number == 0 and not self.lines:
                self._measure(note)
            saved = time.monotonic()
            with read_ahead(make, self.step_number, end, self.group.device, reader.ahead(last - first)) as next_batch:
                while self.step_number < end and not self._stopping:
                    self._step(next_batch().to(self.group.device))
                    progress(self)
                    if self._is_time_to_measure():
                        self._measure(note)
                        self.save()
                        saved = time.monotonic()
                    elif time.monotonic() - saved > SAVE_SECONDS:
                        self.save()
                        saved = time.monotonic()
            self.save()
            if self._stopping and not self.finished:
                raise KeyboardInterrupt

    def save(self) -> None:
        """Write the checkpoint, the metrics and the model, unless a weight is NaN or infinite."""
        if not all(torch.isfinite(weights).all() for weights in self.network.parameters()):
            raise self._diverged("a weight")
        if not self.group.is_main:
            return
        tensors = {name: t.detach().cpu().contiguous().numpy() for name, t in sorted(self.network.state_dict().items())}
        checkpoint = Checkpoint(
            self.step_number,
            tensors,
            state_tensors(self.gradient_step.optimiser),
            self._tally,
            self.lines,
            self.sources.fingerprint,
        )
        write_checkpoint(self._checkpoint, checkpoint)
        lines = "".join(json.dumps(line) + "\n" for line in self.lines)
        atomic_write(self.folder / "metrics.jsonl", lines.encode())
        save_model(self.folder / _MODEL, self.model())

    def model(self) -> Model:
        """Return the current network with its weights."""
        size = self.network.sizes[0] if self.network.sizes else self.sources.main_size
        training = {"game": "go", **dataclasses.asdict(self.settings)}
        provenance = {"training": training, "step": self.step_number, "positions": self._seen, "last": self.lines[-1:]}
        if self._earlier:
            provenance["earlier"] = self._earlier
        return model_of(self.network, size, json.loads(json.dumps(provenance)))

    @property
    def _seen(self) -> int:
        return self.step_number * self.settings.batch

    def _step(self, batch: Batch) -> None:
        self.network.freeze_statistics(self.step_number >= (1 - self.settings.frozen) * self.total)
        result = self.gradient_step.run(batch, self.rate_at(self.step_number), stop=self._asked_to_stop)
        self.step_number += 1
        if not math.isfinite(result.loss):
            raise self._diverged("the loss")
        self._recent.append((result.loss, result.accuracy))
        self._tally += result.loss, result.accuracy
        # all processes stop together, after the step in which the request was exchanged
        self._stopping = result.stop or (self._asked_to_stop and self.group.processes == 1)

    def _diverged(self, what: str) -> NobiError:
        return NobiError(
            f"Training has diverged at step {self.step_number}: {what} became NaN or infinite; "
            "choose a lower rate with --schedule or limit gradients with --clip."
        )

    def _is_time_to_measure(self) -> bool:
        """Return whether one of the evenly spaced measurements follows this step."""
        count = min(self.settings.measurements, self.total)
        return self.step_number * count // self.total > (self.step_number - 1) * count // self.total

    def _measure(self, note: Callable[[dict[str, Any]], None]) -> None:
        since = self.lines[-1]["step"] if self.lines else 0
        line: dict[str, Any] = {
            "step": self.step_number,
            "positions": self._seen,
            "epoch": self._seen / self.sources.total,
            "rate": self.rate_at(max(0, self.step_number - 1)),
        }
        if self.step_number > since:
            loss, hits = (self._tally / (self.step_number - since)).tolist()
            line |= {"loss": loss, "accuracy": hits}
        if self._held_out is not None:
            line |= self._validate(self._held_out)
        self._tally = np.zeros(2)
        self.lines.append(line)
        note(line)

    def _validate(self, held_out: Sources) -> dict[str, float]:
        """Return loss and accuracy on the validation positions; each process measures its part."""
        numbers = fixed_sample(held_out.counts, self.settings.validation, _VALIDATION_SEED)
        parts = [chosen[slice(*self.group.share(len(chosen)))] for chosen in numbers]
        self.network.eval()
        found = rank_moves(
            self.network,
            held_out.positions,
            parts,
            self._reader(held_out),
            self.group.device,
            legal_only=self.network.masked,
        )
        self.network.train()
        best = (found.better == 0) / found.equal
        sums = [-found.log_probability.sum(), best.sum(), float(len(found))]
        loss, hits, count = self.group.sum(torch.tensor(sums, dtype=torch.float64, device=self.group.device)).tolist()
        return {"validation_loss": loss / count, "validation_accuracy": hits / count}

    def _reader(self, sources: Sources) -> Reader:
        return Reader(sources.positions, self.network.planes, self.group.device)

    def _open_validation(self) -> Sources | None:
        if not self.settings.validation:
            return None
        try:
            return open_sources(self._paths, "validation", self.settings.sizes, self.network)
        except NobiError as error:
            raise NobiError(f"{phrase(error)}; '--validation 0' trains without.") from None

    def _open(self, *, resume: bool) -> None:
        """Resume the run in the folder, if there is one and `resume` is set. Only rank 0 reads the folder."""
        if len(set(self.group.gather(self.sources.fingerprint))) > 1:
            raise NobiError("The processes have different data; give every node the same datasets.")
        found = self.group.from_main(lambda: self._own_checkpoint(resume=resume))
        if found:
            self._load_state(found, self._checkpoint)
            if found.data != self.sources.fingerprint:
                raise NobiError(f"The data of the run in {str(self.folder)!r} have changed; resume it with the same.")
            self.step_number, self.lines, self._tally = found.step, found.lines, found.tally

    def _own_checkpoint(self, *, resume: bool) -> Checkpoint | None:
        if is_dataset(self.folder):
            raise NobiError(f"The folder {str(self.folder)!r} holds a dataset; choose another for the run.")
        if holds_run(self.folder, config_of(self.settings), resume=resume) and self._checkpoint.exists():
            return read_checkpoint(self._checkpoint)
        return None

    def _start_from(self, path: Path) -> None:
        """Load the weights of a model file, or those of a run folder with the state of its optimiser."""
        if (path / _CHECKPOINT).is_file():
            self._load_state(read_checkpoint(path / _CHECKPOINT), path / _CHECKPOINT)
            return
        found = load_model(path).module()
        if not self.network.start_from(found):
            raise NobiError(f"{str(path)!r} holds the network {found}, not {self.network}; give the same with --net.")

    def _earlier_trainings(self) -> list[dict[str, Any]]:
        """Return the settings and numbers of positions of the runs that this run continues, the earliest first."""
        own = self.folder / _MODEL
        start = Path(self.settings.start)
        if self._checkpoint.exists() and own.exists():
            earlier: list[dict[str, Any]] = load_model(own).provenance.get("earlier", [])
            return earlier
        file = start / _MODEL if start.is_dir() else start
        if not self.settings.start or (start.is_dir() and not file.exists()):
            return []
        found = load_model(file).provenance
        training, positions = found.get("training"), found.get("positions")
        return [*found.get("earlier", []), {"training": training, "positions": positions}] if training else []

    def _load_state(self, found: Checkpoint, path: Path) -> None:
        """Load the weights and the optimiser's state from the checkpoint `found`, which was read from `path`."""
        try:
            weights = {name: torch.from_numpy(tensor) for name, tensor in found.network.items()}
            self.network.load_state_dict(weights)
            restore_state(self.gradient_step.optimiser, found.optimiser)
        except (RuntimeError, ValueError):
            raise NobiError(f"{str(path)!r} is damaged, or of another network than {self.network}.") from None

    def _stop_after_step(self, _: int) -> None:
        """Handle a signal: the first stops the run after the current step, the second at once."""
        if self._asked_to_stop:
            raise KeyboardInterrupt
        self._asked_to_stop = True


def schedule_of(settings: ImitationSettings) -> Schedule:
    """Return the schedule of the settings; the default is the optimiser's or, for sgd, that of the network's paper."""
    if settings.schedule:
        return make_schedule(settings.schedule)
    paper = "m15" if parse_spec(settings.net)[0] == "m15" else "c14"
    return make_schedule(SCHEDULE_OF.get(parse_spec(settings.optimiser)[0], paper))


def model_of(network: DeepNetwork, size: int, provenance: dict[str, Any]) -> Model:
    """Return the model of a trained network; a compiled one for a swiping network whose inputs are only stones."""
    model = Model.from_module(network, size, provenance)
    # a compiled network has no setting `mask`: a network trained without masking would be measured with it
    return (model.compiled() if network.masked else None) or model


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """Make torch deterministic, on GPUs as far as possible."""
    before, warned = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=device.type != "cpu")
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warned)
