"""A real Ray instance on this machine: loopback only, with token authentication, time limits and clean-up checks."""

import os
import secrets
import shutil
import signal
import socket
import tempfile
from pathlib import Path

import pytest

from helpers.disturbing import LOOPBACK
from helpers.processes import processes_with, wait_until

FOLDER = Path(tempfile.mkdtemp(prefix="nobi-ray-", dir="/tmp"))
(FOLDER / "token").write_text(secrets.token_hex(32))
os.environ |= {
    "RAY_TMPDIR": str(FOLDER),
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN_PATH": str(FOLDER / "token"),
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback only, as Ray does on macOS and Windows
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",
    "GRPC_ENABLE_FORK_SUPPORT": "0",  # with it, gRPC 1.85 occasionally crashes when the Ray Client server forks
}
os.environ.pop("RAY_ADDRESS", None)
SECONDS = 240
"""Time limit of a test."""


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents and "ray_folder" in item.fixturenames:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def ray_folder():
    """The folder of Ray's files; its processes have it in their command lines."""
    yield FOLDER
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(autouse=True)
def bounded():
    """Fail a test that exceeds the time limit."""

    def late(*_):
        raise TimeoutError(f"the test took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def nothing_left(ray_folder):
    """Check that no process of Ray is left after the test."""
    yield
    assert wait_until(lambda: not processes_with(ray_folder), 20.0)


@pytest.fixture(scope="module")
def shared_cluster(ray_folder):
    """A cluster of one node with two cores for all tests of a module. Returns the port of its Ray Client."""
    from ray.cluster_utils import Cluster

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found = Cluster(True, head_node_args={"num_cpus": 2, "ray_client_server_port": port, **LOOPBACK})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", found.address)
        yield port
    found.shutdown()
    assert wait_until(lambda: not processes_with(ray_folder), 20.0)


@pytest.fixture
def cluster(monkeypatch, nothing_left):  # noqa: ARG001
    """A cluster with a head without cores and one node with one core; executors connect to it."""
    from ray.cluster_utils import Cluster

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **LOOPBACK})
    monkeypatch.setenv("RAY_ADDRESS", found.address)
    try:
        found.add_node(num_cpus=1, **LOOPBACK)
        yield found
    finally:
        import ray

        ray.shutdown()
        found.shutdown()
