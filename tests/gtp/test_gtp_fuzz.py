"""Thousands of valid and invalid lines: never a crash, always exactly one answer."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.conversation import Talk
from helpers.fuzzing import check_gtp_answer
from nobi.gtp.session import COMMANDS

WORDS = st.sampled_from([
    "b", "w", "black", "WHITE", "B", "pass", "resign", "A1", "b2", "C3", "d4", "E5", "e1", "J9", "T19", "I5",
    "Z26", "A0", "A26", "0", "1", "2", "3", "5", "6", "7", "9", "25", "26", "-1", "4.5", "7", "0.5", "1e3",
    "nan", "inf", "true", "false", "dead", "alive", "seki", "tromp-taylor", "japanese", '{"ko":"SIMPLE"}',
    '{"suicide":true}', "{}", "{", "ko", "SIMPLE", "POSITIONAL", "absolute", "byoyomi", "canadian", "none",
    "interval", "maxmoves", "ownership", "99999999999", "2147483647", "game.sgf", "nosuch.sgf", "list_commands",
])  # fmt: skip
NOISE = st.text(st.characters(exclude_characters="\n/."), max_size=12)
COMMAND = st.sampled_from(sorted(set(COMMANDS) - {"quit", "boardsize", "rectangular_boardsize"}))
PLAYING = st.sampled_from(["play", "genmove", "undo", "play", "genmove"])
LINES = st.builds(
    lambda number, name, words, comment: " ".join([*number, name, *words, *comment]),
    st.lists(st.integers(0, 10**12).map(str), max_size=1),
    st.one_of(COMMAND, PLAYING, NOISE),
    st.lists(st.one_of(WORDS, WORDS, WORDS, NOISE), max_size=5),
    st.lists(NOISE.map("#".__add__), max_size=1),
)
SIZES = st.integers(3, 8).map("boardsize {}".format)
TALKS = st.lists(st.one_of(*[LINES] * 19, SIZES), min_size=30, max_size=60)


def check(talk, line):
    check_gtp_answer(line, talk(line))


def converse(tmp_path_factory, monkeypatch, talk, lines):
    monkeypatch.chdir(tmp_path_factory.getbasetemp())
    monkeypatch.setattr("nobi.players.scoring.PLAYOUTS", 4)  # quick: the score itself does not matter here
    for line in lines:
        check(talk, line)
    check(talk, "1 showboard")


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=TALKS)
def test_any_lines_get_answers(tmp_path_factory, monkeypatch, lines):
    converse(tmp_path_factory, monkeypatch, Talk("go", 5, "playout"), lines)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(game=st.sampled_from(["atari-go", "gomoku", "pente"]), lines=TALKS)
def test_any_lines_get_answers_in_other_games(tmp_path_factory, monkeypatch, game, lines):
    converse(tmp_path_factory, monkeypatch, Talk(game, 5, "naive"), lines)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(game=st.sampled_from(["go", "go", "atari-go", "gomoku", "pente"]), lines=TALKS)
def test_any_lines_get_answers_from_a_search(tmp_path_factory, monkeypatch, game, lines):
    talk = Talk(game, 5, "mcts:rollouts=16", None)
    converse(tmp_path_factory, monkeypatch, talk, lines)
    talk.session.bot.close()
