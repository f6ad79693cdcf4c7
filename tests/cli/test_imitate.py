"""`nobi imitate` and `nobi predict`."""

import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from helpers.commands import call
from helpers.datasets import make_dataset
from nobi.cli.progress import progress_columns
from nobi.imitation.run import ImitationRun

RUN = ["--net", "nobi-net:width=16,blocks=2,planes=c14-7", "--steps", "12", "--batch", "8", "--measurements", "3"]
RUN += ["--validation", "30", "--threads", "1"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("cli") / "games", sizes=(5, 6), games=15, shares=(60, 20, 20))


@pytest.fixture(scope="module")
def trained(tmp_path_factory, data):
    from nobi.cli import run

    folder = tmp_path_factory.mktemp("cli") / "run"
    assert run(["imitate", str(folder), "--data", data, *RUN, "--tensorboard"]) == 0
    return folder


def test_files_of_a_run(trained):
    files = {path.name for path in trained.iterdir()}
    wanted = {"config.json", "checkpoint.safetensors", "metrics.jsonl", "model.safetensors", "curve.png", "curve.svg"}
    assert wanted | {"tensorboard"} == files
    lines = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [0, 4, 8, 12]
    assert set(lines[1]) == {
        "step",
        "positions",
        "epoch",
        "rate",
        "loss",
        "accuracy",
        "validation_loss",
        "validation_accuracy",
    }


def test_tensorboard_reads_the_scalars(trained):
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    events = accumulators.EventAccumulator(str(trained / "tensorboard"))
    events.Reload()
    lines = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    found = [(event.step, event.value) for event in events.Scalars("validation/loss")]
    assert [step for step, _ in found] == [line["positions"] for line in lines]
    assert [value for _, value in found] == pytest.approx([line["validation_loss"] for line in lines], rel=1e-5)
    assert {"training/loss", "training/accuracy", "training/rate", "training/positions_per_second"} <= set(
        events.Tags()["scalars"]
    )


def test_imitate_reports_its_result(capsys, tmp_path, data):
    code, out, err = call(capsys, "imitate", str(tmp_path / "run"), "--data", data, *RUN)
    assert (code, err) == (0, "")
    assert "96 positions in " in out
    assert "In all 96 positions were seen" in out
    assert "Training, positions 64 to 96: loss " in out
    assert "Validation: loss" in out
    code, out, err = call(capsys, "imitate", str(tmp_path / "run"), "--data", data, *RUN, "--resume", "--json")
    found = json.loads(out)
    assert (code, found["steps"], found["of"], found["positions"], found["device"]) == (0, 12, 12, 96, "cpu")
    code, out, err = call(capsys, "imitate", str(tmp_path / "run"), "--data", data, *RUN, "--resume")
    assert "All steps were done before." in out
    code, out, err = call(capsys, "imitate", str(tmp_path / "run"), "--data", data, *RUN)
    assert (code, out) == (2, "")
    assert "already contains a run; add --resume" in err


def test_a_dataset_folder_is_refused_as_a_run_folder(data, capsys):
    code, out, err = call(capsys, "imitate", data, "--data", data, *RUN)
    assert (code, out) == (2, "")
    assert "holds a dataset; choose another for the run." in err
    assert not (Path(data) / "config.json").exists()


def test_ctrl_c_saves(capsys, tmp_path, data, monkeypatch):
    step = ImitationRun._step

    def interrupted_at_five(run, batch):
        step(run, batch)
        if run.step_number == 5:
            signal.raise_signal(signal.SIGINT)

    arguments = ["imitate", str(tmp_path / "run"), "--data", data, *RUN]
    monkeypatch.setattr(ImitationRun, "_step", interrupted_at_five)
    code, out, err = call(capsys, *arguments)
    assert (code, "48 positions" in out) == (130, True)  # the current step is finished, and the next
    assert err == "nobi: interrupted after 6 of 12 steps; the same command with --resume continues.\n"
    code, out, err = call(capsys, *arguments, "--resume")
    assert (code, err) == (0, "")
    assert "In all 96 positions were seen" in out


def test_ctrl_c_before_the_first_step(capsys, tmp_path, data, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    arguments = ["imitate", str(tmp_path / "run"), "--data", data, *RUN]
    with monkeypatch.context() as patch:
        patch.setattr(ImitationRun, "_measure", interrupted)
        assert call(capsys, *arguments) == (
            130,
            "",
            "nobi: interrupted before anything was done; the same command with --resume starts again.\n",
        )
    assert call(capsys, *arguments, "--resume")[0] == 0


def test_a_run_without_a_measurement_is_drawn_without_warnings(capsys, tmp_path, data):
    flags = ["--validation", "0", "--steps", "1", "--measurements", "1"]
    code, _, err = call(capsys, "imitate", str(tmp_path / "run"), "--data", data, *RUN, *flags)
    assert (code, err) == (0, "")


def test_output_in_a_narrow_terminal():
    console = Console(file=io.StringIO(), width=80, force_terminal=True, legacy_windows=False)
    with Progress(*progress_columns(note=True), console=console) as progress:
        progress.add_task(
            "steps", total=12_345, completed=678, note="loss 2.924, accuracy 18.5 %, 1,250 pos/s, validation 19 %"
        )
    lines = [line for line in Text.from_ansi(console.file.getvalue()).plain.splitlines() if line.strip()]
    assert len(lines[-1]) <= 80
    for words in ("steps", "678/12345", "-:--:-- left", "loss 2.924, accuracy 18.5 %, 1,250 pos/s"):
        assert words in lines[-1]


def test_predict_prints_tables_and_draws(capsys, tmp_path, trained, data):
    model = str(trained / "model.safetensors")
    code, out, _ = call(capsys, "predict", model, "--data", data, "--figures", str(tmp_path / "figures"))
    assert code == 0
    for words in ("accuracy", "by board", "5x5", "6x6", "by rank of the player", "1k", "by move number", "1–10"):
        assert words in out
    assert f"run: {model}" in out
    drawn = {path.name for path in (tmp_path / "figures").glob("*.png")}
    assert drawn == {"top.png", "moves.png", "ranks.png", "sizes.png", "filters.png"}


def test_predict_as_json(capsys, trained, data):
    model = str(trained / "model.safetensors")
    code, out, _ = call(capsys, "predict", model, "--data", data, "--split", "train", "--positions", "40", "--json")
    found = json.loads(out)["predictions"][model]
    assert code == 0
    assert found["all"]["positions"] == 40
    assert found["all"]["accuracy"]["low"] <= found["all"]["accuracy"]["value"] <= found["all"]["accuracy"]["high"]
    assert len(found["top"]) == 36
    assert found["top"][0] == found["all"]["accuracy"]
    assert found["top"][35]["value"] == 1


def test_predict_says_which_models_are_measured_among_all_points(capsys, tmp_path, trained, data):
    from nobi.models.model import Model, save_model
    from nobi.networks.deep import make_deep

    free = tmp_path / "free.safetensors"
    save_model(free, Model.from_module(make_deep("nobi-net:width=16,blocks=1,mask=false"), 5, {}))
    masked = trained / "model.safetensors"
    asked = ["predict", str(masked), str(free), "--data", data, "--positions", "20"]
    _, out, _ = call(capsys, *asked)
    assert f"measured on all points: {tmp_path.name}; the others on legal moves." in " ".join(out.split())
    _, out, _ = call(capsys, *asked, "--json")
    assert json.loads(out)["among_legal_moves"] == {str(masked): True, str(free): False}
    _, out, _ = call(capsys, *asked, "--legal")
    assert "measured on all" not in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["imitate", "OUT"], "Give at least one dataset with --data; 'nobi data import' makes datasets."),
        (["imitate", "OUT", "--data", "DATA", "--net", "c14-small"], "plays on 19x19 only, and there are games on 5x5"),
        (["imitate", "OUT", "--data", "DATA", "--device", "tpu9"], "There is no device 'tpu9' here"),
        (["predict", "MODEL"], "Give at least one dataset"),
        (["predict", "MODEL", "--data", "DATA", "--split", "exam"], "A dataset has no split 'exam'"),
        (["predict", "MODEL", "--data", "DATA", "--positions", "-1"], "--positions must be 0 or more, not -1."),
        (["predict", "none", "--data", "DATA"], "There is no model file 'none'."),
    ],
)
def test_bad_input(capsys, tmp_path, trained, data, arguments, says):
    real = {"OUT": str(tmp_path / "run"), "DATA": data, "MODEL": str(trained / "model.safetensors")}
    code, out, err = call(capsys, *(real.get(spec, spec) for spec in arguments))
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", [["imitate", "out", "--data", "x"], ["predict", "x", "--data", "x"]])
def test_without_torch(command):
    program = """
import importlib.util, sys
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "torch" else find_spec(name, *more)
class Without:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Without())
from nobi.cli import run
"""
    program += f"sys.exit(run({command}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "needs PyTorch; install it with pip install 'nobi[deep]'." in done.stderr


@pytest.mark.parametrize("command", ["imitate", "predict"])
def test_help_loads_nothing_heavy(command):
    program = f"import sys; from nobi.cli import run\ntry: run([{command!r}, '--help'])\nexcept SystemExit: pass\n"
    program += "print([m for m in ('numba', 'numpy', 'scipy', 'matplotlib', 'torch') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"
