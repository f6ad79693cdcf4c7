"""Runs of imitation: what they learn; resumed runs are bit-identical."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from helpers.runs import error_of
from nobi.errors import NobiError
from nobi.games import variant
from nobi.imitation.data import Reader
from nobi.imitation.run import ImitationRun, model_of, read_checkpoint, schedule_of
from nobi.imitation.settings import ImitationSettings
from nobi.models.model import Model, load_model, save_model
from nobi.networks.deep import make_deep
from nobi.players import make_player

NET = "nobi-net:width=16,blocks=2,planes=c14-7"
FILES = ("config.json", "checkpoint.safetensors", "metrics.jsonl", "model.safetensors")


def some(dataset, **changes):
    settings = ImitationSettings(
        data=(dataset,), net=NET, steps=14, batch=8, measurements=3, validation=40, optimiser="nesterov"
    )
    return dataclasses.replace(settings, **changes)


def finish(folder, settings, *, resume=False):
    run = ImitationRun(folder, settings, resume=resume)
    run.train()
    return run


def assert_same_files(one, other):
    assert [name for name in FILES if (one / name).read_bytes() != (other / name).read_bytes()] == []


@pytest.mark.parametrize("optimiser", ["sgd", "nesterov", "adamw", "muon"])
@pytest.mark.parametrize("data", ["games5", "games57"])
def test_an_interrupted_run_ends_in_the_same_bits(tmp_path, request, data, optimiser):
    settings = some(request.getfixturevalue(data), optimiser=optimiser, clip=1.0)
    finish(tmp_path / "whole", settings)
    first = ImitationRun(tmp_path / "left", settings)
    first.train(until=5)
    second = ImitationRun(tmp_path / "left", settings, resume=True)
    assert second.step_number == 5
    second.train(until=9)
    last = finish(tmp_path / "left", settings, resume=True)
    assert last.finished
    assert_same_files(tmp_path / "whole", tmp_path / "left")
    finish(tmp_path / "left", settings, resume=True)  # nothing is left to do
    assert_same_files(tmp_path / "whole", tmp_path / "left")


def test_ctrl_c_finishes_the_step_and_saves(tmp_path, games5):
    settings = some(games5)
    finish(tmp_path / "whole", settings)
    run = ImitationRun(tmp_path / "cut", settings)

    def press(run):
        if run.step_number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run.train(press)
    assert read_checkpoint(tmp_path / "cut" / "checkpoint.safetensors").step == 5
    finish(tmp_path / "cut", settings, resume=True)
    assert_same_files(tmp_path / "whole", tmp_path / "cut")


def test_killed_at_any_moment(tmp_path, games5):
    """The command is killed before its first checkpoint, after it, and later, and then finished."""
    flags = ["--data", games5, "--net", "mdrnn:hidden=4", "--steps", "4000", "--batch", "8", "--measurements", "200"]
    flags += ["--validation", "40", "--threads", "1", "--schedule", "constant:rate=0.01"]
    folder = tmp_path / "killed"
    checkpoint = folder / "checkpoint.safetensors"
    steps = []
    for moment in range(3):
        command = [sys.executable, "-m", "nobi", "imitate", str(folder), *flags, *(["--resume"] if moment else [])]
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 300
        wanted = folder / "config.json" if moment == 0 else checkpoint
        while not (wanted.exists() and (moment == 0 or checkpoint.stat().st_mtime_ns > before)):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.2 * (moment == 2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        steps.append(read_checkpoint(checkpoint).step if checkpoint.exists() else 0)
    assert steps[0] <= steps[1] < steps[2] < 4000
    end = steps[2] + 30
    settings = ImitationSettings(
        data=(games5,),
        net="mdrnn:hidden=4",
        steps=4000,
        batch=8,
        measurements=200,
        validation=40,
        schedule="constant:rate=0.01",
    )
    ImitationRun(folder, settings, resume=True).train(until=end)
    ImitationRun(tmp_path / "whole", settings).train(until=end)
    assert_same_files(tmp_path / "whole", folder)


def test_it_memorises_a_few_games(tmp_path, games5):
    """The loss on a few games decreases far below that of guessing."""
    settings = some(games5, steps=300, batch=32, optimiser="adamw", schedule="cosine:rate=0.01", symmetries=False)
    settings = dataclasses.replace(settings, net="nobi-net:width=32,blocks=2,planes=c14-7", measurements=10)
    run = finish(tmp_path / "run", settings)
    losses = [line["loss"] for line in run.lines[1:]]
    assert losses[-1] < 0.6 * losses[0]
    assert run.lines[-1]["accuracy"] > 2 * run.lines[1]["accuracy"]
    assert 1 < run.lines[0]["validation_loss"] < np.log(25)  # as by guessing among the legal moves on 25 points
    assert [line["step"] for line in run.lines] == list(range(0, 301, 30))


def test_a_step_of_plain_descent_is_that_of_a_plain_computation(tmp_path, games5):
    """One step against the gradient of the mean negative log likelihood over legal moves, by hand."""
    settings = some(
        games5, steps=1, optimiser="sgd", schedule="constant:rate=0.5", net="c14-small:size=5", validation=0
    )
    run = ImitationRun(tmp_path / "run", settings)
    twin = make_deep(settings.net, settings.seed)
    draw = run.sampler.draw(0)
    batch = Reader(run.sources.positions, "c14-7", torch.device("cpu")).read(draw.source, draw.number, draw.symmetry)
    values = twin(batch.planes)
    total = 0.0
    for value, target, legal in zip(values, batch.target, batch.legal, strict=True):
        total = total - value[target] + torch.log(torch.exp(value[legal]).sum())
    (total / 8).backward()
    run.train()
    for name, weight in twin.named_parameters():
        moved = run.network.get_parameter(name)
        assert torch.allclose(weight - 0.5 * weight.grad, moved, atol=1e-6), name
    assert run.lines[-1]["loss"] == pytest.approx(total.item() / 8, rel=1e-5)


def test_clipping_shortens_the_step(tmp_path, games5):
    free = some(games5, steps=1, optimiser="sgd", schedule="constant:rate=1", validation=0, clip=0.0)
    moved = []
    for name, clip in (("free", 0.0), ("cut", 0.01)):
        run = ImitationRun(tmp_path / name, dataclasses.replace(free, clip=clip))
        before = torch.cat([w.detach().flatten().clone() for w in run.network.parameters()])
        run.train()
        after = torch.cat([w.detach().flatten() for w in run.network.parameters()])
        moved.append(float((after - before).norm()))
    assert moved[0] > 0.011
    assert moved[1] == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize("spec", ["mdrnn:hidden=4", "mdlstm:hidden=2", "stacked"])
def test_swiping_networks_train_and_play_compiled(tmp_path, games5, spec):
    run = finish(tmp_path / "run", some(games5, net=spec, steps=20, optimiser="adamw"))
    path = tmp_path / "run" / "model.safetensors"
    model = load_model(path)
    assert (model.weights == run.network.weights.detach().numpy()).all()
    assert model.game == "go"
    for game in ("go", "atari-go"):
        player = make_player(str(path), variant(game, 9))
        assert type(player).__name__ == "NetworkPlayer"


def test_deep_networks_are_saved_as_players(tmp_path, games57):
    finish(tmp_path / "run", some(games57))
    model = load_model(tmp_path / "run" / "model.safetensors")
    assert str(model.network) == NET
    assert model.size == 7
    assert model.provenance["training"]["net"] == NET
    assert make_player(str(tmp_path / "run" / "model.safetensors"), variant("go", 9))


def test_weights_can_come_from_a_model(tmp_path, games5):
    start = tmp_path / "start.safetensors"
    save_model(start, Model.from_module(make_deep(NET, 77), 5))
    run = ImitationRun(tmp_path / "run", some(games5, start=str(start)))
    fresh = make_deep(NET, 77)
    assert all((a == b).all() for a, b in zip(run.network.parameters(), fresh.parameters(), strict=True))
    says = error_of(ImitationRun, tmp_path / "other", some(games5, start=str(start), net="nobi-net:width=16"))
    assert "holds the network nobi-net:width=16,blocks=2,planes=c14-7, not nobi-net:width=16" in says
    assert not (tmp_path / "other").exists()


def test_a_deeper_network_starts_with_the_function_of_a_shallower_one(tmp_path, games5):
    start = tmp_path / "start.safetensors"
    shallow = make_deep(NET, 77)
    save_model(start, Model.from_module(shallow, 5))
    run = ImitationRun(tmp_path / "run", some(games5, start=str(start), net=NET.replace("blocks=2", "blocks=5")))
    planes = torch.rand(3, 7, 5, 5)
    run.network.eval()
    assert torch.allclose(run.network(planes), shallow.eval()(planes), atol=1e-5)
    assert run.network.weight_count() > shallow.weight_count()
    run.train(until=2)
    assert not torch.equal(run.network.blocks[4].second.weight, torch.zeros(16, 16, 3, 3))
    deep = NET.replace("blocks=2", "blocks=1")
    assert "holds the network" in error_of(ImitationRun, tmp_path / "other", some(games5, start=str(start), net=deep))


def test_a_run_can_start_from_the_state_of_another(tmp_path, games5):
    """Weights, statistics and the optimiser's state: the first step is the next step of the other run."""
    settings = some(games5, optimiser="muon", schedule="wsd:rate=0.01,warmup=0,decay=0")
    first = ImitationRun(tmp_path / "first", settings)
    first.train(until=6)
    second = ImitationRun(tmp_path / "second", dataclasses.replace(settings, start=str(tmp_path / "first")))
    assert second.step_number == 0
    for one, two in zip(first.network.state_dict().values(), second.network.state_dict().values(), strict=True):
        assert torch.equal(one, two)
    batch = first.sampler.draw(3)
    reader = Reader(first.sources.positions, first.network.planes, torch.device("cpu"))
    for run in (first, second):
        run.gradient_step.run(reader.read(batch.source, batch.number, batch.symmetry), 0.01)
    for one, two in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_model_lists_the_training_runs_that_it_continues(tmp_path, games5):
    settings = some(games5, optimiser="muon", schedule="wsd:rate=0.01,warmup=0,decay=0")
    finish(tmp_path / "first", settings)
    continued = dataclasses.replace(settings, start=str(tmp_path / "first"), seed=5)
    run = ImitationRun(tmp_path / "second", continued)
    run.train(until=2)
    finish(tmp_path / "second", continued, resume=True)
    finish(tmp_path / "third", dataclasses.replace(settings, start=str(tmp_path / "second" / "model.safetensors")))
    provenance = load_model(tmp_path / "third" / "model.safetensors").provenance
    assert [part["training"]["seed"] for part in provenance["earlier"]] == [settings.seed, 5]
    assert {part["positions"] for part in provenance["earlier"]} == {provenance["positions"]}
    assert "earlier" not in load_model(tmp_path / "first" / "model.safetensors").provenance


def test_statistics_are_frozen_in_the_last_part_of_a_run(tmp_path, games5):
    run = ImitationRun(tmp_path / "run", some(games5, frozen=0.5, validation=0))
    run.train(until=7)
    before = [buffer.clone() for buffer in run.network.buffers()]
    assert any((buffer != 0).any() for buffer in before)
    run.train()
    assert all(torch.equal(one, two) for one, two in zip(before, run.network.buffers(), strict=True))


@pytest.mark.parametrize("name", ["answer_weight", "value_weight"])
def test_other_outputs_are_learnt_if_their_losses_count(tmp_path, games5, name):
    part = {"answer_weight": "moves.weight", "value_weight": "value.weight"}[name]
    both = {"answer_weight": 0.0, "value_weight": 0.0}
    without = finish(tmp_path / "without", some(games5, **both)).network.state_dict()[part]
    counted = finish(tmp_path / "with", some(games5, **(both | {name: 1.0}))).network.state_dict()[part]
    fresh = make_deep(NET, 0).state_dict()[part]
    assert torch.equal(without[-1], fresh[-1])
    assert not torch.equal(counted[-1], fresh[-1])


def test_schedules_come_from_the_paper_or_the_optimiser():
    assert schedule_of(ImitationSettings(net="c14-small")).at(0.69) == 0.05
    assert schedule_of(ImitationSettings(net="m15:layers=3")).at(0.5) == 0.128
    assert schedule_of(ImitationSettings(net="m15", optimiser="adamw")).at(0.02) == 0.002


@pytest.mark.parametrize("rate", ["1e20", "1e30", "1e38"])
def test_divergence_is_reported_and_not_saved(tmp_path, games5, rate):
    """Ten normal steps, saved with the measurement after them; then the loss, an output or a weight becomes infinite,
    possibly between a step and the next measurement."""
    schedule = f"pieces:rates=0.001/{rate},lengths=10/20"
    settings = some(games5, optimiser="sgd", schedule=schedule, steps=30, measurements=30)
    run = ImitationRun(tmp_path / "run", settings)
    with pytest.raises(NobiError, match="has diverged"):
        run.train()
    kept = ImitationRun(tmp_path / "run", settings, resume=True)
    assert kept.step_number >= 10
    assert all(torch.isfinite(weights).all() for weights in kept.network.parameters())
    assert "NaN" not in (tmp_path / "run" / "metrics.jsonl").read_text()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weights": (1.0, 2.0)}, "one weight for each dataset: 1, not 2"),
        ({"weights": (0.0,)}, "above 0"),
        ({"batch": 0}, "`batch` must be 1 or more"),
        ({"epochs": 0.0}, "`epochs` must be above 0"),
    ],
)
def test_settings_that_make_no_sense(changes, words, games5):
    with pytest.raises(ValueError, match=words):
        some(games5, **changes)


def test_bad_input(tmp_path, games5, games57):
    def says(**changes):
        return error_of(ImitationRun, tmp_path / "run", some(games5, **changes))

    assert "Give at least one dataset" in says(data=())
    assert "There is no dataset" in says(data=("nowhere",))
    assert "There is no deep network 'c15'" in says(net="c15")
    assert "plays on 19x19 only, and there are games on 5x5" in says(net="c14-small")
    assert "no positions on 13x13 in the train part" in says(sizes=(5, 13))
    assert "hold the same games; give one." in says(data=(games5, games5))
    assert "There is no optimiser 'adam'" in says(optimiser="adam")
    assert "There is no schedule 'linear'" in says(schedule="linear")
    assert "2 rates but 1 lengths" in says(schedule="pieces:rates=0.1/0.2,lengths=1")
    assert "There is no model file" in says(start="nothing.safetensors")
    assert not (tmp_path / "run").exists()

    finish(tmp_path / "run", some(games5))
    assert "already contains a run" in says()
    again = lambda **changes: error_of(ImitationRun, tmp_path / "run", some(games5, **changes), resume=True)  # noqa: E731
    assert "has another --batch (8, not 9); resume it with the same." in again(batch=9)
    assert "has another --data" in again(data=(games57,))
    checkpoint = tmp_path / "run" / "checkpoint.safetensors"
    whole = checkpoint.read_bytes()
    checkpoint.write_bytes(whole[:-10])
    assert "cannot be read" in again()
    checkpoint.write_bytes((tmp_path / "run" / "model.safetensors").read_bytes())
    assert "is not a checkpoint of this version" in again()


def test_changed_data_are_detected(tmp_path):
    from helpers.datasets import make_dataset

    data = make_dataset(tmp_path / "data", games=10)
    finish(tmp_path / "run", some(data))
    shutil.rmtree(tmp_path / "data")
    make_dataset(tmp_path / "data", games=11)
    manifest = tmp_path / "data" / "manifest.json"
    assert "have changed" in error_of(ImitationRun, tmp_path / "run", some(data), resume=True)
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"version": 99}))
    assert "version 99" in error_of(ImitationRun, tmp_path / "run", some(data), resume=True)


def test_an_empty_validation_split(tmp_path):
    from helpers.datasets import make_dataset

    data = make_dataset(tmp_path / "data", games=10, shares=(1, 0, 0))
    assert "'--validation 0' trains without" in error_of(ImitationRun, tmp_path / "run", some(data))
    run = finish(tmp_path / "run", some(data, validation=0))
    assert "validation_loss" not in run.lines[-1]
    assert np.isfinite(run.lines[-1]["loss"])


@pytest.mark.parametrize("spec", ["mdlstm:hidden=2", "mdlstm:hidden=2,mask=false"])
def test_a_saved_network_equals_the_trained_one(tmp_path, spec):
    network = make_deep(spec)
    save_model(tmp_path / "model.safetensors", model_of(network, 9, {}))
    found = load_model(tmp_path / "model.safetensors").module()
    assert str(found) == str(network)
    assert found.masked == network.masked
