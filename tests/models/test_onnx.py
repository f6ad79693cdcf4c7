"""Networks as ONNX: onnxruntime computes the same values as torch."""

import numpy as np
import onnx
import pytest
import torch

from networks.deep_shared import lively
from nobi.errors import NobiError
from nobi.features import plane_count
from nobi.models import export
from nobi.models.export import TOLERANCE, export_onnx, run_onnx, sample_inputs

ONE_SIZE = [
    ("c14-small:size=7", 7),
    ("c14-small:size=7,edge=false,ko=false,reflection=false", 7),
    ("m15:layers=2,filters=4,size=6,symmetric=true", 6),
    ("mdrnn:hidden=3,border=bias", 5),
    ("mdlstm:hidden=2", 6),
    ("mdlstm:hidden=2,mode=original,planes=m15-reduced", 5),
    ("stacked:hidden=2", 5),
]
ANY_SIZE = [
    "m15:layers=2,filters=4,position=false",
    "nobi-net:width=16,blocks=2",
    "nobi-net:width=16,blocks=1,symmetric=true",
]


def compared(net, content, batch, size):
    inputs = sample_inputs(net, plane_count(net.planes), batch, size, seed=11)
    with torch.no_grad():
        ours = net(*inputs).numpy()
    theirs = run_onnx(content, inputs)
    assert theirs.shape == (batch, size * size)
    assert ours.std() > 0
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=TOLERANCE * np.abs(ours).max())


@pytest.mark.parametrize(("spec", "size"), ONE_SIZE)
def test_one_size_any_batch(tmp_path, spec, size):
    net = lively(spec).float()
    found = export_onnx(net, tmp_path / "net.onnx", size)
    assert found.sizes == [size]
    assert found.checked == [size]
    assert found.difference < TOLERANCE
    content = (tmp_path / "net.onnx").read_bytes()
    onnx.checker.check_model(onnx.load_from_string(content))
    for batch in (1, 2, 7):
        compared(net, content, batch, size)


@pytest.mark.parametrize("spec", ANY_SIZE)
def test_any_size_and_batch(tmp_path, spec):
    net = lively(spec).float().eval()
    found = export_onnx(net, tmp_path / "net.onnx", 9)
    assert found.sizes is None
    content = (tmp_path / "net.onnx").read_bytes()
    for batch, size in ((1, 5), (3, 8), (2, 25)):
        compared(net, content, batch, size)


def test_inputs(tmp_path):
    assert export_onnx(lively("m15:layers=1,filters=2,size=5").float(), tmp_path / "a.onnx", 5).inputs == [
        "planes",
        "white",
    ]
    assert export_onnx(lively("mdrnn:hidden=1").float(), tmp_path / "b.onnx", 5).inputs == ["planes"]


def test_the_same_network_gives_the_same_bytes(tmp_path):
    net = lively("nobi-net:width=16,blocks=1").float()
    for name in ("a", "b"):
        export_onnx(net, tmp_path / name, 9)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_unsupported_size(tmp_path):
    with pytest.raises(NobiError, match="plays on 7x7 only"):
        export_onnx(lively("c14-small:size=7").float(), tmp_path / "net.onnx", 9)
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_if_the_values_differ(tmp_path, monkeypatch):
    true = export.run_onnx
    monkeypatch.setattr(export, "run_onnx", lambda content, inputs: true(content, inputs) * 1.01)
    with pytest.raises(NobiError, match="differs from the network by"):
        export_onnx(lively("mdrnn:hidden=2").float(), tmp_path / "net.onnx", 5)
    assert not list(tmp_path.iterdir())


def test_the_file_describes_the_network(tmp_path):
    net = lively("m15:layers=1,filters=2,size=5").float()
    export_onnx(net, tmp_path / "net.onnx", 5)
    model = onnx.load(tmp_path / "net.onnx")
    assert {entry.key: entry.value for entry in model.metadata_props} == {"network": str(net), "planes": "m15"}


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_without_a_package_it_is_named(tmp_path, monkeypatch, package):
    true = export.find_spec
    monkeypatch.setattr(export, "find_spec", lambda name: None if name == package else true(name))
    with pytest.raises(NobiError, match=rf"needs the package {package}; install it with pip install 'nobi\[onnx\]'"):
        export_onnx(lively("mdrnn:hidden=2").float(), tmp_path / "net.onnx", 5)
    assert not list(tmp_path.iterdir())
