"""`nobi export`."""

import json

import onnxruntime
import pytest

from helpers.commands import call
from networks.deep_shared import lively
from nobi.models.model import Model, save_model


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.safetensors"
    save_model(path, Model.from_module(lively("nobi-net:width=16,blocks=1").float(), 9))
    return path


def test_export_reports_its_result(capsys, tmp_path, model):
    code, out, err = call(capsys, "export", str(model), "--onnx", str(tmp_path / "new" / "net.onnx"))
    assert (code, err) == (0, "")
    assert "any size; the 31 planes of nobi; inputs planes." in out
    assert "Equal under onnxruntime on 5x5, 9x9, 19x19, 25x25" in out
    assert (tmp_path / "new" / "net.onnx").stat().st_size > 1000


def test_export_as_json(capsys, tmp_path, model):
    code, out, _ = call(capsys, "export", str(model), "--onnx", str(tmp_path / "net.onnx"), "--size", "7", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["network"] == "nobi-net:width=16,blocks=1"
    assert found["planes"] == "nobi"
    assert (found["inputs"], found["channels"]) == (["planes"], 31)
    told = onnxruntime.InferenceSession(tmp_path / "net.onnx").get_modelmeta().custom_metadata_map
    assert told == {"network": "nobi-net:width=16,blocks=1", "planes": "nobi"}
    assert found["sizes"] is None
    assert found["checked"] == [5, 7, 9, 19, 25]
    assert found["difference"] < 1e-4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{model}", "--onnx", "{folder}/net.onnx", "--size", "26"], "5 to 25"),
        (["{folder}/none.safetensors", "--onnx", "{folder}/net.onnx"], "There is no model file"),
        (["{model}", "--onnx", "{model}/net.onnx"], "cannot be written to"),
    ],
)
def test_bad_calls(capsys, tmp_path, model, arguments, says):
    code, out, err = call(capsys, "export", *[a.format(model=model, folder=tmp_path) for a in arguments])
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert not (tmp_path / "net.onnx").exists()
