"""Several processes that train one network together, each on its part of every batch (`torchrun`).

Each process computes the gradient of its own samples, divided by the size of the whole batch; the sum over all
processes is then the gradient of the mean loss of the whole batch, whatever the number of processes. Gradients, sums
of loss and hits, and the wish to stop travel in one vector of fixed layout, so that a resumed run adds the same numbers
in the same order.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn

from nobi.errors import NobiError

T = TypeVar("T")


@dataclass(frozen=True)
class Team:
    """This process among all."""

    rank: int = 0
    processes: int = 1
    device: torch.device = torch.device("cpu")  # noqa: RUF009

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes files and speaks."""
        return self.rank == 0

    def share(self, count: int) -> tuple[int, int]:
        """The part first..end−1 of `count` things that is this process's."""
        return count * self.rank // self.processes, count * (self.rank + 1) // self.processes

    def sum_gradients(self, network: nn.Module, more: Tensor) -> None:
        """Sums the gradients of all weights, and the numbers `more` (float[k], in place), over all processes."""
        if self.processes == 1:
            return
        gradients = [w.grad if w.grad is not None else torch.zeros_like(w) for w in network.parameters()]
        # every process normalises by its own part of the batch; the running means are those of all
        means = [part for name, part in network.named_buffers() if name.rpartition(".")[2] in ("mean", "variance")]
        parts = [*(gradient.reshape(-1) for gradient in gradients), more.to(gradients[0].dtype)]
        parts += [mean / self.processes for mean in means]
        whole = torch.cat(parts)
        dist.all_reduce(whole)
        found = torch.split(whole, [part.numel() for part in parts])
        for weight, total in zip(network.parameters(), found, strict=False):
            weight.grad = total.view(weight.shape)
        more.copy_(found[len(gradients)])
        for mean, total in zip(means, found[len(gradients) + 1 :], strict=True):
            mean.copy_(total)

    def sum(self, numbers: Tensor) -> Tensor:
        """Sums numbers over all processes, in place."""
        if self.processes > 1:
            dist.all_reduce(numbers)
        return numbers

    def wait(self) -> None:
        """Until all processes are here."""
        if self.processes > 1:
            dist.barrier()

    def together(self, work: Callable[[], T]) -> T:
        """What this process's work gives, once all have done theirs; what one of them is refused, all are."""
        done: list[T] = []
        fault: str | None = None
        try:
            done.append(work())
        except NobiError as refusal:
            fault = str(refusal)
        faults = [fault] * self.processes
        if self.processes > 1:
            dist.all_gather_object(faults, fault)
        for refused in faults:
            if refused is not None:
                raise NobiError(refused)
        return done[0]


@contextmanager
def join_team(device: str = "auto") -> Iterator[Team]:
    """Joins the processes that `torchrun` has started; alone if it has not.

    Args:
        device: `cpu`, `cuda`, `cuda:1` …, or `auto` for a graphics card where there is one.
    """
    chosen = choose_device(device)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS is not deterministic
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if processes == 1:
        yield Team(device=chosen)
        return
    dist.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    try:
        yield Team(dist.get_rank(), processes, chosen)
    finally:
        dist.destroy_process_group()


def use_threads(wanted: int, cores: int) -> None:
    """Lets torch use so many threads; 0 for this process's part of the machine's cores."""
    torch.set_num_threads(wanted or max(1, cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1"))))


def choose_device(word: str) -> torch.device:
    """The device of this name; for `auto` a graphics card, each process its own, where there is one."""
    if word == "auto":
        word = f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(word)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):
        raise NobiError(f"There is no device {word!r} here; choose auto or cpu.") from None
    return device
