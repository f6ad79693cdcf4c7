"""Lost workers, nodes and heads: the weights are bit-identical to those of an uninterrupted run in threads."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from helpers.disturbing import LOOPBACK, Disturbing, Slow, Wrapping
from helpers.processes import is_running, wait_until
from nobi.errors import NobiError
from nobi.evolution.run import EvolutionRun
from nobi.evolution.settings import EvolutionSettings
from nobi.workers import ThreadExecutor, make_executor

SETTINGS = EvolutionSettings(sizes=(5,), net="mdrnn:hidden=1", method="es", generations=3, games=20)
FLAGS = ["--sizes", "5", "--net", "mdrnn:hidden=1", "--method", "es", "--games", "20"]
FILES = ("checkpoint.safetensors", "champion.safetensors", "metrics.jsonl")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The files of the run in threads."""
    folder = tmp_path_factory.mktemp("runs") / "local"
    EvolutionRun(folder, SETTINGS, resume=False, executor=ThreadExecutor(1)).train()
    return {file: (folder / file).read_bytes() for file in FILES}


def files_of(folder):
    return {file: (folder / file).read_bytes() for file in FILES}


@pytest.mark.usefixtures("cluster")
def test_a_worker_killed_in_the_middle_of_a_generation(tmp_path, undisturbed):
    mark = tmp_path / "mark"
    wrap = lambda function, call: Disturbing(function, mark) if call == 2 else function  # noqa: E731
    with Wrapping(wrap) as executor:
        EvolutionRun(tmp_path / "run", SETTINGS, resume=False, executor=executor).train()
    assert not is_running(int(mark.read_text()))
    assert files_of(tmp_path / "run") == undisturbed


def test_nodes_that_are_added_and_removed(cluster, tmp_path, undisturbed):
    added = []
    with Wrapping(lambda function, call: Slow(function, 1.0 if call == 3 else 0.0)) as executor:
        run = EvolutionRun(tmp_path / "run", SETTINGS, resume=False, executor=executor)
        assert executor.describe() == "1 node, 1 worker"
        run.step()
        added.append(cluster.add_node(num_cpus=2, **LOOPBACK))
        assert wait_until(lambda: executor.describe() == "2 nodes, 3 workers")
        run.step()
        # the new node, with its part of the generation, is killed while it works
        threading.Timer(0.5, lambda: cluster.remove_node(added[0], allow_graceful=False)).start()
        run.step()
        assert wait_until(lambda: executor.describe() == "1 node, 1 worker", 60.0)
        run.save()
    assert files_of(tmp_path / "run") == undisturbed


@pytest.mark.parametrize("lost", ["head", "every node"])
def test_the_head_is_lost(cluster, tmp_path, lost):
    """The command reports it; resumed without Ray, it gives the same bits. Ray ends processes of a lost node."""
    command = [sys.executable, "-m", "nobi", "evolve", str(tmp_path / "run"), *FLAGS]
    started = subprocess.Popen(
        [*command, "--generations", "1000000", "--executor", "ray"], stderr=subprocess.PIPE, text=True
    )
    assert wait_until(lambda: (tmp_path / "run" / "checkpoint.safetensors").exists(), 120.0)
    processes = list(cluster.head_node.all_processes["gcs_server"])
    if lost == "every node":
        processes += [process for node in cluster.list_all_nodes() for process in node.all_processes["raylet"]]
    for process in processes:
        os.kill(process.process.pid, signal.SIGKILL)
    _, told = started.communicate(timeout=90)
    # if every node is lost, either the command or Ray detects it first
    ends = {2: "head node of the Ray cluster"} | ({1: "its Ray node was lost"} if lost == "every node" else {})
    assert ends.get(started.returncode, "an expected end") in told
    assert told.count("the same command with --resume continues") == 1
    assert "Traceback" not in told
    total = EvolutionRun(tmp_path / "run", SETTINGS, resume=True).generation + 2
    both = [tmp_path / "run", tmp_path / "other"]
    for folder, flags in zip(both, (["--resume"], []), strict=True):
        again = [*command[:4], str(folder), *FLAGS, "--generations", str(total), *flags]
        subprocess.run(again, check=True, capture_output=True, timeout=90)
    assert files_of(both[0]) == files_of(both[1])


def test_a_node_with_another_version_is_refused(cluster, tmp_path):
    old = tmp_path / "packages" / "nobi"
    old.mkdir(parents=True)
    (old / "__init__.py").write_text('__version__ = "0.0.1"\n')
    node = cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(old.parent)}, **LOOPBACK)
    with pytest.raises(NobiError, match=r"node .* has nobi 0\.0\.1, not .* install the same"):
        make_executor("ray")
    cluster.remove_node(node)
    time.sleep(1)
    other = cluster.add_node(num_cpus=1, env_vars={"NUMBA_CPU_NAME": "generic"}, **LOOPBACK)
    with pytest.raises(NobiError, match=r"processor generic, .* NUMBA_CPU_NAME"):
        make_executor("ray")
    cluster.remove_node(other)


def test_an_error_of_a_task_is_the_error_of_the_call(cluster, tmp_path):  # noqa: ARG001
    def invalid(task):
        raise NobiError(f"there is no {task}.")

    def broken(task):
        raise ValueError(task)

    with make_executor("ray") as executor:
        with pytest.raises(NobiError, match=r"^there is no such thing\.$"):
            executor.map(invalid, ["such thing"])
        with pytest.raises(ValueError, match="such thing"):
            executor.map(broken, ["such thing"])
        assert executor.map(len, ["still", "there"]) == [5, 5]
