"""The torch versions of the swiping networks: equal to the reference and the compiled ones, with correct gradients."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.closeness import SINGLE, assert_close
from networks.shared import calm_weights, random_boards, twin_outputs
from nobi.errors import NobiError
from nobi.models.model import Model
from nobi.networks import make_network
from nobi.networks.deep import make_deep
from nobi.networks.deep.swiping import twin_of
from nobi.nn.sweeps import sweeps_of

KINDS = [
    "mdrnn:hidden={k},border=value",
    "mdrnn:hidden={k},border=bias",
    "mdlstm:hidden={k},mode=symmetric",
    "mdlstm:hidden={k},mode=tied",
    "mdlstm:hidden={k},mode=original",
    "stacked:cell=mdrnn,hidden={k},layers=2,border=value",
    "stacked:cell=mdrnn,hidden={k},layers=3,border=bias",
    "stacked:cell=mdlstm,hidden={k},layers=2,mode=symmetric",
    "stacked:cell=mdlstm,hidden={k},layers=2,mode=tied",
    "stacked:cell=mdlstm,hidden={k},layers=3,mode=original",
]


def planes_from(own, enemy, kind=torch.float32):
    return torch.tensor(np.stack([own, enemy], axis=1)).to(kind)


def values_of(twin, own, enemy, kind=torch.float32):
    with torch.no_grad():
        return twin.to(kind)(planes_from(own, enemy, kind)).numpy().reshape(own.shape)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(hidden=st.integers(1, 5), size=st.integers(5, 10), seed=st.integers(0, 2**31))
def test_in_double_precision_the_torch_version_equals_the_papers_formula(kind, hidden, size, seed):
    spec, rng = kind.format(k=hidden), np.random.default_rng(seed)
    network = make_network(spec)
    weights = network.random_weights(size, rng) / 2
    own, enemy = random_boards(2, size, rng)
    found = values_of(twin_of(network, weights), own, enemy, torch.float64)
    for i in range(2):
        expected = twin_outputs(spec, weights, own[i], enemy[i])
        assert_close(found[i], expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [5, 8, 19, 25])
def test_in_single_precision_the_torch_version_equals_the_compiled_network(kind, size):
    rng = np.random.default_rng(size)
    network = make_network(kind.format(k=3))
    weights = calm_weights(network, size, rng)
    own, enemy = random_boards(9, size, rng)
    found = values_of(twin_of(network, weights), own, enemy)
    assert_close(found, network.evaluate(weights, own, enemy), SINGLE)


@pytest.mark.parametrize("kind", KINDS)
def test_conversion_to_torch_and_back(kind):
    network = make_network(kind.format(k=2))
    weights = network.random_weights(7, np.random.default_rng(1))
    twin = twin_of(network, weights)
    model = Model.from_module(twin, 7, {"seed": 3}).compiled()
    assert str(model.network) == str(network)
    assert model.size == 7
    assert model.provenance == {"seed": 3}
    np.testing.assert_array_equal(model.weights, weights)
    twin.init_weights(1)
    np.testing.assert_array_equal(model.weights, weights)  # a copy
    assert {name: tuple(part.shape) for name, part in twin.split().items()} == network.groups(7)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind):
    twin = make_deep(kind.format(k=2), 1).double()
    own, enemy = random_boards(2, 3, np.random.default_rng(2))
    planes = planes_from(own, enemy, torch.float64).requires_grad_()

    def values(weights, planes):
        return torch.func.functional_call(twin, {"weights": weights}, (planes,))

    assert torch.autograd.gradcheck(values, (twin.weights.detach().requires_grad_(), planes))


def test_more_planes_have_no_compiled_network():
    twin = make_deep("mdlstm:planes=m15-reduced")
    assert twin(torch.zeros(1, 9, 5, 5)).shape == (1, 25)
    assert not twin.is_compiled
    assert Model.from_module(twin, 5).compiled() is None


def test_weights_of_another_length_are_refused():
    with pytest.raises(NobiError, match="93 weights"):
        twin_of(make_network("mdlstm"), np.zeros(92, np.float32))


@pytest.mark.parametrize("gates", ["none", "both", "original"])
def test_diagonals_visit_every_cell_after_its_predecessors(gates):
    from nobi.networks.deep.swiping import diagonals_of

    size = 6
    sweeps, diagonals = sweeps_of(size, gates, keep=True), diagonals_of(size, gates)
    cells, count = sweeps.cell.shape
    assert sum(diagonals.lengths) == cells == size * size
    assert len(diagonals.cell) == cells * count
    diagonal_of = np.repeat(np.arange(2 * size - 1), diagonals.lengths)
    for d in range(count):
        order = diagonals.cell.view(cells, count)[:, d].tolist()
        at = {cell: int(diagonal_of[place]) for place, cell in enumerate(order)}
        for cell, beside, above in zip(sweeps.cell[:, d], sweeps.beside, sweeps.above, strict=True):
            for before in (int(beside), int(above)):  # with `keep` a slot is a step
                assert before == cells or at[int(sweeps.cell[before, d])] == at[int(cell)] - 1
        places = diagonals.step.view(cells, count)[:, d]
        assert [int(p) // count for p in places[order]] == list(range(cells))
