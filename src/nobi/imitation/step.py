"""One step of gradient training, in one or several processes (`torchrun`).

Each process computes the gradient of its own samples, divided by the size of the whole batch; the sum over all
processes is then the gradient of the mean loss of the whole batch, for any number of processes. Gradients are summed
while the backward pass runs (DDP), in buckets of fixed layout, so that a resumed run adds the same numbers in the same
order; sums of loss and hits, requests to stop and the running statistics of batch normalisation follow in one vector.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.futures import Future
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_

from nobi.errors import NobiError
from nobi.imitation.data import NO_ANSWER, Batch
from nobi.imitation.optimiser import make_optimiser, set_rate
from nobi.imitation.prediction import considered
from nobi.networks.deep.base import DeepNetwork, Outputs
from nobi.nn.torch_layers import move_loss

T = TypeVar("T")

_TIMEOUT = timedelta(minutes=10)
"""Maximum time that a process waits for the others."""


@dataclass(frozen=True)
class ProcessGroup:
    """The group of processes that train together."""

    rank: int = 0
    processes: int = 1
    device: torch.device = torch.device("cpu")  # noqa: RUF009

    @property
    def is_main(self) -> bool:
        """Whether this is rank 0, which writes files and prints."""
        return self.rank == 0

    def share(self, count: int) -> tuple[int, int]:
        """Return the part first..end−1 of `count` items that belongs to this process."""
        return count * self.rank // self.processes, count * (self.rank + 1) // self.processes

    def parallel(self, network: DeepNetwork) -> Callable[[Tensor, Tensor], Outputs]:
        """Return a function for the outputs of the network, whose backward pass sums the gradients of all processes.

        Batch normalisation uses the process's own part of the batch; see `sum_with_statistics`.
        """
        if self.processes == 1:
            return network.outputs
        # with `find_unused_parameters` the layout of the sums is fixed from the first step on, which exact resuming
        # requires
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # older versions of torch do not know the new name
            found = DistributedDataParallel(
                _Forward(network), broadcast_buffers=False, find_unused_parameters=True, gradient_as_bucket_view=True
            )
        found.register_comm_hook(None, _sum_bucket)
        return found

    def sum_with_statistics(self, numbers: Tensor, network: nn.Module) -> None:
        """Sum numbers (float64[k], in place) over all processes; average the running statistics of the network."""
        if self.processes == 1:
            return
        means = [part for name, part in network.named_buffers() if name.rpartition(".")[2] in ("mean", "variance")]
        whole = torch.cat([numbers, *(mean.reshape(-1).double() / self.processes for mean in means)])
        dist.all_reduce(whole)
        totals = torch.split(whole, [len(numbers), *(mean.numel() for mean in means)])
        numbers.copy_(totals[0])
        for mean, total in zip(means, totals[1:], strict=True):
            mean.copy_(total.view(mean.shape))

    def sum(self, numbers: Tensor) -> Tensor:
        """Sum numbers over all processes, in place."""
        if self.processes > 1:
            dist.all_reduce(numbers)
        return numbers

    def wait(self) -> None:
        """Wait for all processes."""
        if self.processes > 1:
            dist.barrier()

    def run_together(self, work: Callable[[], T]) -> T:
        """Run `work` in all processes; return this one's result. A NobiError in any process is raised in all."""
        done: list[T] = []
        error: str | None = None
        try:
            done.append(work())
        except NobiError as raised:
            error = str(raised)
        for text in self.gather(error):
            if text is not None:
                raise NobiError(text)
        return done[0]

    def from_main(self, work: Callable[[], T]) -> T:
        """Run `work` in rank 0 and return its result in all processes; a NobiError is raised in all."""
        done = self.run_together(lambda: [work()] if self.is_main else [])
        if self.processes > 1:
            done = done or [None]  # type: ignore[list-item]
            dist.broadcast_object_list(done)
        return done[0]

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, [rank]."""
        values = [value] * self.processes
        if self.processes > 1:
            dist.all_gather_object(values, value)
        return values


class _Forward(nn.Module):
    """A network whose `forward` returns all outputs, as DDP requires."""

    def __init__(self, network: DeepNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor, white: Tensor) -> Outputs:
        return self.network.outputs(planes, white)


def _sum_bucket(_: object, bucket: dist.GradBucket) -> Future[Tensor]:  # type: ignore[name-defined]
    """Sum the gradients of a bucket, which are divided by the size of the whole batch; DDP by default averages them."""
    done: Future[Tensor] = dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0])
    return done


class ProcessLostError(NobiError):
    """Another process of the group has ended, so that this one cannot continue."""


@contextmanager
def join_process_group(device: str = "auto") -> Iterator[ProcessGroup]:
    """Join the processes started by `torchrun`; without it, the group consists of this process.

    Args:
        device: `cpu`, `cuda`, `cuda:1` …, or `auto`: a GPU if there is one.
    """
    chosen = choose_device(device)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS is not deterministic
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if processes == 1:
        yield ProcessGroup(device=chosen)
        return
    dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo", timeout=_TIMEOUT)
    try:
        yield ProcessGroup(dist.get_rank(), processes, chosen)
    except RuntimeError as error:
        if not isinstance(error, dist.DistError) and not any(word in str(error) for word in ("gloo", "NCCL")):
            raise
        raise ProcessLostError(
            f"Another of the {processes} training processes ended or does not answer; the same command with --resume "
            "continues from the last checkpoint."
        ) from None
    finally:
        dist.destroy_process_group()


def use_threads(wanted: int, cores: int) -> None:
    """Set the number of torch's threads; 0: this process's share of the cores."""
    torch.set_num_threads(wanted or max(1, cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))))


def choose_device(spec: str) -> torch.device:
    """Return the device of this name; `auto`: a GPU if there is one, a different one for each process."""
    if spec == "auto":
        spec = f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(spec)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):
        raise NobiError(f"There is no device {spec!r} here; choose auto or cpu.") from None
    return device


class LossWeights(NamedTuple):
    """Weights of the other losses, relative to that of the moves."""

    answer: float = 0.0
    value: float = 0.0


class StepResult(NamedTuple):
    """Results for the whole batch over all processes, before the update of the weights."""

    loss: float
    accuracy: float
    stop: bool
    """Whether a process is asked to stop."""


class GradientStep:
    """Gradient steps for the weights of a network."""

    def __init__(
        self,
        network: DeepNetwork,
        optimiser: str,
        batch: int,
        clip: float = 0.0,
        group: ProcessGroup | None = None,
        weights: LossWeights | None = None,
    ) -> None:
        """`batch` is the positions per step over all processes, `clip` the maximum norm of the gradient (0: none)."""
        self.network = network
        self.optimiser = make_optimiser(optimiser, network)
        self._batch = batch
        self._clip = clip
        self._group = group or ProcessGroup()
        self._weights = weights or LossWeights()
        self._outputs: Callable[[Tensor, Tensor], Outputs] | None = None

    def run(self, batch: Batch, rate: float, *, stop: bool = False) -> StepResult:
        """Make a step on this process's part of a batch, which is on the network's device."""
        if self._outputs is None:
            self._outputs = self._group.parallel(self.network)
        outputs = self._outputs(batch.planes, batch.white)
        values = considered(outputs.policy, batch, legal_only=self.network.masked)
        loss = move_loss(values, batch.target) * (len(batch.target) / self._batch)
        self.optimiser.zero_grad(set_to_none=True)
        (loss + self._other_losses(outputs, batch) * (len(batch.target) / self._batch)).backward()  # type: ignore[no-untyped-call]
        hits = (values.detach().argmax(1) == batch.target).sum() / self._batch
        sums = torch.stack([loss.detach(), hits, torch.full_like(hits, float(stop))]).double()
        self._group.sum_with_statistics(sums, self.network)
        if self._clip:
            clip_grad_norm_(self.network.parameters(), self._clip)
        set_rate(self.optimiser, rate)
        self.optimiser.step()
        mean_loss, accuracy, stopping = sums.tolist()
        return StepResult(mean_loss, accuracy, stopping > 0)

    def _other_losses(self, outputs: Outputs, batch: Batch) -> Tensor:
        """Return the weighted losses of the other outputs of the network."""
        loss = torch.zeros((), device=batch.planes.device)
        if outputs.answer is not None and self._weights.answer:
            total = cross_entropy(outputs.answer, batch.answer, ignore_index=NO_ANSWER, reduction="sum")
            loss = loss + self._weights.answer * total / len(batch.answer)
        if outputs.value is not None and self._weights.value:
            won, known = (batch.result + 1) / 2, (batch.result != 0).float()
            total = binary_cross_entropy_with_logits(outputs.value, won, known, reduction="sum")
            loss = loss + self._weights.value * total / len(known)
        return loss
