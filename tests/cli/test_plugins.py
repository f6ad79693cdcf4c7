"""Classes of other packages and files: entry points of an installed package, `--load FILE.py` and NOBI_PLUGINS."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "squava.py"

MODULE = """
from dataclasses import dataclass
from nobi.games.atari_go import AtariGo
from nobi.networks.mdrnn import Mdrnn
from nobi.players.random import NaivePlayer
from nobi.plugins import Findings, Row, Study, Table, share_interval
from nobi.trainers.guess import Guess

class TinyGame(AtariGo):
    "Atari-Go under another name."
    name = "tiny-game"

class TinyPlayer(NaivePlayer):
    "Naive under another name."
    name = "tiny-player"

class TinyNetwork(Mdrnn):
    "An MDRNN under another name."
    name = "tiny-network"

class TinyTrainer(Guess):
    "Random search under another name."
    name = "tiny-trainer"

@dataclass(frozen=True)
class TinySettings:
    games: int

class TinyStudy(Study):
    "Example: a study without jobs."
    name = "tiny-study"
    page = "example"
    scales = {"tiny": TinySettings(10)}

    def conditions(self):
        return {"games": str(self.settings.games)}

    def jobs(self):
        return {}

    def report(self, found, out):
        return Findings([Table("Shares", [Row({"games": "10"}, "share", share_interval(4.0, 10))])], [])
"""
ENTRY_POINTS = """
[nobi.games]
tiny-game = tiny_nobi:TinyGame
broken-game = tiny_nobi:NoSuchGame

[nobi.players]
tiny-player = tiny_nobi:TinyPlayer

[nobi.networks]
tiny-network = tiny_nobi:TinyNetwork

[nobi.trainers]
tiny-trainer = tiny_nobi:TinyTrainer

[nobi.studies]
tiny-study = tiny_nobi:TinyStudy
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder into which pip has installed a package with entry points."""
    folder = tmp_path_factory.mktemp("package")
    wheel, info = folder / "tiny_nobi-1.0-py3-none-any.whl", "tiny_nobi-1.0.dist-info"
    files = {
        "tiny_nobi.py": MODULE,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: tiny-nobi\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": ENTRY_POINTS,
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target"]
    subprocess.run([*command, folder / "site", wheel], check=True)
    return folder / "site"


def nobi(*arguments, folder=None, **environment):
    path = os.pathsep.join(filter(None, (str(folder or ""), os.environ.get("PYTHONPATH", ""))))
    return subprocess.run(
        [sys.executable, "-m", "nobi", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_installed_package_adds_games_players_networks_and_trainers(package, tmp_path):
    run = ["evolve", tmp_path / "run", "--game", "tiny-game", "--sizes", "5", "--net", "tiny-network:hidden=1"]
    run += ["--method", "tiny-trainer:candidates=1", "--opponents", "tiny-player", "--generations", "1", "--games", "2"]
    done = nobi(*run, "--threads", "1", "--json", folder=package)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["generations"] == 1
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["game"], config["net"], config["method"]) == (
        "tiny-game",
        "tiny-network:hidden=1",
        "tiny-trainer:candidates=1",
    )
    done = nobi("evolve", tmp_path / "other", "--game", "broken-game", folder=package)
    assert done.returncode == 2
    assert done.stderr.startswith("nobi: The game 'broken-game' (tiny_nobi:NoSuchGame) cannot be loaded: ")
    assert len(done.stderr.splitlines()) == 1
    assert "There is no network 'tiny-network'" in nobi(*run).stderr


def test_an_installed_package_adds_a_study(package, tmp_path):
    run = ["study", "tiny-study", "--scale", "tiny", "--out", tmp_path / "study", "--json"]
    done = nobi(*run, folder=package)
    assert done.returncode == 0, done.stderr
    [study] = json.loads(done.stdout)["studies"]
    assert study["tables"][0]["rows"][0]["ours"]["value"] == 0.4
    assert "tiny-study" in nobi("study", "list", folder=package).stdout
    assert "tiny-study" not in nobi("study", "list").stdout


def test_a_file_that_is_loaded_adds_a_game(tmp_path):
    match = ["match", "naive", "random", "--game", "squava", "--size", "5", "--games", "4", "--json"]
    for before, after in ((["--load", EXAMPLE], []), ([], [f"--load={EXAMPLE}"])):
        done = nobi(*before, *match, *after)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["results"]["all"]["games"] == 4
    assert "squava" in nobi("match", "--help", NOBI_PLUGINS=str(EXAMPLE)).stdout
    marker = tmp_path / "marker.py"
    marker.write_text("import nobi.games\nprint('executed', nobi.games.names())\n")
    both = nobi("games", "--json", NOBI_PLUGINS=os.pathsep.join([str(EXAMPLE), str(marker)]))
    assert "executed" in both.stdout.splitlines()[0]
    assert "'squava'" in both.stdout.splitlines()[0]
    assert "executed" not in nobi("games").stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nobi\n\n1 / 0\n", "{file}, line 3: ZeroDivisionError: division by zero."),
        ("x = 1\ndef f(:\n", "{file}, line 2: SyntaxError: "),
        ("def f():\n    raise ValueError('two\\nlines.')\n\nf()\n", "{file}, line 2: ValueError: two lines."),
        ("from nobi.games import register\nregister(object)\n", "{file}, line 2: AttributeError: "),
        (None, "There is no Python file '{file}' to load."),
    ],
)
def test_an_error_in_a_loaded_file_is_one_sentence_with_its_line(capsys, tmp_path, text, message):
    from helpers.commands import call

    file = tmp_path / "plugin.py"
    if text is not None:
        file.write_text(text)
    code, out, err = call(capsys, "--load", str(file), "games")
    assert (code, out) == (2, "")
    assert err.startswith(f"nobi: {message.format(file=file)}")
    assert len(err.splitlines()) == 1


def test_load_needs_a_file(capsys):
    from helpers.commands import call

    assert call(capsys, "games", "--load") == (2, "", "nobi: --load needs the name of a Python file.\n")
