"""Games between bots: forfeits, referees, resumption, repetitions."""

import json
import signal
import threading
import time
from dataclasses import replace

import pytest
from sgfmill import sgf

from helpers.answering import answering
from helpers.engines import fake
from helpers.processes import processes_with, wait_until
from helpers.runs import error_of
from nobi.games import variant
from nobi.gtp.process import EngineError
from nobi.matches.folder import (
    GameResult,
    MatchFolder,
    cross_table,
    forfeits,
    summarise_match,
    void_reasons,
    without_repetitions,
)
from nobi.matches.openings import Opening, random_opening
from nobi.matches.series import Entrant, Pairing, PlayerSlot, Series, pairings
from nobi.matches.settings import SeriesSettings
from nobi.matches.single import RulesReferee, decision_of
from nobi.workers import ThreadExecutor

GO = variant("go:komi=0.5", 5)


def play(words, games, *, where=GO, opening_of=None, folder=None, records=None, parallel=1, **settings):
    """The records of a match between players named by their words; `records` is filled meanwhile."""
    options = SeriesSettings(**settings)
    entrants = [Entrant(spec, where, i, options.timeout) for i, spec in enumerate(words)]
    with Series(options, entrants, ThreadExecutor(parallel)) as series:
        if records is not None:
            series.results = records
        if folder:
            series.use_folder(folder)
        if opening_of:
            series.opening_of = opening_of
        series.play(pairings(len(words), games))
    return sorted(series.results, key=lambda record: record.game)


def engine(manner, *arguments):
    return "gtp:" + fake(manner, *arguments)


def test_every_pair_plays_with_both_colours():
    games = pairings(3, 4)
    assert [game.game for game in games] == list(range(12))
    for i in range(3):
        for j in range(3):
            assert sum((game.black, game.white) == (i, j) for game in games) == (0 if i == j else 2)
    assert pairings(3, 3) == games[:9]  # a longer tournament continues a shorter one
    assert [game.round for game in pairings(2, 4)] == [0, 0, 1, 1]
    assert games[0] == Pairing(0, 0, 1, 0)


@pytest.mark.parametrize(
    ("manner", "result", "reason"),
    [
        ("crash", "W+F", "black ended at 'genmove' with the exit code 3"),
        ("hang", "W+T", "black gave no answer to 'genmove' within 2 s"),
        ("garbage", "W+F", "black answered 'genmove' with 'Thinking hard', which is not a GTP answer"),
        ("nonsense", "W+F", "black answered 'genmove' with 'somewhere'"),
        ("illegal", "W+F", "black chose the illegal move E1"),
        ("refuse", "W+F", "black refused 'genmove': I would rather not"),
    ],
)
def test_an_engine_that_misbehaves_loses_the_game_and_the_match_continues(manner, result, reason):
    """It misbehaves at the second move of every process; an engine that is not restarted does so once."""
    records = play([engine(manner, 2), engine("good")], 3, timeout=2.0 if manner == "hang" else 60.0)
    assert [record.game for record in records] == [0, 1, 2]
    assert (records[0].result, records[0].reason, records[0].winner) == (result, reason, "white")
    assert records[0].forfeited
    assert records[0].moves == ["A1", "E1"]
    started_again = manner != "illegal"
    assert records[1].forfeited == started_again
    summary = summarise_match(records)
    assert summary.all.games == 3
    assert sum(summary.forfeits.values()) == sum(record.forfeited for record in records)


def test_a_slow_engine_is_waited_for():
    [record] = play([engine("slow"), engine("passes")], 1)
    assert not record.forfeited
    assert record.seconds[0] > 2
    assert record.reason == "by counting"


def test_who_oversteps_the_time_loses():
    time = {"main_time": 0.7, "byo_yomi": 0.3}
    records = play([engine("slow"), "playout"], 2, **time)  # half a second for every move
    assert [(one.result, one.winner, one.forfeited) for one in records] == [
        ("W+T", "white", True),
        ("B+T", "black", True),
    ]
    assert [one.reason for one in records] == ["black overstepped the time", "white overstepped the time"]
    assert len(records[0].moves) <= 2  # 0.7 s allow one move, 0.2 + 0.3 s no second
    [record] = play([engine("hang", 1), "playout"], 1, **time)
    assert (record.result, record.forfeited) == ("W+T", True)
    assert record.reason == "black gave no answer to 'genmove' within 2 s"
    [record] = play([engine("slow"), engine("passes")], 1, byo_yomi=20.0, periods=2)
    assert record.reason == "by counting"


def test_our_own_players_think_by_the_clock():
    [record] = play(["mcts:rollouts=0", engine("good")], 1, main_time=0.5, byo_yomi=0.1, periods=100)
    assert "overstepped" not in record.reason
    assert 0.2 < record.seconds[0] < 0.5 + 0.1 * 100


def test_clocks_are_in_the_record(tmp_path):
    def root(**settings):
        path = tmp_path / str(len(list(tmp_path.iterdir())))
        play([engine("good"), engine("good")], 1, folder=MatchFolder(path, {}, resume=False), **settings)
        return sgf.Sgf_game.from_bytes((path / "game-0001.sgf").read_bytes()).get_root()

    byo_yomi = root(main_time=60.0, byo_yomi=10.0, periods=3)
    assert (byo_yomi.get("TM"), byo_yomi.get("OT")) == (60.0, "3x10 byo-yomi")
    canadian = root(byo_yomi=30.0, stones=5)
    assert (canadian.get("TM"), canadian.get("OT")) == (0.0, "5/30 Canadian")
    assert root(main_time=30.0).get("TM") == 30.0
    assert root(seconds=5.0).get("OT") == "1x5 byo-yomi"
    assert not root().has_property("TM")


def test_resignation_and_counting():
    records = play([engine("resign", 1), engine("good")], 2)
    assert records[0].result == "W+R"
    assert records[0].reason == "black resigned"
    assert not records[0].forfeited
    # the second game: white has column E below the top, black column A; both are alive, and the middle is neutral
    assert records[1].moves == ["A1", "E1", "A2", "E2", "A3", "E3", "A4", "E4", "pass", "pass"]


def test_the_referee_decides():
    words = [engine("passes"), engine("passes")]
    [record] = play(words, 1, referee=fake("good"))
    assert (record.result, record.winner, record.reason) == ("B+1.5", "black", "by the referee")
    [record] = play(words, 1)
    assert (record.result, record.reason) == ("W+0.5", "by counting")
    [record] = play(words, 1, referee=fake("passes"))  # one that gives no score
    assert (record.result, record.winner) == ("Void", "void")
    assert "the referee" in record.reason
    assert "'nobody knows'" in record.reason
    assert void_reasons([record]) == {record.reason: 1}
    assert summarise_match([record]).void == 1
    assert summarise_match([record]).all.games == 0


def test_dead_stones_are_removed():
    game = GO.game.from_text(
        """
        . . X O .
        . . X O .
        . O X O .
        . . X O .
        . . X O .
        """,
        settings=GO.settings,
    )
    game.play("pass")
    game.play("pass")
    assert RulesReferee().decide(game).result == "B+4.5"


def test_scores():
    assert decision_of("B+3.50", "x")[:2] == (1, "B+3.5")
    assert decision_of(" w+12 ", "x")[:2] == (2, "W+12")
    assert decision_of("0", "x").result == decision_of("B+0", "x").result == "Draw"
    for odd in ("", "B+", "B+R", "black", "3.5"):
        with pytest.raises(EngineError, match="final_score"):
            decision_of(odd, "x")


def test_games_do_not_depend_on_the_number_of_parallel_games():
    words = ["playout", "naive"]
    opening_of = lambda number: random_opening(GO, 2, 7, number)  # noqa: E731
    alone = play(words, 8, opening_of=opening_of)
    together = play(words, 8, opening_of=opening_of, parallel=4)
    assert [(one.moves, one.result) for one in alone] == [(one.moves, one.result) for one in together]
    assert alone[0].moves[:2] == alone[1].moves[:2]
    assert alone[0].moves[:2] != alone[2].moves[:2]


def test_other_games_end_by_their_rules():
    records = play(["heuristic", "naive"], 4, where=variant("atari-go", 5))
    assert all(record.reason == "by the rules" and record.result in ("B+", "W+") for record in records)


def test_a_very_long_game_is_stopped():
    where = variant("go", 5)
    [record] = play(["playout", engine("passes")], 1, where=where)
    assert len(record.moves) <= where.most_moves


class TestFolder:
    SETTINGS = {"a": "playout"}  # noqa: RUF012

    def test_a_match_can_be_resumed_at_any_time(self, tmp_path):
        whole = play(["playout", "naive"], 6, folder=MatchFolder(tmp_path / "whole", self.SETTINGS, resume=False))
        lines = (tmp_path / "whole" / "games.jsonl").read_text().splitlines(keepends=True)
        assert len(lines) == 6
        for cut in (0, 1, len(lines[0]) - 1, len(lines[0]), len(lines[0]) + 40, len("".join(lines))):
            path = tmp_path / f"cut-{cut}"
            MatchFolder(path, self.SETTINGS, resume=False)
            (path / "games.jsonl").write_text("".join(lines)[:cut])
            folder = MatchFolder(path, self.SETTINGS, resume=True)
            assert len(folder.load()) == "".join(lines)[:cut].count("\n")
            again = play(["playout", "naive"], 6, folder=folder)
            strip = lambda records: [(one.game, one.moves, one.result) for one in records]  # noqa: E731
            assert strip(again) == strip(whole)
            assert len(MatchFolder(path, self.SETTINGS, resume=True).load()) == 6

    def test_every_game_is_saved_as_sgf_with_its_reason(self, tmp_path):
        play([engine("crash", 2), "playout"], 1, folder=MatchFolder(tmp_path, self.SETTINGS, resume=False))
        root = sgf.Sgf_game.from_bytes((tmp_path / "game-0001.sgf").read_bytes()).get_root()
        assert root.get("RE") == "W+F"
        assert root.get("GN") == "game 1: W+F, black ended at 'genmove' with the exit code 3"
        assert root.get("PW") == "playout"

    def test_matches_that_cannot_be_resumed(self, tmp_path):
        MatchFolder(tmp_path, self.SETTINGS, resume=False)
        assert "add --resume" in error_of(MatchFolder, tmp_path, self.SETTINGS, resume=False)
        assert "has another player A ('playout', not 'naive'); resume it with the same." in error_of(
            MatchFolder, tmp_path, {"a": "naive"}, resume=True
        )
        (tmp_path / "games.jsonl").write_text("nonsense\n" + '{"game": 0}\n')
        folder = MatchFolder(tmp_path, self.SETTINGS, resume=True)
        assert "Line 1 of" in error_of(folder.load)
        (tmp_path / "config.json").write_text("[]")
        assert "does not hold the settings" in error_of(MatchFolder, tmp_path, self.SETTINGS, resume=True)
        (tmp_path / "config.json").write_text("{")
        assert "cannot be read" in error_of(MatchFolder, tmp_path, self.SETTINGS, resume=True)

    def test_games_of_others_are_not_mixed_in(self, tmp_path):
        (tmp_path / "mine.sgf").touch()
        assert "already contains games" in error_of(MatchFolder, tmp_path, self.SETTINGS, resume=False)


def record(game, black, winner, moves, *, forfeited=False):
    return GameResult(game, black, 1 - black, winner, "?", "x", forfeited, "", moves.split(), [], [0.0, 0.0])


def test_unusual_line_ends_in_engine_output_do_not_end_a_record(tmp_path):
    folder = MatchFolder(tmp_path / "m", {"a": 1}, resume=False)
    odd = replace(record(0, 0, "black", "A1 B2"), reason="white refused 'play': no\u2028thanks\x85")
    folder.save(odd, b"(;)")
    assert folder.load() == [odd]
    assert json.loads((tmp_path / "m" / "games.jsonl").read_text())["moves"] == ["A1", "B2"]


def test_repeated_games_are_excluded():
    records = [
        record(0, 0, "black", "A1 B2"),
        record(1, 1, "black", "A1 B2"),  # the colours are exchanged: another game
        record(2, 0, "black", "A1 B2"),  # repeats game 0
        record(3, 0, "white", "A1 B3"),
        record(4, 0, "black", "A1", forfeited=True),
        record(5, 0, "black", "A1", forfeited=True),
    ]
    kept, repeated = without_repetitions(records[::-1])
    assert [one.game for one in kept] == [0, 1, 3, 4, 5]
    assert repeated == 1
    summary = summarise_match(records)
    assert (summary.black.games, summary.black.wins, summary.white.games) == (4, 3, 1)
    assert summary.repeated == 1
    assert summary.forfeits == {"B x": 2}
    table = cross_table(kept, 2)
    assert table.tolist() == [[0, 3], [2, 0]]


def test_forfeits_are_reported_by_player_for_both_colours():
    records = [
        replace(record(0, 0, "white", "A1", forfeited=True), reason="black overstepped the time"),
        replace(record(1, 1, "black", "A1", forfeited=True), reason="white overstepped the time"),
        replace(record(2, 0, "black", "A1", forfeited=True), reason="white refused 'genmove': black ate it"),
        record(3, 1, "white", "A1"),
    ]
    assert forfeits(records, ["left", "right"]) == {
        "left overstepped the time": 2,
        "right refused 'genmove': black ate it": 1,
    }
    assert summarise_match(records).forfeits == {
        "A overstepped the time": 2,
        "B refused 'genmove': black ate it": 1,
    }


def test_statistics_are_those_of_player_a():
    records = [record(0, 0, "black", "A1"), record(1, 1, "draw", "A2"), record(2, 0, "void", "A3")]
    summary = summarise_match(records)
    assert (summary.all.games, summary.all.wins, summary.all.draws, summary.all.losses) == (2, 1, 1, 0)
    assert summary.all.win_rate.value == 0.75
    assert summary.all.elo.value == pytest.approx(190.8, abs=0.1)
    assert summary.void == 1


def test_engines_are_kept_and_players_are_new_in_each_game():
    slot = PlayerSlot(Entrant(engine("good"), GO, 0, 5.0))
    assert slot.bot(0) is slot.bot(1)
    slot.close()
    slot = PlayerSlot(Entrant("playout", GO, 0, 5.0))
    assert slot.bot(0) is not slot.bot(1)


def test_ctrl_c_ends_all_engines_and_waits_for_the_games(tmp_path):
    """A game starts after the engines were ended: no further engine is started, and the match waits for the game."""
    spec = f"{engine('good', 1)} {tmp_path}"
    over = threading.Event()

    class Late(Opening):
        def begin(self, variant):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            assert wait_until(lambda: not processes_with(tmp_path))
            time.sleep(1)
            over.set()
            return super().begin(variant)

    def late(number):
        return Late() if number == 1 else Opening()

    records = []
    with pytest.raises(KeyboardInterrupt):
        play([spec, "playout"], 4, opening_of=late, records=records, referee=f"{fake('good', 1)} {tmp_path}")
    assert over.is_set()
    assert [record.game for record in records] == [0, 1]
    assert not wait_until(lambda: processes_with(tmp_path), 2.0)


def test_engines_that_cannot_play_on_the_board_are_refused_before_any_game(tmp_path):
    picky = answering(boardsize="? too small", mark=str(tmp_path))
    for words, settings in (([f"gtp:{picky}", "playout"], {}), (["playout", "naive"], {"referee": picky})):
        assert "cannot play go:komi=0.5 on 5x5: it refused 'boardsize': too small." in error_of(
            play, words, 1, opening_of=lambda _: pytest.fail("a game began"), **settings
        )
    assert processes_with(tmp_path) == set()


def test_an_internal_error_ends_the_series():
    def fail(_):
        raise RuntimeError("no opening")

    with pytest.raises(RuntimeError, match="no opening"):
        play(["playout", "naive"], 4, opening_of=fail, parallel=2)


@pytest.mark.parametrize("parallel", [1, 2])
def test_no_games_are_played_beyond_the_required_number(parallel):
    rules = variant("atari-go", 5)
    entrants = [Entrant(spec, rules, seed, 60.0) for seed, spec in enumerate(("naive", "random"))]
    with Series(SeriesSettings(), entrants, ThreadExecutor(parallel)) as series:
        series.play(pairings(2, 2000), enough=lambda: len(series.results) > 2)
    assert 3 <= len(series.results) < 2000
