"""Studies that play against engines: rows, opponents, and notes on omitted rows."""

import numpy as np
import pytest

from helpers.runs import error_of
from nobi import studies
from nobi.errors import NobiError
from nobi.games import variant
from nobi.studies.beyond.engine_games import points_against
from nobi.studies.c14.games import TABLE_4
from nobi.studies.cache import Spent
from nobi.studies.jobs import random_weights
from nobi.studies.m15.games import OPPONENTS
from nobi.studies.m15.search import MODES
from nobi.studies.pages import group_page
from nobi.studies.runner import make_document, run_studies
from nobi.studies.s09.random import MDLSTM, MDRNN
from nobi.studies.study import NOT_MEASURED, Results
from nobi.studies.training_jobs import MAIN
from studies.made_up import DATASETS, ENGINES

GNUGO = {"gnugo": ENGINES["gnugo"]}


class Played:
    """A cache in which A has won two of three games of every match."""

    def __init__(self):
        self.asked = []

    def arrays(self, job):
        self.asked.append(job)
        black = np.arange(job.games) % 2 == 0
        none = np.zeros(job.games, bool)
        return {
            "points": np.where(np.arange(job.games) % 3 == 0, 0.0, 1.0),
            "black": black,
            "repeated": none,
            "forfeited": none,
            "moves": np.full(job.games, 50),
        }


def study_of(name, scale="paper", datasets=DATASETS, engines=ENGINES):
    return studies.find(name)(scale, 0, datasets, engines)


def report_of(study, out):
    return study.report(Results(study.jobs(), Played()), out)


def matches_of(study):
    return [job for job in study.all_jobs() if job.kind == "match"]


@pytest.mark.parametrize(
    ("name", "engine"), [("m15-search", "GNU Go"), ("c14-table4", "GNU Go"), ("c14-table5", "Fuego")]
)
def test_a_study_needs_its_engine(tmp_path, name, engine):
    sentence = error_of(study_of, name, "quick", engines={})
    assert sentence.startswith(f"The study {name!r} plays against {engine}: ")
    assert sentence.endswith("=COMMAND.")
    if name == "m15-search":
        assert error_of(run_studies, [name], "quick", 0, tmp_path / "out", engines={}) == sentence
        assert not (tmp_path / "out").exists()


def test_all_studies_play_at_the_tiny_scale_without_engines():
    names = (
        "m15-search",
        "c14-table4",
        "c14-table5",
        "c14-previous-move",
        "m15-depth-wins",
        "m15-opponents",
        "m15-fig2",
    )
    for name in names:
        for match in matches_of(study_of(name, "tiny", engines={})):
            assert match.a.engine is match.b.engine is match.referee is None


def test_the_paper_scale_is_at_least_the_papers():
    four = matches_of(study_of("c14-table4"))
    assert len(four) == 8
    assert all(match.games >= 200 and match.b.strength.level == 10 for match in four)
    assert {match.b.strength.rules for match in four} == {"chinese", "japanese"}
    assert {"territory" in match.game for match in four if match.b.strength.rules == "japanese"} == {True}
    assert all(match.referee == match.b for match in four)
    five = matches_of(study_of("c14-table5"))
    assert [(match.games, match.b.strength.seconds) for match in five] == [(200, 10.0)] * 3
    depth = matches_of(study_of("m15-depth-wins"))
    assert [str(match.a) for match in depth][-1] == "go-main"
    assert len(depth) == 6
    opponents = matches_of(study_of("m15-opponents"))
    assert {(match.b.engine.name, match.b.strength.playouts) for match in opponents} == set(OPPONENTS)
    rank = matches_of(study_of("m15-rank-wins"))
    assert [match.a.spec for match in rank] == ["MODEL:rank=1", "MODEL:rank=5", "MODEL:rank=9"]
    assert len({match.b for match in rank}) == 1
    assert {match.size for match in [*four, *five, *depth, *opponents, *rank]} == {19}


def test_rows_with_papers_values_only_are_not_measured(tmp_path):
    tables = report_of(study_of("m15-depth-wins"), tmp_path).tables
    players = {row.labels["player"] for row in tables[-1].rows}
    assert {"Aya 2014", "human 6 dan"} < players
    assert all(row.ours is NOT_MEASURED and row.paper is not None and not row.outcome for row in tables[-1].rows)


def test_networks_are_those_of_the_studies_of_prediction():
    for games, prediction in (
        ("c14-table4", ("c14-table1", "c14-table3")),
        ("c14-table5", ("c14-table3",)),
        ("m15-depth-wins", ("m15-depth",)),
        ("m15-opponents", ("m15-depth",)),
        ("m15-rank-wins", ("m15-rank",)),
    ):
        for scale in ("quick", "day", "paper"):
            runs = {job for job in study_of(games, scale).all_jobs() if job.kind == "imitation"}
            known = {job for name in prediction for job in study_of(name, scale).all_jobs()}
            assert runs
            assert runs <= known
    [run] = [job for job in study_of("m15-search", "day").all_jobs() if job.kind == "imitation"]
    assert run in study_of("size-transfer", "day").all_jobs()
    [run] = [job for job in study_of("m15-search", "paper").all_jobs() if job.kind == "imitation"]
    assert run in study_of("m15-depth", "paper").all_jobs()


def test_the_search_is_measured_over_its_playouts():
    study = study_of("m15-search", "day")
    bare = [match for match in matches_of(study) if match.b.engine]
    assert [match.a.spec for match in bare] == [f"mcts:rollouts={n}" for n in (100, 300, 1000, 3000)]
    assert [match.games for match in bare] == [50, 50, 200, 50]
    assert {(match.size, match.b.strength.level) for match in bare} == {(9, 10)}
    guided = [match for match in matches_of(study) if not match.b.engine]
    assert len(guided) == 2 * 2 * len(MODES)  # a network that was trained for it, and go-main
    assert sum("mode=asynchronous" in match.a.spec for match in guided) == 4
    assert sum(match.a.network is None for match in guided) == 4
    paper = [match for match in matches_of(study_of("m15-search")) if not match.b.engine]
    assert {match.size for match in paper} == {19}
    assert {spec for match in paper for spec in match.a.spec.split(",") if "rollouts" in spec} == {
        "mcts:rollouts=10000", "mcts:rollouts=100000",
    }  # fmt: skip


def test_the_search_study_without_records_omits_the_network(tmp_path):
    study = study_of("m15-search", "day", datasets={})
    assert all(match.b.engine or match.b.network is MAIN for match in matches_of(study))
    found = report_of(study, tmp_path)
    assert len(found.tables) == 2
    [note] = found.notes
    assert "--data small=DATASET" in note
    assert "network" not in study.conditions()
    whole = report_of(study_of("m15-search", "day"), tmp_path)
    assert len(whole.tables) == 3
    assert whole.notes == []
    assert [claim.holds for claim in whole.claims][1] is True  # two thirds of 200 games, at 1,000 playouts


def test_rows_against_missing_engines_are_omitted(tmp_path):
    study = study_of("m15-opponents", "day", engines={**GNUGO, "pachi": ENGINES["pachi"]})
    assert [str(match.b) for match in matches_of(study)][::2] == ["gnugo 1.0 level 10", "pachi 1.0 10000 playouts"]
    found = report_of(study, tmp_path)
    rows = [(row.labels["opponent"], row.labels["network"]) for row in found.tables[0].rows]
    assert [opponent for opponent, _ in rows][::2] == [str(one) for one in study.opponents().values()]
    assert [network for _, network in rows][1::2] == ["go-main"] * 2
    [missing] = found.notes
    assert "MoGo and Fuego are left out" in missing
    assert "differ each time" in study.conditions()["reproducibility"]
    assert len(matches_of(study_of("m15-opponents", "day", engines=GNUGO))) == 2
    with pytest.raises(NobiError, match="has no row at the scale 'quick'"):
        study_of("m15-opponents", "quick", engines={"pachi": ENGINES["pachi"]})


def test_a_document_names_its_engines(tmp_path):
    study = study_of("m15-opponents", "day", engines={**GNUGO, "pachi": ENGINES["pachi"]})
    played = Played()
    played.threads, played.spent, played.environment = 1, lambda _: Spent(1.0, 1.0), lambda _: {}
    document = make_document(study, played, tmp_path)
    assert document["engines"] == {"gnugo": "gnugo 1.0", "pachi": "pachi 1.0"}
    page = group_page([document], {})
    assert "--data kgs=DATASET --engine pachi=COMMAND`" in page
    assert document["notes"][0] in page


def test_rows_are_compared_with_the_papers(tmp_path):
    found = report_of(study_of("c14-table4", "day"), tmp_path)
    rows = found.tables[0].rows
    assert [row.paper for row in rows] == [share for papers in TABLE_4.values() for share in papers.values()] + [
        None
    ] * 2
    assert [row.labels["network"] for row in rows][-2:] == ["go-main"] * 2
    assert "go-main" in found.claims[-1].text
    assert all(row.ours.value == pytest.approx(2 / 3) for row in rows)
    small = report_of(study_of("m15-depth-wins", "day"), tmp_path).tables[0].rows
    paper = report_of(study_of("m15-depth-wins"), tmp_path).tables[0].rows
    assert [row.paper.value for row in paper if row.paper] == [3.4, 61.8, 84.4, 94.7, 97.2]
    assert [row.paper.value for row in small if row.paper] == [3.4, 61.8, 84.4]  # of the paper's networks
    opponents = report_of(study_of("m15-opponents", "day"), tmp_path).tables[0].rows
    assert all(row.paper is None for row in opponents)  # a smaller network
    assert (tmp_path / "c14-table4.png").exists()


def test_go_by_evolution_plays_gnu_go_in_training_and_measurement():
    study = study_of("beyond-go", "day", engines=GNUGO)
    jobs = study.all_jobs()
    trained = [job for job in jobs if job.kind == "engine-evolution"]
    assert {(job.net, job.size) for job in trained} == {(net, size) for net in (MDLSTM, MDRNN) for size in (5, 7)}
    assert {job.engine for job in jobs if job.kind == "engine-games"} == {ENGINES["gnugo"]}
    assert {job.size for job in jobs if job.kind == "engine-games"} == {5, 7, 9, 13, 19}
    assert "GNU Go" in error_of(study_of, "beyond-go", "day", engines={})


def test_a_network_plays_an_opponent_with_both_colours():
    where, net = variant("go:komi=7.5", 5), "mdrnn:hidden=3"
    weights = random_weights(net, 1, 5, 0)[0]
    points = points_against(where, net, weights, "playout", 4, 3)
    assert points.shape == (4,)
    assert set(points.tolist()) <= {-1.0, 1.0}
    assert points.tolist() == points_against(where, net, weights, "playout", 4, 3).tolist()
    # a large komi decides every game for White
    assert points_against(variant("go:komi=60.5", 5), net, weights, "playout", 4, 3).tolist() == [-1.0, 1.0, -1.0, 1.0]
