"""Training of deep networks: the cost of reading records, and our convolutions compared with torch and onnxruntime."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from nobi.bench.data import playout_records
from nobi.bench.games import peak_rate
from nobi.bench.measure import Case, Measurement, Work, rate_measurement, rate_ratios, rates
from nobi.imitation.data import Batch, Positions, Reader, Sampler, read_ahead
from nobi.imitation.step import GradientStep, LossWeights, use_threads
from nobi.networks.deep import make_deep
from nobi.networks.deep.compiled_nobi_net import CompiledNobiNet
from nobi.records.collection import Collection
from nobi.workers import usable_threads

BATCH = 128
_RATE = 1e-6
"""The learning rate; small, because the same steps are repeated."""
_CPU = torch.device("cpu")


class TrainingSpeed:
    """Training of one network on records, and on a constant batch."""

    def __init__(self, spec: str, games: Collection, batch: int, threads: int) -> None:
        torch.set_num_threads(threads)
        network = make_deep(spec)
        positions = Positions(games)
        self.batch = batch
        self._step = GradientStep(network, "sgd", batch)
        self._reader = Reader([positions], network.planes, _CPU)
        self._sampler = Sampler([len(positions)], [1.0], batch, 0)
        self._steps = 0
        self._synthetic = synthetic_batch(batch, self._reader.planes.count, positions.size)

    def bare(self, steps: int) -> int:
        """Make steps on a constant batch; return the number of positions."""
        for _ in range(steps):
            self._step.run(self._synthetic, _RATE)
        return steps * self.batch

    def on_records(self, steps: int) -> int:
        """Make steps on the records, as in the middle of a run; return the number of positions."""
        end = self._steps + steps
        with read_ahead(self._make, self._steps, end, _CPU, self._reader.ahead(self.batch)) as next_batch:
            for _ in range(steps):
                self._step.run(next_batch(), _RATE)
        self._steps = end
        return steps * self.batch

    def reading_share(self, steps: int) -> float:
        """Measure the CPU time of reading a batch relative to a bare step; other programs hardly affect it."""
        torch.set_num_threads(1)  # several threads wait for each other by spinning, which counts as CPU time
        reading = _cpu_seconds(lambda: [self._make(step) for step in range(steps)])
        return reading / _cpu_seconds(lambda: self.bare(steps))

    def _make(self, step: int) -> Batch:
        draw = self._sampler.draw(step)
        return self._reader.read(draw.source, draw.number, draw.symmetry)


def synthetic_batch(batch: int, planes: int, size: int) -> Batch:
    """Return random planes, targets, answers and results."""
    rng = torch.Generator().manual_seed(0)
    return Batch(
        (torch.rand((batch, planes, size, size), generator=rng) < 0.3).float(),
        torch.randint(size * size, (batch,), generator=rng),
        torch.ones((batch, size * size), dtype=torch.bool),
        torch.arange(batch) % 2 == 1,
        torch.randint(size * size, (batch,), generator=rng),
        torch.arange(batch) % 2 * 2.0 - 1,
    )


def _cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def records_over_bare(spec: str, size: int, seconds: float) -> Measurement:
    """Measure the speed of training on records relative to a constant batch."""
    speed = TrainingSpeed(spec, playout_records(size), BATCH, usable_threads())
    ratios = rate_ratios(speed.bare, speed.on_records, 4 * seconds)
    [rate] = rates(speed.on_records, seconds, repeats=1)
    reading = speed.reading_share(max(3, int(seconds * rate / BATCH)))
    note = f"{rate:,.0f} positions/s, batches of {BATCH}, {usable_threads()} threads; "
    note += f"reading takes {100 * reading:.1f} % of the CPU time of a step"
    what = f"{spec} {size}x{size}: training on records over the bare network"
    return rate_measurement(what, "times", ratios, at_least=0.95, peer=note)


IMITATION: list[Case] = [  # ordered by decreasing time per position
    partial(records_over_bare, "c14-large", 19),
    partial(records_over_bare, "c14-small", 19),
    partial(records_over_bare, "m15:layers=3,filters=64", 19),
    partial(records_over_bare, "nobi-net:width=32,blocks=4", 9),
    partial(records_over_bare, "mdlstm", 9),
]

# ---- convolutions, on one core

WIDTH, BLOCKS, PLANES, SIZE = 64, 6, 31, 19
NETWORK = f"nobi-net:width={WIDTH},blocks={BLOCKS}"
TRAINING_BATCH = 64


def training_step(seconds: float) -> Measurement:
    """Measure the speed of a training step relative to torch's convolutions."""
    ours, torchs = _training("winograd"), _training("torch")
    ratios = rate_ratios(torchs, ours, seconds, repeats=5)
    [rate] = rates(ours, seconds, repeats=1)
    tiles = (-(-SIZE // 4)) ** 2
    products = 6.0 * 36 * tiles * WIDTH * WIDTH * 2 * BLOCKS  # per position: two per convolution forward, four back
    note = f"{rate:,.0f} positions/s, batches of {TRAINING_BATCH}, muon, one thread; "
    note += f"matrix products at {100 * rate * products / peak_rate():.0f} % of the rate of a large one"
    what = f"{NETWORK} {SIZE}x{SIZE}: training step over the same with torch's convolutions"
    return rate_measurement(what, "times", ratios, at_least=2.5, peer=note)


def _training(convolution: str) -> Work:
    use_threads(1, 1)
    network = make_deep(NETWORK)
    network.convolution = convolution
    step = GradientStep(network, "muon", TRAINING_BATCH, weights=LossWeights(0.15, 0.1))
    batch = synthetic_batch(TRAINING_BATCH, PLANES, SIZE)

    def work(steps: int) -> int:
        for _ in range(steps):
            step.run(batch, _RATE)
        return steps * TRAINING_BATCH

    return work


def inference(batch: int, peer: str, seconds: float) -> Measurement:
    """Measure the speed of the compiled network relative to torch or onnxruntime."""
    ours = _inference("nobi", batch)
    ratios = rate_ratios(_inference(peer, batch), ours, seconds, repeats=5)
    [rate] = rates(ours, seconds, repeats=1)
    what = f"{NETWORK} {SIZE}x{SIZE}, batch {batch}: evaluation over {peer}"
    return rate_measurement(what, "times", ratios, peer=f"{1000 / rate:.2f} ms per position, one thread")


def _inference(engine: str, batch: int) -> Work:
    use_threads(1, 1)
    evaluate = _evaluator(make_deep(NETWORK).for_play(), engine)
    planes = (np.random.default_rng(0).random((batch, PLANES, SIZE, SIZE)) < 0.3).astype(np.float32)

    def work(positions: int) -> int:
        times = max(1, positions // batch)
        for _ in range(times):
            evaluate(planes)
        return times * batch

    return work


def _evaluator(network: Any, engine: str) -> Callable[[Any], object]:
    white = np.zeros(1, np.bool_)
    if engine == "torch":
        network.convolution = "torch"
        return lambda planes: network.evaluate(planes, white)
    if engine == "onnxruntime":
        import onnxruntime

        from nobi.models.export import export_onnx

        with TemporaryDirectory() as folder:
            export_onnx(network, Path(folder) / "net.onnx", SIZE)
            content = (Path(folder) / "net.onnx").read_bytes()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        return lambda planes: session.run(None, {"planes": planes})
    tensors = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    compiled = CompiledNobiNet(network.settings, tensors)
    return lambda planes: compiled.evaluate(planes, white)


CONVOLUTIONS: list[Case] = [
    training_step,
    *(partial(inference, batch, peer) for batch in (1, 16, 64) for peer in ("torch", "onnxruntime")),
]
