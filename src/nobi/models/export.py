"""Export of deep networks to ONNX; the result is verified with onnxruntime before it is written."""

import contextlib
import io
import logging
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nobi.errors import NobiError
from nobi.features import plane_count
from nobi.networks.deep.base import DeepNetwork
from nobi.networks.deep.swiping import SwipingTwin
from nobi.storage import atomic_write

OPSET = 17
TOLERANCE = 1e-4
"""Maximum difference of exported values, relative to the largest value."""
BATCHES = (1, 3)


@dataclass(frozen=True)
class Exported:
    """The properties of an exported network."""

    inputs: list[str]
    channels: int
    """The number of planes."""
    sizes: list[int] | None
    """The board sizes that the file supports; None for all."""
    checked: list[int]
    """The board sizes on which the export was verified."""
    difference: float
    """The largest difference found, relative to the largest value."""


def sample_inputs(network: DeepNetwork, planes: int, batch: int, size: int, seed: int = 0) -> tuple[Tensor, ...]:
    """Return random planes of zeros and ones, and colours if the network needs them."""
    rng = torch.Generator().manual_seed(seed)
    boards = (torch.rand(batch, planes, size, size, generator=rng) < 0.3).float()
    return (boards, torch.arange(batch) % 2 == 1) if network.takes_colour else (boards,)


def export_onnx(network: DeepNetwork, path: Path, size: int) -> Exported:
    """Write a network as ONNX: `planes` float[b, P, n, n] (and `white` bool[b]) → `logits` float[b, n·n].

    The batch size is dynamic; so is the board size if the network supports all, except for swiping networks, whose
    steps are unrolled for one size.

    Args:
        network: the network.
        path: the file to write.
        size: the board size, for networks that are exported for one size.
    """
    network.check_size(size)
    _require_onnx()
    planes = plane_count(network.planes)
    one_size = network.sizes is not None or isinstance(network, SwipingTwin)
    plain = network.for_play()
    plain.convolution = "torch"
    content = _onnx_bytes(plain, planes, size, one_size=one_size)
    content = _with_metadata(content, {"network": str(network), "planes": network.planes})
    checked = [size] if one_size else sorted({5, 9, size, 19, 25})
    difference = max(
        _difference(plain, content, sample_inputs(plain, planes, batch, n, seed=batch))
        for n in checked
        for batch in BATCHES
    )
    if not difference <= TOLERANCE:
        raise NobiError(
            f"The ONNX export of {network} differs from the network by {difference:.1e}, more than {TOLERANCE:.0e}."
        )
    atomic_write(path, content)
    inputs = ["planes", "white"] if plain.takes_colour else ["planes"]
    return Exported(inputs, planes, [size] if one_size else None, checked, difference)


def _require_onnx() -> None:
    for package in ("onnx", "onnxruntime"):
        if find_spec(package) is None:
            raise NobiError(f"Exporting needs the package {package}; install it with pip install 'nobi[onnx]'.")


def _onnx_bytes(network: DeepNetwork, planes: int, size: int, *, one_size: bool) -> bytes:
    free: dict[int, str] = {0: "batch"}
    board = free if one_size else {**free, 2: "rows", 3: "columns"}
    axes = {"planes": board, "logits": {0: "batch"} if one_size else {0: "batch", 1: "cells"}}
    names = ["planes"]
    if network.takes_colour:
        names.append("white")
        axes["white"] = free
    file = io.BytesIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        # the tracing exporter needs no other package, and writes the same bytes for the same network
        torch.onnx.export(
            network,
            sample_inputs(network, planes, 2, size),
            file,  # type: ignore[arg-type]
            input_names=names,
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    return file.getvalue()


def _with_metadata(content: bytes, entries: dict[str, str]) -> bytes:
    """Return the model with metadata about the network and its planes, for other programs."""
    from onnx import helper, load_from_string

    model = load_from_string(content)
    helper.set_model_props(model, entries)
    return bytes(model.SerializeToString(deterministic=True))


def _difference(network: DeepNetwork, content: bytes, inputs: tuple[Tensor, ...]) -> float:
    with torch.no_grad():
        ours = network(*inputs).numpy()
    theirs = run_onnx(content, inputs)
    if ours.shape != theirs.shape:
        return np.inf
    return float(np.abs(ours - theirs).max() / max(1e-9, float(np.abs(ours).max())))


def run_onnx(content: bytes, inputs: tuple[Tensor, ...]) -> Any:
    """Return the logits float[b, n·n] computed by onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    return session.run(["logits"], {name: tensor.numpy() for name, tensor in zip(names, inputs, strict=True)})[0]
