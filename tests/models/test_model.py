"""Files of deep networks: saving and loading, and one error sentence for every invalid file."""

import json
import pickle

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import load, save

import nobi
from networks.deep_shared import colours, lively, outputs, random_planes
from nobi.errors import NobiError
from nobi.models.model import Model, load_model, save_model
from nobi.networks import make_network
from nobi.networks.deep import make_deep

WORDS = [
    "c14-small:size=6,edge=false",
    "m15:layers=2,filters=4,size=6,symmetric=true",
    "m15:layers=1,filters=3,position=false",
    "nobi-net:width=16,blocks=2",
    "nobi-net-v1:width=8,blocks=2",
    "mdlstm:mode=tied",
    "stacked:cell=mdrnn,hidden=2,planes=m15-reduced",
]


def saved(path, spec="nobi-net:width=16,blocks=1", size=9):
    net = lively(spec).float()
    save_model(path, Model.from_module(net, size, {"training": {"game": "go"}, "seed": 7}))
    return net


@pytest.mark.parametrize("spec", WORDS)
def test_a_model_is_unchanged_after_saving_and_loading(tmp_path, spec):
    path = tmp_path / "model.safetensors"
    net = saved(path, spec, 6)
    model = load_model(path)
    assert str(model.network) == str(net)
    assert model.size == 6
    assert model.provenance == {"training": {"game": "go"}, "seed": 7, "nobi": nobi.__version__}
    planes, module = random_planes(net, 2, 6).float(), model.module()
    expected = outputs(net.for_play(), planes).reshape(2, -1)
    found = model.evaluate(planes.numpy(), colours(2).numpy())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_array_equal(outputs(module, planes), outputs(net, planes))  # in training mode
    assert all(p.requires_grad for p in module.parameters())
    assert model.planes == net.planes
    assert model.sizes == net.sizes


def test_the_header_describes_the_network(tmp_path):
    path = tmp_path / "model.safetensors"
    saved(path)
    with safe_open(path, "numpy") as file:
        header = file.metadata()
    assert header["format"] == "nobi-deep-2"
    assert header["network"] == "nobi-net:width=16,blocks=1"
    assert header["size"] == "9"
    assert json.loads(header["provenance"])["nobi"] == nobi.__version__


def test_a_nobi_net_of_the_first_format_is_a_nobi_net_v1(tmp_path):
    net = saved(tmp_path / "now.safetensors", "nobi-net-v1:width=8,blocks=2")
    with safe_open(tmp_path / "now.safetensors", "numpy") as file:
        header = file.metadata()
    old = header | {"format": "nobi-deep-1", "network": "nobi-net:width=8,blocks=2"}
    (tmp_path / "then.safetensors").write_bytes(save(load((tmp_path / "now.safetensors").read_bytes()), old))
    found = load_model(tmp_path / "then.safetensors").module()
    assert str(found) == "nobi-net-v1:width=8,blocks=2"
    planes = random_planes(net, 2, 9).float()
    np.testing.assert_array_equal(outputs(found, planes), outputs(net, planes))


def test_the_same_model_is_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        saved(tmp_path / f"{name}.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_tied_weights_are_stored_once(tmp_path):
    path = tmp_path / "model.safetensors"
    net = saved(path, "c14-small:size=9", 9)
    assert sum(t.size for t in load(path.read_bytes()).values()) == net.weight_count()


def test_a_compiled_swiping_network_loads_as_its_torch_version(tmp_path):
    path = tmp_path / "model.safetensors"
    network = make_network("mdlstm:hidden=2")
    weights = network.random_weights(7, np.random.default_rng(1))
    save_model(path, Model(network, weights, 7, {"seed": 1}))
    model = load_model(path)
    assert str(model.module()) == "mdlstm:hidden=2"
    np.testing.assert_array_equal(model.module().weights.detach().numpy(), weights)
    assert model.provenance["seed"] == 1
    mlp = make_network("mlp:hidden=2")
    save_model(path, Model(mlp, mlp.random_weights(5, np.random.default_rng(1)), 5))
    with pytest.raises(NobiError, match="no deep network equal to mlp:hidden=2"):
        load_model(path).module()


def test_a_deep_model_cannot_be_loaded_as_compiled(tmp_path):
    path = tmp_path / "model.safetensors"
    saved(path)
    with pytest.raises(NobiError, match=r"nobi-net:width=16,blocks=1 is a deep network.*\.$"):
        load_model(path).weights  # noqa: B018


def test_a_swiping_network_of_the_deep_format_also_plays_compiled(tmp_path):
    path = tmp_path / "model.safetensors"
    net = saved(path, "mdlstm:hidden=2,mask=false")
    model = load_model(path)
    assert model.is_deep
    assert model.needs_torch
    compiled = model.compiled()
    assert (compiled.spec, compiled.is_deep) == ("mdlstm:hidden=2", False)
    np.testing.assert_array_equal(compiled.weights, net.weights.detach().numpy())
    planes = random_planes(net, 2, 7).float().numpy()
    np.testing.assert_allclose(compiled.evaluate(planes), model.evaluate(planes), rtol=0, atol=1e-5)
    save_model(path, Model("mdlstm:hidden=3", model.tensors, 9))
    with pytest.raises(NobiError, match="has 93 weights"):
        load_model(path).compiled()


class Malicious:
    def __reduce__(self):
        return (print, ("code from a file was run",))


def damaged(content, kind):
    tensors = load(content)
    name = min(tensors)
    header = {"format": "nobi-deep-2", "network": "nobi-net:width=16,blocks=1", "size": "9", "provenance": "{}"}
    made = {
        "truncated": lambda: content[:-5],
        "header cut": lambda: content[:40],
        "empty": lambda: b"",
        "pickle": lambda: pickle.dumps(Malicious()),
        "wrong shape": lambda: save(tensors | {name: np.zeros((3, 4), np.float32)}, header),
        "a tensor too few": lambda: save({k: t for k, t in tensors.items() if k != name}, header),
        "a tensor too many": lambda: save(tensors | {"more": np.zeros(1, np.float32)}, header),
        "another architecture": lambda: save(tensors, header | {"network": "nobi-net:width=16,blocks=2"}),
        "unknown architecture": lambda: save(tensors, header | {"network": "transformer"}),
        "a compiled one": lambda: save(tensors, header | {"network": "mlp"}),
        "bad setting": lambda: save(tensors, header | {"network": "nobi-net:width=0"}),
        "bad size": lambda: save(tensors, header | {"size": "big"}),
        "size it does not serve": lambda: save(tensors, header | {"size": "30"}),
        "another format": lambda: save(tensors, header | {"format": "nobi-deep-9"}),
        "no header": lambda: save(tensors),
        "doubles": lambda: save({k: t.astype(float) for k, t in tensors.items()}, header),
        "not finite": lambda: save(tensors | {name: tensors[name] + np.float32("inf")}, header),
        "bad provenance": lambda: save(tensors, header | {"provenance": "[1]"}),
    }
    return made[kind]()


KINDS = {
    "truncated": "is not a complete .safetensors file",
    "header cut": "is not a complete .safetensors file",
    "empty": "is not a complete .safetensors file",
    "pickle": "is not a complete .safetensors file",
    "wrong shape": "not 3x4",
    "a tensor too few": "not absent",
    "a tensor too many": "'more' of nobi-net:width=16,blocks=1 is absent",
    "another architecture": "blocks.1",
    "unknown architecture": "There is no deep network 'transformer'",
    "a compiled one": "There is no deep network 'mlp'",
    "bad setting": "width",
    "bad size": "The header of",
    "size it does not serve": "5 to 25",
    "another format": "nobi-deep-9",
    "no header": "is not a model of nobi",
    "doubles": "are not finite 32-bit numbers",
    "not finite": "are not finite 32-bit numbers",
    "bad provenance": "The header of",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_file_gets_one_sentence(tmp_path, kind, capsys):
    path = tmp_path / "model.safetensors"
    saved(path)
    path.write_bytes(damaged(path.read_bytes(), kind))
    with pytest.raises(NobiError) as error:
        load_model(path).module()
    text = str(error.value)
    assert KINDS[kind] in text
    assert str(path) in text
    assert "\n" not in text
    assert text.endswith(".")
    assert "code from a file" not in capsys.readouterr().out


def test_a_missing_file(tmp_path):
    with pytest.raises(NobiError, match="There is no model file"):
        load_model(tmp_path / "none.safetensors")


def test_a_network_in_another_precision_can_be_saved(tmp_path):
    """A network trained in double precision is saved in single."""
    path = tmp_path / "model.safetensors"
    net = lively("mdlstm:hidden=2")
    save_model(path, Model.from_module(net, 9))
    loaded = load_model(path).module()
    torch.testing.assert_close(loaded.weights, net.weights.float())
    assert make_deep(str(loaded)).weight_count() == loaded.weight_count()
