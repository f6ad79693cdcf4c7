"""Matches as jobs: stored game by game, the same after any interruption, engines identified by their names."""

import json
import math

import numpy as np
import pytest

from helpers.engines import fake
from helpers.runs import error_of
from nobi.matches.folder import GameResult
from nobi.statistics import share_interval
from nobi.studies.cache import JobCache
from nobi.studies.jobs import Job
from nobi.studies.match_jobs import (
    MatchJob,
    MatchPlayer,
    MatchResult,
    MatchSettings,
    describe_reproducibility,
    match_arrays,
    match_job,
    match_notes,
    network_player,
)
from nobi.studies.resources import Engine, Strength, engine_command, identify_engines, parse_engines

ENGINE = Engine("gnugo", "Fake 1.0")


def own_match(**changes):
    settings = {"game": "go:komi=0.5", "size": 5, "games": 6, "seed": 3, **changes}
    return MatchJob(MatchPlayer("playout"), MatchPlayer("naive"), **settings)


def engine_match(games=4):
    return MatchJob(MatchPlayer("playout"), MatchPlayer(engine=ENGINE), "go:komi=0.5", 5, games, 1)


def made(job, folder, threads=1, **settings):
    cache = JobCache(folder, threads, **settings)
    cache.make([job])
    return cache.arrays(job)


def test_a_match_is_the_same_for_any_threads_and_after_any_interruption(tmp_path):
    job = own_match()
    whole = made(job, tmp_path / "whole")
    assert whole["points"].shape == whole["black"].shape == (6,)
    assert whole["black"].tolist() == [True, False] * 3
    assert {key: array.tolist() for key, array in made(job, tmp_path / "two", threads=2).items()} == {
        key: array.tolist() for key, array in whole.items()
    }

    def interrupt(share):
        if share > 0.4:
            raise KeyboardInterrupt

    left = JobCache(tmp_path / "left", 1)
    with pytest.raises(KeyboardInterrupt):
        job.make(left, interrupt)
    games = left.run_folder(job) / "games.jsonl"
    assert len(games.read_text().splitlines()) == 3
    reported = []
    again = job.make(left, reported.append)
    assert reported == pytest.approx([3 / 6, 4 / 6, 5 / 6, 1.0])
    assert {key: array.tolist() for key, array in again.items()} == {key: a.tolist() for key, a in whole.items()}


def test_a_one_sided_match_ends_after_its_trial_games(tmp_path):
    def points(a, b, trial_games):
        job = MatchJob(MatchPlayer(a), MatchPlayer(b), "go:komi=0.5", 5, 4, 3, trial_games=trial_games)
        return made(job, tmp_path / f"{a}{trial_games}")["points"].tolist()

    strong = "mcts:rollouts=100"
    assert points("random", strong, 2) == [0, 0]
    assert points("random", strong, 0) == [0] * 4
    assert points(strong, "random", 2) == [1] * 4


def test_other_settings_are_other_jobs():
    jobs = [own_match(), own_match(seed=4), own_match(games=8), own_match(longest=9), own_match(random_moves=2)]
    jobs.append(own_match(trial_games=2))
    assert len({job.name for job in jobs}) == len(jobs)
    other = Engine("gnugo", "Fake 2.0")
    options = Engine("gnugo", "Fake 1.0", "abc")
    names = {
        MatchJob(MatchPlayer("naive"), MatchPlayer(engine=one), "go", 5, 2, 0).name for one in (ENGINE, other, options)
    }
    assert len(names) == 3
    assert own_match().name.startswith("match-playout-against-naive-5-")


def test_a_game_may_be_stopped_early(tmp_path):
    found = made(own_match(longest=7, random_moves=2), tmp_path)
    assert found["moves"].tolist() == [7] * 6


def test_an_engine_is_identified_by_its_name_and_not_by_its_path(tmp_path):
    job = engine_match()
    command = fake("passes")
    found = made(job, tmp_path, engines={"gnugo": command})
    assert not found["forfeited"].any()
    assert command.split()[0] not in job.description
    assert "Fake 1.0" in job.description
    folder = JobCache(tmp_path).run_folder(job)
    assert "PW[Fake 1.0]" in (folder / "game-0001.sgf").read_text()
    sentence = error_of(JobCache(tmp_path / "other").make, [job])
    assert "--engine gnugo=COMMAND" in sentence


def test_an_engine_that_crashes_forfeits(tmp_path):
    found = made(engine_match(2), tmp_path, engines={"gnugo": fake("crash", 1)})
    assert found["forfeited"].all()
    assert found["points"].tolist() == [1, 1]
    result = MatchResult.from_arrays(found)
    assert (result.games, result.forfeited, result.given_away) == (0, 0, 2)
    [note] = match_notes({"all": result})
    assert "2 were left out because the opponent's program failed" in note


def test_a_forfeited_game_is_lost():
    result = MatchResult.from_arrays(match_arrays([record(0, "white", "A1", forfeited=True), record(1, "white", "B2")]))
    assert (result.games, result.points, result.forfeited, result.given_away) == (2, 1, 1, 0)
    assert match_notes({"all": result}) == ["all: of the games 1 was forfeited and counted as lost."]


def record(game, winner, moves, *, forfeited=False):
    black = game % 2
    return GameResult(game, black, 1 - black, winner, "?", "x", forfeited, "", moves.split(), [], [0.0, 0.0])


def test_repeated_games_are_not_counted():
    arrays = match_arrays(
        [
            record(4, "black", "A1 B2"),  # repeats game 0
            record(0, "black", "A1 B2"),
            record(1, "black", "A1 B2"),
            record(2, "draw", "C3"),
            record(3, "void", "D4"),
        ]
    )
    assert arrays["repeated"].tolist() == [False, False, False, False, True]
    assert arrays["moves"].tolist() == [2, 2, 1, 1, 2]
    result = MatchResult.from_arrays(arrays)
    assert (result.games, result.points, result.repeated, result.void) == (3, 1.5, 1, 1)
    assert result.share.value == 0.5
    assert str(result) == "1.5 of 3 games"
    [note] = match_notes({"nine": result})
    assert "1 was left out as repetitions" in note
    assert "1 was without a result" in note


def test_zero_games_have_no_win_rate():
    result = MatchResult.from_arrays(match_arrays([record(0, "void", "A1")]))
    assert math.isnan(result.share.value)


class Network(Job):
    """A trained network."""

    kind = "made-up"
    label, name = "made up", "made-up-1"

    def make(self, cache, progress):
        raise NotImplementedError

    def model(self, cache):
        return cache.folder / "net.safetensors"


def test_a_network_is_identified_by_its_job_and_played_from_its_file(tmp_path):
    player = network_player(Network(), "a network", "rank=5")
    assert player.identity() == {"word": "MODEL:rank=5", "network": "made-up-1"}
    assert player.entrant_spec(JobCache(tmp_path), tmp_path) == f"{tmp_path}/net.safetensors:rank=5"
    assert str(player) == "a network"
    job = match_job(player, MatchPlayer("playout"), MatchSettings(2, longest=9), 0)
    assert str(tmp_path) not in job.description
    assert job.referee is None
    assert match_job(player, MatchPlayer(engine=ENGINE), MatchSettings(2), 0).referee.engine == ENGINE


def test_commands_of_engines(tmp_path):
    def words(name, **strength):
        return engine_command(name, "it", Strength(**strength), tmp_path).split()

    assert words("gnugo", level=10, rules="japanese") == ["it", "--level", "10", "--japanese-rules"]
    assert words("gnugo", level=1, rules="chinese") == [
        "it", "--level", "1", "--chinese-rules", "--positional-superko",
    ]  # fmt: skip
    assert words("pachi", playouts=10_000, rules="chinese") == ["it", "-t", "=10000"]
    assert words("mogo", playouts=100_000) == ["it", "--nbTotalSimulations", "100000"]
    assert words("fuego", seconds=10.0) == ["it"]
    command = words("fuego", playouts=10_000)
    assert command == ["it", "--config", str(tmp_path / "fuego.gtp")]
    assert (tmp_path / "fuego.gtp").read_text().splitlines()[0] == "uct_param_player max_games 10000"


def test_engines_are_found_and_named(monkeypatch):
    command = fake("good")
    monkeypatch.setattr("shutil.which", lambda name, path=None: f"{path}/{name}" if path else None)
    assert parse_engines([]) == {"gnugo": "/usr/games/gnugo --mode gtp"}
    assert parse_engines([f"pachi={command}", "gnugo=other"]) == {"pachi": command, "gnugo": "other"}
    monkeypatch.setattr("shutil.which", lambda *_, **_more: None)
    assert parse_engines([]) == {}
    for words, sentence in (
        (["pachi"], "--engine takes NAME=COMMAND"),
        (["pachi="], "--engine takes NAME=COMMAND"),
        (["deepblue=x"], "There is no engine 'deepblue'; choose one of gnugo, "),
        (["pachi=a", "pachi=b"], "--engine gives 'pachi' twice"),
    ):
        assert error_of(parse_engines, words).startswith(sentence)


def test_names_and_versions_of_engines():
    found = identify_engines({"gnugo": fake("good"), "pachi": fake("kgs")})
    assert found["gnugo"].title == "Fake 1.0"
    assert found["gnugo"].options != found["pachi"].options
    assert "fake_engine" not in json.dumps([vars(one) for one in found.values()])
    assert "There is no program" in error_of(identify_engines, {"pachi": "no-such-engine"})
    assert "does not report its name: it refused 'name'" in error_of(identify_engines, {"pachi": fake("resign")})


def test_reproducible_matches_are_marked():
    assert "only on the seed" in describe_reproducibility(MatchPlayer("playout"))
    assert "set_random_seed" in describe_reproducibility(MatchPlayer(engine=ENGINE))
    assert "differ each time" in describe_reproducibility(MatchPlayer(engine=Engine("pachi", "Pachi 12")))


def test_the_difference_of_two_shares():
    """Newcombe 1998, table II: 56/70 and 48/80."""
    gap = share_interval(56, 70) - share_interval(48, 80)
    assert gap.value == pytest.approx(0.2)
    assert (gap.low, gap.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert np.isnan((share_interval(0, 0) - share_interval(1, 2)).value)


def test_the_time_of_engines_is_included(tmp_path):
    job = engine_match(2)
    cache = JobCache(tmp_path, 1, engines={"gnugo": fake("busy")})
    cache.make([job])
    assert cache.spent(job).cpu > 0.4
