"""Gradient training on several nodes, and a lost process."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.datasets import make_dataset
from helpers.processes import processes_with, wait_until

pytestmark = pytest.mark.cluster
LAUNCH = [sys.executable, "-m", "torch.distributed.run"]
FLAGS = ["--net", "nobi-net:width=16,blocks=1,planes=c14-7", "--batch", "6", "--validation", "6", "--threads", "1"]
MANY = ["--steps", "400", "--measurements", "20"]
FILES = ("model.safetensors", "checkpoint.safetensors", "metrics.jsonl")


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("datasets") / "both", sizes=(5, 7), games=20, seed=1)


@pytest.fixture(autouse=True)
def loopback(monkeypatch):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def command(folder, games, launch, flags):
    return [*LAUNCH, *launch, "-m", "--", "nobi", "imitate", str(folder), "--data", str(games), *FLAGS, *flags]


def files_of(folder):
    return {file: (folder / file).read_bytes() for file in FILES}


def test_two_nodes_train_as_two_processes_of_one_node(tmp_path, games):
    """The second node has no run folder: only rank 0 reads and writes it."""
    one, flags = ["--standalone", "--nproc-per-node", "2"], ["--steps", "8", "--measurements", "2"]
    subprocess.run(command(tmp_path / "one", games, one, flags), check=True, capture_output=True, timeout=120)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    two = ["--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "127.0.0.1", "--master-port", str(port)]
    nodes = [
        subprocess.Popen(
            command(folder, games, [*two, "--node-rank", str(rank)], flags), stderr=subprocess.PIPE, text=True
        )
        for rank, folder in enumerate((tmp_path / "two", tmp_path / "elsewhere"))
    ]
    for node in nodes:
        _, told = node.communicate(timeout=120)
        assert node.returncode == 0, told
    assert files_of(tmp_path / "two") == files_of(tmp_path / "one")
    assert not (tmp_path / "elsewhere").exists()


def rank_of(process):
    try:
        variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    return next((int(v.partition(b"=")[2]) for v in variables if v.startswith(b"RANK=")), None)


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lost_process_ends_the_run_which_can_be_resumed(tmp_path, games, lost):
    launch = ["--standalone", "--nproc-per-node", "2"]
    folder = tmp_path / "run"
    started = subprocess.Popen(command(folder, games, launch, MANY), stderr=subprocess.PIPE, text=True)
    assert wait_until(lambda: (folder / "checkpoint.safetensors").exists(), 120.0)
    [process] = [number for number in processes_with(folder) if rank_of(number) == lost]
    os.kill(process, signal.SIGKILL)
    _, told = started.communicate(timeout=120)
    assert started.returncode != 0
    assert "Another of the 2 training processes ended" in told
    assert "--resume" in told
    assert len((folder / "metrics.jsonl").read_text().splitlines()) < 21
    for path, more in ((folder, ["--resume"]), (tmp_path / "whole", [])):
        again = command(path, games, launch, [*MANY, *more])
        subprocess.run(again, check=True, capture_output=True, timeout=200)
    assert files_of(folder) == files_of(tmp_path / "whole")
    assert not processes_with(folder)
