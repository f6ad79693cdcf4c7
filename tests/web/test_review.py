"""The review of a game, on the page and in the terminal."""

import json
import threading
import time

import pytest
from sgfmill import sgf

from helpers.commands import call
from nobi.errors import NobiError
from nobi.models.model import load_model
from nobi.web import reviewing
from nobi.web.review import annotated_sgf, begin_review, carry_out, player_names
from nobi.web.reviewing import SEARCH, ReviewState

# Black plays B5 at move 5 and leaves C3 in atari
ATARI_GO = (
    b"(;GM[1]FF[4]SZ[5]RU[atari-go]PB[Ada]PW[<script>alert(1)</script>]"
    b";B[cc];W[cb];B[dd];W[bc];B[aa];W[dc];B[ae];W[cd])"
)


@pytest.fixture(scope="module")
def reviewed():
    session, review = begin_review(ATARI_GO, "A search")
    return session, carry_out(session, review, None, 300)


def test_the_move_that_allows_a_capture_loses_most(reviewed):
    _, review = reviewed
    assert review.finished
    worst = review.blunders()[0]
    assert (worst.colour, worst.move) in (("Black", "A1"), ("Black", "A5"))
    assert worst.judgement == "mistake"
    assert worst.best != worst.move
    assert len(review.blunders()) <= 5
    losses = [one.loss for one in review.blunders()]
    assert losses == sorted(losses, reverse=True)


def test_chances_and_agreement(reviewed):
    session, review = reviewed
    chances = review.chances()
    assert sorted(chances) == list(range(9))
    assert chances[8] == 0.0  # White has captured
    last = review.moves[-1]
    assert (last.move, last.rank) == ("C2", 1)
    both = review.agreement()
    assert both == pytest.approx(sum(one.rank == 1 for one in review.moves) / 8)
    assert session.shown == 8
    for one, evaluation in zip(review.moves, review.evaluations, strict=True):
        assert evaluation.best[0].name == one.best


def test_a_network_without_a_value_is_compared_by_preference(model_file):
    session, review = begin_review(ATARI_GO, "small")
    carry_out(session, review, load_model(model_file), 0)
    assert review.loss_measure == "preference"
    assert review.measure == "preference"
    assert review.chances() == {8: 0.0}
    for one in review.moves:
        assert one.loss == pytest.approx(100 * (one.best_share - one.share), abs=1e-3)
        assert (one.rank == 1) == (one.loss == pytest.approx(0, abs=1e-3))


def test_a_review_can_be_stopped():
    stop = threading.Event()
    session, review = begin_review(ATARI_GO, "A search")
    carry_out(session, review, None, 50, stop=stop, progress=lambda found: len(found.moves) == 3 and stop.set())
    assert len(review.moves) == 3
    assert not review.finished


def test_go_has_a_score():
    session, review = begin_review(b"(;GM[1]SZ[5]KM[0.5];B[cc];W[];B[])", "A search")
    carry_out(session, review, None, 50)
    assert review.moves[1].black_score > 3
    assert review.moves[-1].move == "pass"
    assert review.moves[-1].loss is None  # the board is not counted
    assert review.moves[-1].colour == "Black"


def test_the_annotated_game_has_comments_and_variations(reviewed):
    session, review = reviewed
    record = sgf.Sgf_game.from_bytes(annotated_sgf(session, review))
    nodes = record.get_main_sequence()
    assert record.get_player_name("b") == "Ada"
    assert nodes[0].get("C").startswith("Reviewer: A search.")
    assert [node.get_move()[0] for node in nodes[1:]] == list("bwbwbwbw")
    for one, parent, node in zip(review.moves, nodes, nodes[1:], strict=False):
        assert one.move in node.get("C")
        others = [child for child in parent if child is not node]
        assert len(others) == (one.best != one.move)


def test_the_annotated_game_keeps_result_and_rules():
    facts = b"RE[B+R]RU[Japanese]DT[2001-02-03]WR[3d]TM[60]"
    for given, moves in ((facts, b";B[cc];W[];B[]"), (facts, b";B[cc]"), (b"", b";B[cc];W[];B[]")):
        session, review = begin_review(b"(;GM[1]SZ[5]" + given + moves + b")", "A search")
        root = sgf.Sgf_game.from_bytes(annotated_sgf(session, review)).get_root()
        found = {key: root.get(key) for key in ("RE", "DT", "WR", "TM") if root.has_property(key)}
        assert found == ({"RE": "B+R", "DT": "2001-02-03", "WR": "3d", "TM": 60.0} if given else {})
        assert root.get("RU") == ("Japanese" if given else "Chinese")


def test_names_of_players():
    assert player_names(ATARI_GO) == ("Ada", "<script>alert(1)</script>")
    assert player_names(b"(;SZ[9])") == ("Black", "White")
    assert player_names(b"nonsense") == ("Black", "White")


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", b"(;SZ[9];B[zz])", b"(;SZ[9];B[ee];W[ee])", b"x" * 1_000_001, b"(" * 100_000, b"(;SZ[5])"],
)
def test_a_bad_file_is_one_sentence(content, catalogue, jobs):
    state = ReviewState("visitor", "tab", catalogue, jobs)
    with pytest.raises(NobiError):
        state.open(content)
    assert state.session is None


def test_the_command(capsys, tmp_path):
    path, annotated, figure = tmp_path / "game.sgf", tmp_path / "out" / "annotated.sgf", tmp_path / "figure.png"
    path.write_bytes(ATARI_GO)
    flags = ("--playouts", "100")
    code, out, err = call(
        capsys, "review", str(path), *flags, "--all", "--annotate", str(annotated), "--figure", str(figure)
    )
    assert (code, err) == (0, "")
    assert "Ada (Black) against <script>alert(1)</script> (White): Atari-Go 5×5, 8 moves." in out
    assert "The largest losses" in out
    assert annotated.exists()
    assert figure.exists()
    code, out, _ = call(capsys, "review", str(path), *flags, "--json")
    found = json.loads(out)
    assert code == 0
    assert len(found["moves"]) == 8
    assert 0 <= found["agreement"]["both"] <= 1
    session, review = begin_review(ATARI_GO, "")
    carry_out(session, review, None, 100)
    assert found["blunders"] == json.loads(json.dumps(review.document()["blunders"]))


@pytest.mark.parametrize(
    ("content", "flags", "sentence"),
    [
        (None, (), "cannot be read"),
        (b"nonsense", (), "not an SGF game"),
        (ATARI_GO, ("--playouts", "-1"), "--playouts must be 0 to 100,000"),
        (ATARI_GO, ("--model", "nobody"), "There is no model file"),
    ],
)
def test_bad_input_of_the_command_is_one_sentence(capsys, tmp_path, content, flags, sentence):
    path = tmp_path / "game.sgf"
    if content is not None:
        path.write_bytes(content)
    code, out, err = call(capsys, "review", str(path), *flags)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_a_review_in_the_background(catalogue, jobs, monkeypatch):
    monkeypatch.setattr(reviewing, "PLAYOUTS", {0: "", 20: ""})
    state = ReviewState("visitor", "tab", catalogue, jobs)
    with pytest.raises(NobiError, match="Open a game first"):
        state.start()
    state.open(ATARI_GO)
    assert state.reviewers().items() >= {"file-1": "small", SEARCH: "Search without a network"}.items()
    assert "model-go-main" not in state.reviewers()
    assert not state.busy  # nothing is computed unasked
    state.choose(SEARCH, 20)
    for reviewer, playouts in (("nobody", 20), (SEARCH, 10**9), ("../x", 20)):
        with pytest.raises(NobiError, match="no such reviewer"):
            state.choose(reviewer, playouts)
    state.show(4)
    state.start()
    end = time.monotonic() + 240
    while state.busy:
        state.poll()
        assert time.monotonic() < end
        time.sleep(0.01)
    assert state.failed == ""
    assert state.progress == 1.0
    assert state.session.shown == 4
    assert state.move_at(5).move == "A5"
    assert state.cell_of_move(5) == 0
    assert b"would play" in state.annotated()
    with pytest.raises(NobiError):
        state.open(b"nonsense")
    assert state.review.finished  # a bad file changes nothing
