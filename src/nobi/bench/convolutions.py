"""Our convolutions beside torch's and onnxruntime's: a training step and the evaluation of positions, on one core."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from nobi.bench.games import peak_rate
from nobi.bench.measure import Measurement, rate_figure, rate_ratios, rates

if TYPE_CHECKING:
    from nobi.networks.deep.nobi_net import NobiNet

NETWORK = "nobi-net:width=64,blocks=6"
SIZE = 19
TRAINING_BATCH = 64
BATCHES = (1, 16, 64)
"""Positions that are evaluated at once."""


def operations(width: int, blocks: int) -> float:
    """Operations of the matrix products of a training step per position: two per convolution forward, four back."""
    tiles = (-(-SIZE // 4)) ** 2
    return 6.0 * 36 * tiles * width * width * 2 * blocks


def measurements(seconds: float) -> Iterator[Callable[[], Measurement]]:
    """The figures of this section, each measured when called."""

    def step() -> Measurement:
        ours, theirs = _training("winograd"), _training("torch")
        ratios = rate_ratios(theirs, ours, seconds, repeats=5)
        [rate] = rates(ours, seconds, repeats=1)
        share = rate * operations(64, 6) / peak_rate()
        note = f"{rate:,.0f} positions/s, batches of {TRAINING_BATCH}, muon, one thread; "
        note += f"matrix products at {100 * share:.0f} % of the rate of a large one"
        what = f"{NETWORK} {SIZE}x{SIZE}: training step over the same with torch's convolutions"
        return rate_figure(what, "times", ratios, at_least=2.5, peer=note)

    yield step
    for batch in BATCHES:
        for rival in ("torch", "onnxruntime"):

            def inference(batch: int = batch, rival: str = rival) -> Measurement:
                ours, theirs = _inference("nobi", batch), _inference(rival, batch)
                ratios = rate_ratios(theirs, ours, seconds, repeats=5)
                [rate] = rates(ours, seconds, repeats=1)
                what = f"{NETWORK} {SIZE}x{SIZE}, batch {batch}: evaluation over {rival}"
                return rate_figure(what, "times", ratios, peer=f"{1000 / rate:.2f} ms a position, one thread")

            yield inference


def _training(convolution: str) -> Callable[[int], int]:
    from nobi.bench.training import synthetic_batch
    from nobi.imitation.step import LossWeights, Trainer, use_threads
    from nobi.networks.deep import make_deep

    use_threads(1, 1)
    network = make_deep(NETWORK)
    network.convolution = convolution
    trainer = Trainer(network, "muon", TRAINING_BATCH, weights=LossWeights(0.15, 0.1))
    batch = synthetic_batch(TRAINING_BATCH, 31, SIZE)

    def work(steps: int) -> int:
        for _ in range(steps):
            trainer.step(batch, 1e-6)
        return steps * TRAINING_BATCH

    return work


def _inference(engine: str, batch: int) -> Callable[[int], int]:
    from nobi.imitation.step import use_threads
    from nobi.networks.deep import make_deep

    use_threads(1, 1)
    network: Any = make_deep(NETWORK).for_play()
    planes = (np.random.default_rng(0).random((batch, 31, SIZE, SIZE)) < 0.3).astype(np.float32)
    evaluate = _evaluator(network, engine)

    def work(positions: int) -> int:
        times = max(1, positions // batch)
        for _ in range(times):
            evaluate(planes)
        return times * batch

    return work


def _evaluator(network: "NobiNet", engine: str) -> Callable[[Any], object]:
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
    from nobi.networks.deep.compiled_nobi_net import CompiledNobiNet

    tensors = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    compiled = CompiledNobiNet(network.settings, tensors)
    return lambda planes: compiled.evaluate(planes, white)
