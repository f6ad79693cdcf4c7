"""The public interface."""

import doctest
import inspect
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import nobi
import nobi.api
import nobi.api_training
from helpers.datasets import make_dataset
from nobi.workers import ThreadExecutor

MODULES = (nobi.api, nobi.api_training)


ABSTRACT = {"Executor", "Game", "Network", "Player", "Variant"}
"""Classes that a function makes, which has the example."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return make_dataset(tmp_path_factory.mktemp("records") / "dataset")


@pytest.mark.parametrize("name", nobi.__all__)
def test_every_public_name_exists_is_documented_and_has_an_example(name, tmp_path, dataset):
    value = getattr(nobi, name)
    assert name in dir(nobi)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return
    assert value.__doc__
    if name in ABSTRACT or (inspect.isclass(value) and issubclass(value, Exception)):
        return
    names = {"nobi": nobi, "np": np, "folder": tmp_path, "dataset": dataset}
    [test] = doctest.DocTestFinder(recurse=False).find(value, name, globs=names)
    found = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert found.attempted
    assert not found.failed


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


def test_files_are_written_to_new_folders(tmp_path):
    game = nobi.game("go", 5)
    nobi.write_sgf(game, tmp_path / "a" / "game.sgf", result="W+R")
    assert b"RE[W+R]" in (tmp_path / "a" / "game.sgf").read_bytes()
    nobi.save(tmp_path / "b" / "model.safetensors", nobi.load("atari-go-mdrnn"))
    assert nobi.load(tmp_path / "b" / "model.safetensors").spec == nobi.load("atari-go-mdrnn").spec
    assert repr(nobi.read_sgf(tmp_path / "a" / "game.sgf")) == "<SgfRecord 5x5, 0 moves>"


def test_studies_as_a_frame(tmp_path):
    found = nobi.run_study("s08-fig5", "tiny", out=tmp_path, progress=False)
    frame = found.to_frame()
    assert list(frame["measure"][:2]) == ["correlation", "p"]
    assert (frame["ours_low"] <= frame["ours_high"]).all()
    assert repr(found) == "<StudyResults of s08-fig5>"


def test_a_tournament_as_a_frame():
    found = nobi.tournament(["random", "naive"], nobi.variant("atari-go", 5), games=8, progress=False)
    assert found.points.sum() == 8
    frame = found.to_frame()
    assert list(frame["player"]) == ["naive", "random"]
    assert frame["elo"][0] > 0
    assert repr(found).startswith("<TournamentSummary, Elo: naive +")


BAD_ARGUMENTS = {
    "size must be a whole number, not 'big'": lambda _: nobi.game("go", size="big"),
    "A player must be a text or a Model, not 3": lambda go: nobi.player(3, on=go),
    "on must be a Variant or a Game, not 'go'": lambda _: nobi.player("naive", on="go"),
    "games must be a whole number, not 'a'": lambda go: nobi.play_games(go, "naive", "naive", games="a"),
    "path must be a text or a path, not None": lambda _: nobi.load(None),
    "model must be a Model, not 'go-main'": lambda _: nobi.save("a.safetensors", "go-main"),
    "generations must be a whole number, not 'a'": lambda _: nobi.evolve(generations="a"),
    "sizes must be a whole number, not 'a'": lambda _: nobi.evolve(sizes="a"),
    "opponents must be a text, not 3": lambda _: nobi.evolve(opponents=3),
    "settings object, not 3": lambda _: nobi.evolve(settings=3),
    "The settings must be": lambda _: nobi.imitate("folder", settings=3),
    "folder must be a text or a path, not 3": lambda _: nobi.evolve(3),
    "champion_by cannot be 'luck'; choose one of relative or shared": lambda _: nobi.coevolve(champion_by="luck"),
    "'go-main' cannot be used: nobi-net:blocks=10 is a deep network": lambda _: nobi.transfer([nobi.load("go-main")]),
    "Give at least one model": lambda _: nobi.transfer([]),
    "Give at least one board size": lambda _: nobi.transfer("atari-go-mdlstm", sizes=[]),
    "Give at least one dataset": lambda _: nobi.predict("go-main", []),
    "threads must be 0 or more, not -1": lambda go: nobi.play_games(go, "naive", "naive", games=1, threads=-1),
    "seed must be a whole number, not 0.5": lambda go: nobi.play_games(go, "naive", "naive", games=1, seed=0.5),
    "games must be 1 or more, not -2": lambda go: nobi.match("naive", "random", go, games=-2),
    "two players or more": lambda go: nobi.tournament("naive", go),
    "given twice": lambda go: nobi.tournament(["naive", "naive"], go),
    "black must be a text, not 3": lambda go: nobi.write_sgf(go.new(), "game.sgf", black=3),
    "A move must be a point such as 'D4', 'pass' or a whole number, not None": lambda go: go.new().play(None),
    "There is no game 2": lambda go: nobi.play_games(go, "naive", "naive", games=2, keep_moves=True).replay(2),
    "is a folder; give the file to write": lambda go: nobi.write_sgf(go.new(), Path(__file__).parent),
    "games must be a whole number, not 2.5": lambda _: nobi.transfer("atari-go-mdlstm", games=2.5),
    "data must be a text, not 3": lambda _: nobi.predict("go-main", 3),
    "model must be a Model or a text or a path, not None": lambda _: nobi.predict(None, "data"),
    "variant must be a Variant, not 'go'": lambda _: nobi.Search("go"),
    "There is no setting 'rollout'": lambda go: nobi.Search(go, rollout=3),
    "rollouts must be a whole number, not 'a'": lambda go: nobi.Search(go, rollouts="a"),
    "game must be a Game, not": lambda go: nobi.inspect("go-main", go),
    "names must be a text, not 3": lambda _: nobi.run_study(3, out="out"),
    "paths must be a text or a path, not 3": lambda _: nobi.import_records(3, "out"),
    "games must be a whole number, not True": lambda go: nobi.play_games(go, "naive", "naive", games=True),
    "games must be 1 or more, not 0": lambda go: nobi.match("naive", "random", go, 0),
    "games must be an even number": lambda _: nobi.transfer("atari-go-mdlstm", games=3),
    "at least one model": lambda _: nobi.transfer([]),
    "at least one board size": lambda _: nobi.transfer("atari-go-mdlstm", sizes=[]),
    "seed must be 0 or more, not -1": lambda go: nobi.bot("naive", go, seed=-1),
    "seed must be at most 2^63 - 1": lambda _: nobi.evolve(seed=2**63),
    "needs two players or more": lambda go: nobi.tournament(["naive"], go),
    "folder must be a text or a path, not 5": lambda go: nobi.match("naive", "random", go, folder=5),
    "no network 'mdlsm'; did you mean 'mdlstm'": lambda _: nobi.network("mdlsm"),
}


def replay_without_moves():
    return nobi.play_games(nobi.variant("atari-go", 5), "naive", "naive", 2, progress=False).replay(0)


BAD_STATES = {
    "no position yet; call set_game first": lambda: nobi.Search(nobi.variant("atari-go", 5)).run(10),
    "shape .boards, 2, n, n., not .1, 2, 9, 7.": lambda: nobi.load("atari-go-mdlstm").evaluate(np.zeros((1, 2, 9, 7))),
    "shape .boards, 31, n, n., not .31, 9, 9.": lambda: nobi.load("go-main").evaluate(np.zeros((31, 9, 9))),
    "must be a point with BLACK or WHITE, not .8, 7.": lambda: nobi.game("go", 5).set_up([(8, 7)], nobi.BLACK),
    "player to move must be BLACK or WHITE, not 5": lambda: nobi.game("go", 5).set_up([(8, nobi.BLACK)], 5),
    "is a folder; give the file to write": lambda: nobi.write_sgf(nobi.game("go", 5), "."),
    "play them with keep_moves=True": replay_without_moves,
    "The game is go on 7x7": lambda: nobi.bot("random", nobi.variant("go", 5)).choose(nobi.game("go", 7)),
    "was made for atari-go on 5x5": lambda: nobi.bot("mcts", nobi.game("atari-go", 5)).choose(nobi.game("go", 5)),
    "The game is atari-go on 7x7": lambda: nobi.play_games(
        nobi.variant("atari-go", 5), "naive", nobi.player("naive", nobi.variant("atari-go", 7)), progress=False
    ),
}


@pytest.mark.parametrize("sentence", BAD_STATES)
def test_calls_in_a_wrong_state_are_one_sentence(sentence):
    with pytest.raises(nobi.NobiError, match=sentence):
        BAD_STATES[sentence]()


@pytest.mark.parametrize("sentence", BAD_ARGUMENTS)
def test_an_invalid_argument_is_one_sentence(sentence):
    with pytest.raises(nobi.NobiError) as error:
        BAD_ARGUMENTS[sentence](nobi.variant("go", 5))
    assert sentence in str(error.value)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_a_single_value_stands_for_a_sequence():
    run = nobi.evolve(
        sizes=np.int64(5), opponents="naive", net="mdrnn:hidden=2", generations=1, games=4, progress=False
    )
    assert (run.settings.sizes, run.settings.opponents) == ((5,), ("naive",))
    report = nobi.transfer(run.champion(), sizes=5, opponents="random", games=4, progress=False)
    assert [(row.size, row.opponent) for row in report.sizes] == [(5, "random")]
    assert "5x5" in repr(report)


def test_models_guide_a_search_and_predict(dataset):
    model = nobi.load("go-main")
    search = nobi.Search(nobi.variant("go", 5), policy=model, mode="synchronous", batch=1)
    search.set_game(nobi.game("go", 5))
    assert search.run(5) == 5
    assert "go 5x5" in repr(search)
    found = nobi.predict(model, [dataset], positions=10, progress=False)
    assert found.all == nobi.predict("go-main", dataset, positions=10, progress=False).all
    assert "10 positions" in repr(found)
    frame = found.to_frame()
    assert list(frame["positions"][:1]) == [10]
    assert {"all", "move", "rank", "size"} == set(frame["group"])


def test_results_as_frames(tmp_path, dataset):
    found = nobi.match("random", "naive", nobi.variant("atari-go", 5), games=4, progress=False)
    assert list(found.to_frame()["games"]) == [2, 2, 4]
    assert repr(found).startswith("<MatchSummary of 4 games")
    small = {"net": "nobi-net:width=16,blocks=1", "steps": 2, "batch": 8, "validation": 0}
    run = nobi.imitate(tmp_path / "run", data=dataset, progress=False, **small)
    assert repr(run) == "<ImitationRun nobi-net:width=16,blocks=1, step 2 of 2>"
    assert list(run.to_frame()["step"])[-1] == 2


def test_bots_and_inspections_show_themselves():
    game = nobi.game("atari-go", 5)
    assert repr(nobi.bot("mcts:rollouts=7", on=game)) == "<MctsBot mcts:rollouts=7>"
    assert repr(nobi.bot("naive", on=game)) == "<PlayerBot naive>"
    assert repr(nobi.inspect("atari-go-mdlstm", game)).startswith("<Inspection atari-go 5x5, best ")


def test_long_calls_report_progress(tmp_path, monkeypatch):
    reported = {}

    @contextmanager
    def recording(what, total, *, show=True, **_):
        def update(done, *_, total=total):
            reported[what] = (done, total)

        yield update if show else lambda *_, **__: None

    monkeypatch.setattr("nobi.cli.progress.progress_bar", recording)
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9]C[" + 5000 * "a" + "];B[ee];W[cc])")
    nobi.import_records(tmp_path / "game.sgf", tmp_path / "data", shares=(100, 0, 0))
    assert reported.pop("kB read") == (5, 5)
    nobi.run_study("s08-fig5", "tiny", out=tmp_path / "study")
    done, total = reported.pop("work")
    assert done == total > 0
    nobi.run_study("s08-fig5", "tiny", out=tmp_path / "study", progress=False)
    assert not reported


def test_a_match_takes_specs_of_players():
    with pytest.raises(nobi.NobiError, match="a player must be a text"):
        nobi.match(nobi.load("atari-go-mdrnn"), "naive", on=nobi.variant("atari-go", 5))
