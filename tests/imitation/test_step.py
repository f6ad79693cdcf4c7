"""Two processes train like one."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from helpers.commands import call
from nobi.imitation.data import Reader
from nobi.imitation.run import ImitationRun
from nobi.imitation.settings import ImitationSettings
from nobi.imitation.step import ProcessGroup
from nobi.networks.deep import make_deep


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_shares_cover_the_batch(processes):
    shares = [ProcessGroup(rank, processes).share(13) for rank in range(processes)]
    assert [i for first, end in shares for i in range(first, end)] == list(range(13))


def test_two_processes_give_the_result_of_one(capsys, tmp_path, games57):
    """The same total batch, of an odd size: the same weights and metrics except for rounding.

    Statistics are frozen; otherwise each process would normalise by its own part of the batch.
    """
    flags = ["--data", games57, "--net", "nobi-net:width=16,blocks=2,planes=c14-7", "--steps", "12", "--batch", "13"]
    flags += ["--frozen", "1"]
    flags += [
        "--measurements",
        "2",
        "--validation",
        "41",
        "--threads",
        "1",
        "--optimiser",
        "nesterov",
        "--clip",
        "0.5",
        "--json",
    ]

    def found(name, out):
        lines = [json.loads(line) for line in (tmp_path / name / "metrics.jsonl").read_text().splitlines()]
        return json.loads(out)["processes"], load_file(tmp_path / name / "model.safetensors"), lines

    code, out, _ = call(capsys, "imitate", str(tmp_path / "one"), *flags)
    assert code == 0
    one, alone, lines = found("one", out)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "nobi"]
    done = subprocess.run(
        [*launch, "imitate", str(tmp_path / "two"), *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    two, together, lines2 = found("two", done.stdout)
    assert (one, two) == (1, 2)
    for name, weights in alone.items():
        assert np.allclose(weights, together[name], atol=2e-5), name
    assert any((weights != 0).any() for weights in alone.values())
    for line, line2 in zip(lines, lines2, strict=True):
        assert line == pytest.approx(line2, rel=1e-4)


def test_the_command_starts_processes_itself(tmp_path, games57):
    flags = ["--data", games57, "--net", "nobi-net:width=16,blocks=1,planes=c14-7", "--steps", "2", "--batch", "6"]
    more = ["--validation", "0", "--json", "--processes", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "nobi", "imitate", str(tmp_path / "run"), *flags, *more],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["processes"] == 2


def test_running_means_are_those_of_all_processes(tmp_path, games57):
    """After one step they are the mean over the parts of the batch of all processes."""
    flags = ["--data", games57, "--net", "nobi-net:width=16,blocks=1,planes=c14-7", "--steps", "1", "--batch", "12"]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "nobi"]
    more = ["--threads", "1", "--validation", "0", "--seed", "3"]
    done = subprocess.run(
        [*launch, "imitate", str(tmp_path / "run"), *flags, *more], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = load_file(tmp_path / "run" / "model.safetensors")
    settings = ImitationSettings(
        data=(games57,), net="nobi-net:width=16,blocks=1,planes=c14-7", steps=1, batch=12, validation=0, seed=3
    )
    run = ImitationRun(tmp_path / "other", settings)
    reader = Reader(run.sources.positions, run.network.planes, torch.device("cpu"))
    means = []
    for first, end in ((0, 6), (6, 12)):
        network = make_deep(settings.net, settings.seed)
        draw = run.sampler.draw(0, first, end)
        network.outputs(reader.read(draw.source, draw.number, draw.symmetry).planes)
        means.append(network.blocks[0].norm1.mean)
    np.testing.assert_allclose(found["blocks.0.norm1.mean"], (means[0] + means[1]) / 2, rtol=1e-4, atol=1e-7)


def test_an_error_of_two_processes_is_reported_once(tmp_path, games57):
    flags = ["--data", games57, "--net", "nobi-net:width=16,blocks=1,planes=c14-7", "--steps", "2", "--threads", "1"]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").write_text("{}")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "nobi"]
    done = subprocess.run(
        [*launch, "imitate", str(tmp_path / "run"), *flags], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert done.stderr.count("already contains a run; add --resume") == 1
    assert "Connection closed" not in done.stderr
