"""The public interface."""

import doctest
import inspect
import subprocess
import sys

import pytest

import nobi
import nobi.api
import nobi.api_training
from nobi.workers import ThreadExecutor

MODULES = (nobi.api, nobi.api_training)


@pytest.mark.parametrize(("module", "examples"), [(nobi.api, 15), (nobi.api_training, 5)])
def test_the_examples_of_the_interface(module, examples):
    result = doctest.testmod(module, extraglobs={"nobi": nobi}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > examples
    assert result.failed == 0


@pytest.mark.parametrize("name", nobi.__all__)
def test_every_public_name_exists_and_is_documented(name):
    value = getattr(nobi, name)
    assert name in dir(nobi)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__


def test_functions_of_the_interface_are_public():
    defined = {
        name
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
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


def test_games_are_displayed_in_notebooks():
    game = nobi.game("go", 9)
    game.play("E5")
    game.play("C3")
    svg = game._repr_svg_()
    assert svg.startswith("<svg")
    assert svg.count("<circle") == 2 + 1 + 3  # two stones, the mark of the latest, three star points left
    assert "2 moves" in repr(game)


class Counting(ThreadExecutor):
    """Counts the calls, and whether it was closed."""

    calls = 0
    closed = False

    def ranges(self, *arguments, **more):
        self.calls += 1
        return super().ranges(*arguments, **more)

    def close(self):
        self.closed = True


def test_every_function_that_plays_games_uses_the_executor(tmp_path):
    five = nobi.variant("atari-go", 5)
    small = {"net": "mdrnn:hidden=1", "progress": False}
    run = nobi.evolve(sizes=[5], generations=1, games=4, **small)
    calls = {
        "evolve": lambda **e: nobi.evolve(sizes=[5], generations=1, games=4, **small, **e).champion().weights.tolist(),
        "coevolve": lambda **e: nobi.coevolve(size=5, generations=1, **small, **e).champion().weights.tolist(),
        "transfer": lambda **e: nobi.transfer(run.champion(), [5], games=4, progress=False, **e).sizes,
        "play_games": lambda **e: nobi.play_games(five, "naive", "random", 8, progress=False, **e).outcome.tolist(),
        "match": lambda **e: nobi.match("naive", "random", five, 2, progress=False, **e),
        "tournament": lambda **e: nobi.tournament(["naive", "random"], five, 2, progress=False, **e).elo,
        "run_study": lambda **e: nobi.run_study("s08-fig5", "tiny", out=tmp_path / str(len(e)), **e)[0]["tables"],
    }
    for name, call in calls.items():
        executor = Counting(2)
        assert repr(call(executor=executor)) == repr(call()), name
        assert executor.calls, name
        assert not executor.closed, name
        with pytest.raises(nobi.NobiError, match="local, ray or ray://host:port"):
            call(executor="slurm")


def test_a_tournament_as_a_frame():
    found = nobi.tournament(["random", "naive"], nobi.variant("atari-go", 5), games=8, progress=False)
    assert found.points.sum() == 8
    frame = found.to_frame()
    assert list(frame["player"]) == ["naive", "random"]
    assert frame["elo"][0] > 0
