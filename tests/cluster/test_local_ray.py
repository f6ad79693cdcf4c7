"""A Ray instance started by a command: same bits, loopback only, token authentication, clean-up."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import call
from helpers.processes import processes_with, wait_until
from nobi.workers import make_executor

FLAGS = ["--sizes", "5", "--net", "mdrnn:hidden=1", "--method", "es", "--generations", "3", "--games", "20"]
LISTENS = "0A"


def listening_addresses(processes):
    """The addresses on which these processes listen, as in /proc/net/tcp."""
    sockets = set()
    for process in processes:
        for link in Path(f"/proc/{process}/fd").iterdir():
            try:
                found = re.fullmatch(r"socket:\[(\d+)\]", str(link.readlink()))
            except OSError:
                continue
            if found:
                sockets.add(found[1])
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and inode in sockets:
                addresses.add(local.partition(":")[0])
    return addresses


@pytest.mark.usefixtures("nothing_left")
def test_it_listens_on_the_loopback_interface_only_and_needs_the_token(ray_folder):
    with make_executor("ray", 1) as executor:
        assert executor.describe() == "1 node, 1 worker"
        assert executor.map(len, ["a", "bc"]) == [1, 2]
        address = executor._ray.get_runtime_context().gcs_address
        addresses = listening_addresses({os.getpid(), *processes_with(ray_folder)})
        join = f"import ray; ray.init({address!r}, logging_level='critical')"
        for changed, works in (({}, True), ({"RAY_AUTH_MODE": "disabled"}, False)):
            done = subprocess.run(
                [sys.executable, "-c", join], env=os.environ | changed, capture_output=True, text=True, timeout=120
            )
            assert (done.returncode == 0) == works, done.stderr
    assert addresses
    assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, also as an address of IPv6


@pytest.mark.usefixtures("nothing_left")
def test_evolve_on_ray_writes_the_same_files(capsys, tmp_path):
    command = [sys.executable, "-m", "nobi", "evolve", str(tmp_path / "ray"), *FLAGS, "--threads", "2", "--json"]
    done = subprocess.run([*command, "--executor", "ray"], capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["generations"] == 3
    assert call(capsys, "evolve", str(tmp_path / "local"), *FLAGS)[0] == 0
    for file in ("checkpoint.safetensors", "champion.safetensors", "metrics.jsonl", "config.json"):
        assert (tmp_path / "ray" / file).read_bytes() == (tmp_path / "local" / file).read_bytes()


@pytest.mark.usefixtures("nothing_left")
def test_ctrl_c_saves_and_ends_ray(tmp_path):
    command = [sys.executable, "-m", "nobi", "evolve", str(tmp_path / "run"), *FLAGS, "--threads", "1"]
    started = subprocess.Popen(
        [*command, "--generations", "1000000", "--executor", "ray"], stderr=subprocess.PIPE, text=True
    )
    assert wait_until(lambda: (tmp_path / "run" / "checkpoint.safetensors").exists(), 120.0)
    started.send_signal(signal.SIGTERM)
    _, told = started.communicate(timeout=60)
    assert started.returncode == 130, told
    assert "interrupted after" in told
    assert "Traceback" not in told
