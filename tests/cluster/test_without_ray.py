"""What `--executor` says where Ray is missing or not meant; these need no Ray."""

import sys

import pytest

from helpers.commands import call

COMMANDS = {
    "evolve": ["{folder}", "--generations", "1", "--games", "2", "--sizes", "5"],
    "coevolve": ["{folder}", "--generations", "1"],
    "match": ["naive", "random", "--size", "5", "--games", "2"],
    "tournament": ["naive", "random", "--game", "atari-go", "--size", "5", "--games", "2"],
    "study": ["s08-table1", "--scale", "tiny", "--out", "{folder}"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_how_to_install_ray_is_said(capsys, monkeypatch, tmp_path, command):
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
