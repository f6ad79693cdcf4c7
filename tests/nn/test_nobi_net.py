"""The three implementations of nobi-net: our convolutions, torch's, and inference without torch."""

import copy
import subprocess
import sys

import numpy as np
import pytest
import torch

from networks.deep_shared import random_planes
from nobi.models.model import Model, load_model, save_model
from nobi.networks.deep import make_deep
from nobi.networks.deep.compiled_nobi_net import CompiledNobiNet
from nobi.networks.deep.nobi_net import BatchNorm

WORDS = ["nobi-net:width=32,blocks=3", "nobi-net:width=96,blocks=2", "nobi-net:width=48,blocks=2,symmetric=true"]
CLOSE = 1e-4


def trained(spec, seed=0):
    """A network whose weights and statistics all have an effect."""
    net = make_deep(spec, seed)
    rng = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in net.parameters():
            weights.add_(0.05 * torch.randn(weights.shape, generator=rng))
        for part in net.modules():
            if isinstance(part, BatchNorm):
                part.mean.normal_(0, 0.2, generator=rng)
                part.variance.uniform_(0.5, 2, generator=rng)
    return net


def run(net, planes, seed=1):
    """Outputs, gradients of a random combination of them, and buffers, in float64."""
    found = net.outputs(planes)
    rng = torch.Generator().manual_seed(seed)
    loss = sum((out * torch.randn(out.shape, generator=rng).to(out.dtype)).sum() for out in found)
    loss.backward()
    gradients = {name: weights.grad.double() for name, weights in net.named_parameters()}
    buffers = {name: buffer.double() for name, buffer in net.named_buffers() if buffer.numel()}
    return [out.detach().double() for out in found], gradients, buffers


def close(found, expected):
    assert (found - expected).abs().max() <= CLOSE * expected.abs().max().clamp_min(1e-6)


def close_gradient(found, expected):
    """A rounding error can move a unit or a maximum to the other side of its kink, so the bound is wide;

    the medians are compared closely, and `test_winograd` compares single convolutions.
    """
    assert (found - expected).norm() <= 0.2 * expected.norm().clamp_min(1e-6)


@pytest.mark.parametrize("mode", ["training", "frozen", "playing"])
@pytest.mark.parametrize("size", [5, 9, 19, 25])
@pytest.mark.parametrize("spec", WORDS)
def test_our_convolutions_give_the_values_and_gradients_of_torch_in_float64(spec, size, mode):
    net = trained(spec)
    net.train(mode != "playing")
    net.freeze_statistics(mode == "frozen")
    planes = random_planes(net, 5, size)
    expected = run(copy.deepcopy(net).double(), planes)
    for convolution in ("winograd", "torch"):
        own = copy.deepcopy(net)
        own.convolution = convolution
        outputs, gradients, buffers = run(own, planes.float())
        for found, wanted in zip(outputs, expected[0], strict=True):
            close(found, wanted)
        for name, wanted in expected[1].items():
            close_gradient(gradients[name], wanted)
        for name, wanted in expected[2].items():
            close(buffers[name], wanted)
    medians = [(gradients[name] - wanted).abs().median() / wanted.abs().max() for name, wanted in expected[1].items()]
    assert np.median(medians) < CLOSE


@pytest.mark.parametrize(
    "spec",
    [
        "m15:layers=3,filters=16,size=9",
        "m15:layers=2,filters=32,size=9,symmetric=true,colours=false",
        "m15:layers=4,filters=16,position=false",
    ],
)
def test_networks_of_2015_have_the_values_and_gradients_of_torch_in_float64(spec):
    net = make_deep(spec, 3)
    planes, white = random_planes(net, 5, 9), torch.tensor([True, False, True, True, False])
    found = {}
    for convolution in ("reference", "winograd", "torch"):
        own = copy.deepcopy(net).double() if convolution == "reference" else copy.deepcopy(net)
        own.convolution = convolution
        values = own(planes if convolution == "reference" else planes.float(), white)
        (values * values.detach().cos()).sum().backward()
        found[convolution] = values.detach().double(), {n: w.grad.double() for n, w in own.named_parameters()}
    for convolution in ("winograd", "torch"):
        close(found[convolution][0], found["reference"][0])
        for name, wanted in found["reference"][1].items():
            close_gradient(found[convolution][1][name], wanted)
    assert not torch.equal(found["winograd"][0], found["torch"][0])  # two implementations


@pytest.mark.parametrize("spec", WORDS)
def test_without_torch_the_values_are_the_same(tmp_path, spec):
    net = trained(spec)
    save_model(tmp_path / "m.safetensors", Model.from_module(net, 19, {"training": {"value_weight": 0.1}}))
    compiled = load_model(tmp_path / "m.safetensors").network
    assert isinstance(compiled, CompiledNobiNet)
    assert str(compiled) == spec
    reference = load_model(tmp_path / "m.safetensors").module().double().eval()
    for size in (5, 6, 9, 13, 19, 25):
        planes = random_planes(net, 3, size, seed=size)
        with torch.no_grad():
            expected = reference.outputs(planes)
        planes = planes.float().numpy()
        policy, value = compiled.evaluate_with_value(planes, np.zeros(3, np.bool_))
        close(torch.from_numpy(policy).double(), expected.policy)
        np.testing.assert_allclose(value, torch.sigmoid(expected.value).numpy(), atol=1e-4)
        np.testing.assert_array_equal(policy, compiled.evaluate(planes, np.zeros(3, np.bool_)))


def test_bits_do_not_depend_on_the_batch_or_the_number_of_threads():
    net = trained("nobi-net:width=32,blocks=2")
    tensors = {name: tensor.detach().numpy() for name, tensor in net.state_dict().items()}
    planes, white = random_planes(net, 9, 9).float().numpy(), np.zeros(9, np.bool_)
    whole = CompiledNobiNet(net.settings, tensors).evaluate(planes, white)
    np.testing.assert_array_equal(CompiledNobiNet(net.settings, tensors, threads=2).evaluate(planes, white), whole)
    for i in range(9):
        one = CompiledNobiNet(net.settings, tensors).evaluate(planes[i : i + 1], white[:1])
        np.testing.assert_array_equal(one[0], whole[i])


@pytest.mark.parametrize("spec", WORDS)
def test_the_shapes_of_a_model_file_are_those_of_the_torch_module(spec):
    net = make_deep(spec)
    assert net.settings.shapes() == {name: tuple(tensor.shape) for name, tensor in net.state_dict().items()}


def test_statistics_change_only_in_training():
    net = trained("nobi-net:width=16,blocks=1")
    planes = random_planes(net, 4, 9).float()
    before = net.norm.mean.clone()
    net.freeze_statistics(True)
    net.outputs(planes)
    net.freeze_statistics(False)
    net.eval()
    net.outputs(planes)
    assert torch.equal(net.norm.mean, before)
    net.train()
    net.outputs(planes)
    assert not torch.equal(net.norm.mean, before)


def test_playing_needs_no_torch(tmp_path):
    save_model(tmp_path / "m.safetensors", Model.from_module(make_deep("nobi-net:width=16,blocks=2"), 9))
    script = f"""
import sys
sys.modules["torch"] = None
from nobi.games import variant
from nobi.models.model import load_model
from nobi.players import make_bot, make_player
from nobi.search.policy import policy_from_model
board = variant("go", size=7)
player = make_player({str(tmp_path / "m.safetensors")!r}, board)
assert board.new().is_legal(player.bot().choose(board.new(), None))
assert policy_from_model(load_model({str(tmp_path / "m.safetensors")!r}), board).planes.count == 31
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
