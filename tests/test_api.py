"""The public interface."""

import doctest
import inspect
import subprocess
import sys

import pytest

import nobi
import nobi.api


def test_the_examples_of_the_interface():
    result = doctest.testmod(nobi.api, extraglobs={"nobi": nobi}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 15
    assert result.failed == 0


@pytest.mark.parametrize("name", nobi.__all__)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(nobi, name)
    assert name in dir(nobi)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__


def test_functions_of_the_interface_are_public():
    defined = {
        name
        for name, value in vars(nobi.api).items()
        if inspect.isfunction(value) and value.__module__ == "nobi.api" and not name.startswith("_")
    }
    assert defined <= set(nobi.__all__)


def test_importing_nobi_loads_nothing_heavy():
    code = "import nobi, sys; print(sorted({'numpy', 'numba', 'scipy', 'torch', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'gmae'"):
        nobi.gmae  # noqa: B018


def test_an_unknown_setting_is_one_sentence(tmp_path):
    with pytest.raises(nobi.NobiError, match="no setting 'generation'; did you mean 'generations'"):
        nobi.evolve(tmp_path, generation=3)


def test_a_run_is_kept_and_resumed(tmp_path):
    settings = {"sizes": [5], "net": "mdrnn:hidden=2", "games": 4, "progress": False}
    nobi.evolve(tmp_path / "run", generations=2, **settings)
    resumed = nobi.evolve(tmp_path / "run", generations=3, resume=True, **settings)
    whole = nobi.evolve(generations=3, **settings)
    assert (resumed.champion().weights == whole.champion().weights).all()


def test_models_are_saved_and_loaded(tmp_path):
    run = nobi.evolve(sizes=[5], net="mdrnn:hidden=2", generations=1, games=4, progress=False)
    nobi.save(tmp_path / "model.safetensors", run.champion())
    loaded = nobi.load(tmp_path / "model.safetensors")
    assert (loaded.weights == run.champion().weights).all()
    played = nobi.play_games(nobi.variant("atari-go", 7), loaded, "random", games=10, progress=False)
    assert len(played.to_frame()) == 10


def test_games_show_themselves():
    game = nobi.game("go", 9)
    game.play("E5")
    game.play("C3")
    svg = game._repr_svg_()
    assert svg.startswith("<svg")
    assert svg.count("<circle") == 2 + 1 + 3  # two stones, the mark of the latest, three star points left
    assert "2 moves" in repr(game)
