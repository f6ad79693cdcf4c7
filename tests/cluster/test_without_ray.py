"""Messages of `--executor` without Ray."""

import sys
import threading
from types import SimpleNamespace

import pytest

from helpers.commands import call
from nobi import cluster

COMMANDS = {
    "evolve": ["{folder}", "--generations", "1", "--games", "2", "--sizes", "5"],
    "coevolve": ["{folder}", "--generations", "1"],
    "match": ["naive", "random", "--size", "5", "--games", "2"],
    "tournament": ["naive", "random", "--game", "atari-go", "--size", "5", "--games", "2"],
    "study": ["s08-table1", "--scale", "tiny", "--out", "{folder}"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_message_says_how_to_install_ray(capsys, monkeypatch, tmp_path, command):
    monkeypatch.setitem(sys.modules, "ray", None)
    flags = [flag.format(folder=tmp_path / "run") for flag in COMMANDS[command]]
    code, out, err = call(capsys, command, *flags, "--executor", "ray")
    assert (code, out) == (2, "")
    assert "pip install 'nobi[ray]'" in err


def test_an_unknown_executor_is_refused(capsys, tmp_path):
    code, _, err = call(capsys, "evolve", str(tmp_path / "run"), "--executor", "slurm")
    assert code == 2
    assert "local, ray or ray://host:port, not 'slurm'" in err


def test_only_one_module_knows_ray():
    from pathlib import Path

    import nobi

    package = Path(nobi.__file__).parent
    users = [str(file.relative_to(package)) for file in package.rglob("*.py") if "import ray" in file.read_text()]
    assert users == ["cluster.py"]


def test_a_query_to_the_head_ends_with_the_connection(monkeypatch):
    """After Ray's shutdown a query would connect again, and Ray ends a process whose node is lost."""
    monkeypatch.setattr(cluster, "_STATUS_SECONDS", 0.01)
    asked, may_answer, answered = threading.Event(), threading.Event(), []

    def nodes():
        if threading.current_thread() is not threading.main_thread():
            asked.set()
            assert may_answer.wait(60)
            answered.append(True)
        return [{"Alive": True, "Resources": {"CPU": 1.0}}]

    connected = SimpleNamespace(is_connected=lambda: False)
    ray = SimpleNamespace(
        nodes=nodes,
        util=SimpleNamespace(client=SimpleNamespace(ray=connected)),
        get_runtime_context=lambda: SimpleNamespace(gcs_address="127.0.0.1:1"),
    )
    watch = cluster._HeadWatch(ray)
    assert asked.wait(60)
    threading.Timer(0.2, may_answer.set).start()
    watch.close()
    assert answered
    assert not watch._thread.is_alive()
