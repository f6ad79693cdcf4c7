"""The deep networks compared with reference implementations; layers, masks and learning."""

import numpy as np
import pytest
import torch
from torch.nn.functional import conv2d

from helpers.closeness import assert_close
from networks.deep_shared import colours, lively, outputs, random_planes
from nobi.imitation.data import Batch
from nobi.imitation.prediction import considered
from nobi.networks.deep import make_deep
from nobi.networks.deep.nobi_net import global_pooling
from nobi.nn.torch_layers import Tied, move_loss, only_legal
from reference import deep as plain


def array(tensor):
    return tensor.detach().numpy()


C14 = [
    "c14-small:size=6",
    "c14-small:size=6,edge=false",
    "c14-small:size=6,ko=false,reflection=false",
    "c14-small:size=7,liberties=false",
    "c14-large:size=5",
]


@pytest.mark.parametrize("spec", C14)
def test_c14_agrees_with_the_paper(spec):
    net = lively(spec)
    size, s = net.sizes[0], net.settings
    planes = random_planes(net, 1, size)
    x = array(planes[0])[: None if s.ko else -1]
    convolutions = [(array(c.filters()), array(c.bias()).ravel()) for c in net.convolutions]
    assert [f.shape[-1] for f, _ in convolutions] == [7] + [5] * (len(convolutions) - 1)
    top = array(net.top.rows()).reshape(size * size, size, size, -1)
    expected = plain.c14(x, convolutions, top, array(net.top.bias()).ravel(), s.edge)
    assert_close(outputs(net, planes).ravel(), expected)


def test_an_edge_of_enemy_stones_is_a_wider_board_with_stones_around_it():
    net = lively("c14-small:size=7,edge=false,enemy_edge=true")
    planes = random_planes(net, 2, 7)
    [first, *_] = net.convolutions
    around = torch.zeros(2, 7, 13, 13, dtype=planes.dtype)
    around[:, 5] = 1.0
    around[:, :, 3:-3, 3:-3] = planes
    expected = conv2d(around, first.filters(), first.bias().flatten())
    assert_close(array(first(planes)), array(expected))


def test_black_and_white_planes_are_own_and_enemy_planes_exchanged_for_white():
    usual, absolute = (lively(f"m15:layers=2,filters=4,size=5{more}") for more in ("", ",absolute=true"))
    planes = random_planes(usual, 2, 5)
    exchanged = planes.clone()
    exchanged[1, [0, 1]] = planes[1, [1, 0]]
    assert_close(outputs(absolute, exchanged), outputs(usual, planes))
    with pytest.raises(ValueError, match="white"):
        absolute(planes)


M15 = [
    "m15:layers=3,filters=5,size=6",
    "m15:layers=2,filters=4,size=5,symmetric=true",
    "m15:layers=2,filters=4,position=false,planes=m15-reduced",
]


@pytest.mark.parametrize("spec", M15)
def test_m15_agrees_with_the_paper(spec):
    net = lively(spec)
    size = (net.sizes or (6,))[0]
    planes = random_planes(net, 2, size)
    layers = [(array(c.filters()), array(c.bias())) for c in [*net.hidden, net.top]]
    assert [f.shape[-1] for f, _ in layers] == [5] + [3] * (len(layers) - 1)
    found = outputs(net, planes).reshape(2, -1)
    for i in range(2):
        expected = plain.m15(array(planes[i]), layers[:-1], layers[-1], colour=i)
        assert_close(found[i], expected)


def test_an_m15_network_with_two_softmaxes_has_to_know_the_colour():
    net = lively("m15:layers=1,filters=2,size=5")
    assert net.takes_colour
    planes = random_planes(net, 2, 5)
    with pytest.raises(ValueError, match="colour"):
        net(planes)
    assert not torch.equal(net(planes, torch.tensor([False, False])), net(planes, torch.tensor([True, True])))
    one = lively("m15:layers=1,filters=2,size=5,colours=false")
    assert not one.takes_colour
    assert one(planes).shape == (2, 25)


def test_global_pooling_does_not_depend_on_the_size():
    """A uniformly filled board gives the same bias on every size, and a far stone changes it everywhere."""
    board = torch.randn(1, 3, 1)
    pooled = [global_pooling(board.expand(1, 3, n * n), 2) for n in (5, 9, 19)]
    for found in pooled[1:]:
        torch.testing.assert_close(found, pooled[0])
    net = lively("nobi-net:width=16,blocks=2").eval()
    planes = random_planes(net, 1, 25)
    changed = planes.clone()
    changed[0, :, 0, 0] = 1 - changed[0, :, 0, 0]
    difference = outputs(net, planes) - outputs(net, changed)
    assert (difference != 0).all()  # three convolutions alone would not reach so far


def test_an_untrained_nobi_net_has_moderate_outputs():
    net = make_deep("nobi-net:blocks=3,width=32")
    planes = random_planes(net, 4, 9).float()
    assert 0.05 < outputs(net, planes).std() < 5


WORDS = [
    "c14-small:size=6",
    "m15:layers=2,filters=4,size=6,symmetric=true",
    "nobi-net-v1:width=8,blocks=2,symmetric=true",
    "nobi-net:width=16,blocks=2,symmetric=true",
]


@pytest.mark.parametrize("spec", [*WORDS, "mdlstm"])
def test_the_copy_for_play_has_the_same_outputs_and_is_not_trained(spec):
    net = lively(spec).eval()
    copy = net.for_play()
    planes = random_planes(net, 3, 6)
    np.testing.assert_array_equal(outputs(copy, planes), outputs(net, planes))
    assert not any(p.requires_grad for p in copy.parameters())
    assert not any(part.tied for part in copy.modules() if isinstance(part, Tied))
    with torch.no_grad():
        for weights in net.parameters():
            weights.zero_()
    assert np.abs(outputs(copy, planes)).max() > 0


@pytest.mark.parametrize("spec", WORDS)
def test_tied_weights_get_the_sum_of_their_gradients(spec):
    """The gradient equals the numerical derivative with respect to the tied weights."""
    net = lively(spec, scale=0.5).eval()  # values for training depend on the batch
    planes, target = random_planes(net, 2, 6), torch.tensor([3, 17])

    def loss():
        return move_loss(net(planes, colours(2)), target)

    loss().backward()
    rng = np.random.default_rng(0)
    for weights in net.parameters():
        if weights.grad is None:  # other outputs than the policy
            continue
        at = tuple(int(rng.integers(n)) for n in weights.shape)
        values = []
        for step in (1e-5, -1e-5):
            with torch.no_grad():
                weights[at] += step
                values.append(float(loss().detach()))
                weights[at] -= step
        assert float(weights.grad[at]) == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-4, abs=1e-8)


def test_masked_training_uses_only_legal_moves():
    logits = torch.randn(2, 5, dtype=torch.double, requires_grad=True)
    legal = torch.tensor([[True, True, False, True, False], [False, True, True, True, True]])
    target = torch.tensor([1, 2])
    loss = move_loss(only_legal(logits, legal), target)
    loss.backward()
    assert (logits.grad[~legal] == 0).all()
    assert (logits.grad[legal] != 0).all()
    p = logits.detach().exp() * legal
    p /= p.sum(1, keepdim=True)
    assert float(loss.detach()) == pytest.approx(float(-(p[0, 1].log() + p[1, 2].log()) / 2))
    torch.testing.assert_close(torch.softmax(only_legal(logits.detach(), legal), 1), p)
    assert move_loss(logits, target) > loss


def test_a_move_that_our_rules_forbid_does_not_break_training():
    target, legal = torch.tensor([0]), torch.tensor([[False, True, True, False]])
    batch = Batch(torch.zeros(1, 1, 2, 2), target, legal, torch.tensor([False]), torch.tensor([-1]), torch.zeros(1))
    values = considered(torch.zeros(1, 4), batch, legal_only=True)
    assert float(move_loss(values, target)) == pytest.approx(np.log(3))


@pytest.mark.parametrize(
    ("spec", "rate"),
    [
        ("c14-small:size=5", 0.003),
        ("m15:layers=2,filters=8,size=5", 0.02),
        ("nobi-net:width=16,blocks=2", 0.02),
        ("mdrnn:hidden=8", 0.05),
        ("mdlstm", 0.05),
    ],
)
def test_networks_learn(spec, rate):
    """The task: play on the point of the only own stone."""
    net = make_deep(spec, 1)
    rng = np.random.default_rng(0)
    planes = torch.zeros(200, random_planes(net, 1, 5).shape[1], 5, 5)
    cells = torch.from_numpy(rng.integers(0, 25, 200))
    planes[torch.arange(200), 0, cells // 5, cells % 5] = 1
    optimiser = torch.optim.Adam(net.parameters(), rate)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = move_loss(net(planes, colours(200)), cells)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[0] > 2.5
    assert losses[-1] < 0.6 * losses[0]


@pytest.mark.parametrize("spec", ["c14-small:size=9", "nobi-net:width=16,blocks=2", "mdlstm"])
def test_the_same_step_gives_the_same_bits(spec):
    def after_two_steps():
        net = make_deep(spec, 3)
        planes = random_planes(net, 16, 9).float()
        target = torch.arange(16)
        optimiser = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(2):
            optimiser.zero_grad()
            move_loss(net(planes, colours(16)), target).backward()
            optimiser.step()
        return torch.cat([p.detach().flatten() for p in net.parameters()])

    assert torch.equal(after_two_steps(), after_two_steps())
