"""Starting, using and monitoring engines."""

import gc
import os
import re
import shlex
import signal
import subprocess
import sys
import threading

import pytest

from helpers.answering import answering
from helpers.engines import fake
from helpers.processes import is_running, processes_with, wait_until
from helpers.runs import error_of
from nobi.board.stones import BLACK
from nobi.board.text import point_named
from nobi.clock import TimeControl, TimeSettings
from nobi.errors import NobiError
from nobi.games import variant
from nobi.gtp.client import GtpBot
from nobi.gtp.process import EngineError, EngineProcess, start_engine
from nobi.players.base import RESIGN, Clock, clock_for

GO = variant("go:komi=0.5", 9)


def names(game, moves):
    from nobi.board.text import vertex_name

    return [vertex_name(move, game.size) for move in moves]


def play_against(command, moves, seconds=60.0):
    """The moves of an engine with black while we pass."""
    bot = GtpBot(command, GO, seconds)
    game = GO.new()
    try:
        for _ in range(moves):
            game.play(bot.choose(game, Clock()))
            game.play("pass")
    finally:
        bot.close()
    return names(game, game.moves[::2])


def test_a_good_engine_plays():
    assert play_against(fake("good"), 3) == ["A1", "A2", "A3"]


@pytest.mark.parametrize(
    ("manner", "kind", "message"),
    [
        ("crash", "crash", "ended at 'genmove' with the exit code 3"),
        ("hang", "time-out", "gave no answer to 'genmove' within 1 s"),
        ("garbage", "garbage", "answered 'genmove' with 'Thinking hard', which is not a GTP answer"),
        ("nonsense", "garbage", "answered 'genmove' with 'somewhere'"),
        ("endless", "garbage", "answered 'genmove' without an end"),
        ("refuse", "refusal", "refused 'genmove': I would rather not"),
    ],
)
def test_an_engine_failure_is_reported_and_the_engine_is_restarted(manner, kind, message):
    bot = GtpBot(fake(manner, 2), GO, 1.0 if manner == "hang" else 60.0)
    game = GO.new()
    game.play(bot.choose(game, Clock()))
    game.play("J9")
    with pytest.raises(EngineError) as caught:
        bot.choose(game, Clock())
    assert caught.value.kind == kind
    assert str(caught.value) == message
    assert names(game, [bot.choose(game, Clock())]) == ["A1"]  # a new process that has received the position
    bot.close()


def test_an_engine_that_answers_twice_is_detected():
    bot = GtpBot(fake("chatty", 1), GO, 60.0)
    game = GO.new()
    game.play(bot.choose(game, Clock()))
    game.play("J9")
    assert wait_until(lambda: not bot._engine._lines.empty(), 60)
    with pytest.raises(EngineError, match="wrote '= pass' before the command 'play'"):
        bot.choose(game, Clock())
    bot.close()


def test_an_engine_may_resign_and_be_slow():
    bot = GtpBot(fake("resign", 1), GO, 60.0)
    assert bot.choose(GO.new(), Clock()) == RESIGN
    bot.close()
    assert play_against(fake("slow"), 2) == ["A1", "A2"]


def test_an_engine_follows_the_game():
    """It receives only new moves; after an undo, in another game or from another start, all moves."""
    bot = GtpBot(fake("good"), GO, 60.0)
    sent = []
    engine = bot._engine
    ask = engine.ask
    engine.ask = lambda command, seconds=None: (sent.append(command), ask(command, seconds))[1]
    game = GO.new()
    game.play(bot.choose(game, Clock()))
    assert sent == ["boardsize 9", "clear_board", "known_command kata-set-rules", "komi 0.5", "genmove b"]
    game.play("J9")
    sent.clear()
    game.play(bot.choose(game, Clock(2.0)))
    assert sent == ["play w J9", "time_settings 0 2 1", "genmove b"]
    game.undo()
    game.undo()
    game.play("H8")
    sent.clear()
    bot.choose(game, Clock())
    assert sent == ["boardsize 9", "clear_board", "known_command kata-set-rules", "komi 0.5", "play b A1", "play w H8",
                    "genmove b"]  # fmt: skip
    other = GO.new()
    other.place_handicap(2)
    sent.clear()
    bot.choose(other, Clock())
    assert sent[-2:] == ["set_free_handicap G7 C3", "genmove w"]
    bot.close()


@pytest.mark.parametrize(
    ("settings", "kgs", "first", "second"),
    [
        (("byoyomi", 60, 10, 3), False, ["time_settings 60 10 1", "time_left b 60 0"], "time_left b 10 1"),
        (
            ("byoyomi", 60, 10.5, 3),
            True,
            ["kgs-time_settings byoyomi 60 10.5 3", "time_left b 60 0"],
            "time_left b 10 3",
        ),
        (("byoyomi", 0, 10, 1), True, ["time_settings 0 10 1", "time_left b 10 1"], "time_left b 10 1"),
        (("canadian", 60, 300, 25), True, ["time_settings 60 300 25", "time_left b 60 0"], "time_left b 299 24"),
        (("absolute", 600), True, ["time_settings 600 0 0", "time_left b 600 0"], "time_left b 539 0"),
    ],
)
def test_an_engine_receives_the_time(settings, kgs, first, second):
    """The settings once per game, the remaining time before each of its moves."""
    bot = GtpBot(fake("kgs" if kgs else "good"), GO, 60.0)
    sent = []
    engine = bot._engine
    ask = engine.ask
    engine.ask = lambda command, seconds=None: (sent.append(command), ask(command, seconds))[1]
    for _ in range(2):
        control = TimeControl(TimeSettings(*settings))
        game = GO.new()
        sent.clear()
        game.play(bot.choose(game, clock_for(game, control)))
        assert [line for line in sent if "time" in line and "known" not in line] == first
        control.spend(BLACK, 61 if settings[1] != 0 else 1)
        game.play("J9")
        sent.clear()
        bot.choose(game, clock_for(game, control))
        assert sent == ["play w J9", second, "genmove b"]
    bot.close()


def test_an_engine_with_a_clock_is_stopped_when_its_time_is_over():
    bot = GtpBot(fake("hang"), GO, 60.0)
    game = GO.new()
    control = TimeControl(TimeSettings("absolute", 0.5))
    with pytest.raises(EngineError, match=r"within 1\.5 s") as caught:
        bot.choose(game, clock_for(game, control))
    assert caught.value.kind == "time-out"
    bot.close()


def test_an_engine_gets_a_seed_if_it_supports_seeds():
    sent = []
    for manner in ("kgs", "good"):
        bot = GtpBot(fake(manner), GO, 60.0)
        ask = bot._engine.ask
        bot._engine.ask = lambda command, seconds=None, ask=ask: (sent.append(command), ask(command, seconds))[1]
        bot.seed = 7
        bot.choose(GO.new(), Clock())
        bot.close()
    assert sent.count("set_random_seed 7") == 1


def test_commands_that_are_not_engines():
    assert error_of(start_engine, "no-such-program --mode gtp", 1) == (
        "There is no program 'no-such-program' to start as an engine."
    )
    assert "is empty" in error_of(start_engine, "  ", 1)
    assert "cannot be understood" in error_of(start_engine, "'gnugo", 1)
    assert "does not speak GTP: it ended at 'protocol_version'" in error_of(start_engine, "true", 1)
    # its output may begin before or after the first command
    assert re.search("does not speak GTP: it (answered|wrote) .*'y'", error_of(start_engine, "yes", 1))


def test_an_engine_that_never_answers(monkeypatch):
    monkeypatch.setattr("nobi.gtp.process.START_SECONDS", 0.3)
    assert "gave no answer to 'protocol_version' within 0.3 s" in error_of(start_engine, fake("deaf"), 0.1)


def test_an_engine_for_another_game_is_refused():
    with pytest.raises(NobiError, match="plays Go, not gomoku"):
        GtpBot(fake("good"), variant("gomoku", 9), 60.0)


def program(code):
    """The command of a program in Python."""
    return shlex.join([sys.executable, "-S", "-E", "-c", code])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("sys.exit(5)", "with the exit code 5."),
        ("sys.exit('there is no [bold] network\\n\\n')", "with the exit code 1, saying 'there is no [bold] network'."),
        (
            "sys.exit('unknown option -x\\nsee --help')",
            "with the exit code 1, saying 'unknown option -x / see --help'.",
        ),
        ("sys.stderr.write('-' * 10**7 + '\\n'); sys.exit('full')", "with the exit code 1, saying 'full'."),
        ("sys.exit('x' * 10**6)", f"with the exit code 1, saying '{'x' * 200} / {'x' * 200}'."),
        ("os.kill(os.getpid(), 15)", "by SIGTERM (Terminated)."),
    ],
)
def test_the_last_lines_of_a_program_are_reported(code, message):
    error = error_of(start_engine, program(f"import os, sys; input(); {code}"), 60)
    assert error.endswith(f" does not speak GTP: it ended at 'protocol_version' {message}")


def test_a_program_with_much_error_output_is_not_blocked():
    talk = "import sys\nfor line in sys.stdin: sys.stderr.write('so it is\\n' * 10**5); print('= 2\\n', flush=True)"
    engine = start_engine(program(talk), 60)
    assert engine.ask("name") == "2"
    assert len(engine._stderr_lines) <= 2
    engine.kill()


def test_another_version_of_the_protocol_is_refused():
    assert "speaks version '1' of GTP, not 2." in error_of(start_engine, answering(protocol_version="1"), 60)


@pytest.mark.parametrize(
    ("command", "refused"),
    [("boardsize", "no such board"), ("clear_board", "not now"), ("komi", "I do not haggle")],
)
def test_an_engine_that_cannot_play_on_the_board_is_refused_at_once(command, refused, tmp_path):
    answers = {command: f"? {refused}", "mark": str(tmp_path)}
    error = error_of(GtpBot, answering(**answers), GO, 60.0)
    assert error.endswith(f" cannot play go:komi=0.5 on 9x9: it refused '{command}': {refused}.")
    assert processes_with(tmp_path) == set()


def test_an_engine_that_refuses_the_rules_plays_with_a_note():
    answers = {"known_command": "true", "kata-set-rules": "? no\nsuch rules", "genmove": "C3"}
    bot = GtpBot(answering(**answers), GO, 60.0)
    assert "its own rules" in bot.note
    assert bot.note.endswith("refused 'kata-set-rules': no such rules.")
    assert bot.choose(GO.new(), Clock()) == point_named("C3", 9)
    bot.close()
    willing = GtpBot(answering(known_command="true"), GO, 60.0)
    willing.close()
    assert willing.note == ""


def test_an_engine_that_ends_between_the_commands_is_started_again():
    """It has ended before the query for its commands, in the first game only."""
    bot = GtpBot(fake("good"), GO, 60.0)
    ask = bot._engine.ask

    def ended(command, seconds=None):
        if command.startswith("known_command"):
            bot._engine.kill()
        return ask(command, seconds)

    bot._engine.ask = ended
    with pytest.raises(EngineError):
        bot.choose(GO.new(), Clock())
    assert bot.choose(GO.new(), Clock()) == point_named("A1", 9)
    bot.close()


def test_ctrl_c_ends_an_engine_that_starts(monkeypatch, tmp_path):
    def interrupted(*_):
        # The command line of a new process is visible only after it has replaced its parent's program.
        assert wait_until(lambda: len(processes_with(tmp_path)) == 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(EngineProcess, "ask", interrupted)
    for start in (start_engine, lambda command, seconds: GtpBot(command, GO, seconds)):
        with pytest.raises(KeyboardInterrupt):
            start(f"{fake('deaf', 1)} {tmp_path}", 60)
        assert processes_with(tmp_path) == set()


def test_ctrl_c_ends_an_engine_that_is_slow_to_quit(tmp_path):
    engine = start_engine(f"{fake('good', 1)} {tmp_path}", 60)
    wait = engine._process.wait

    def interrupted(timeout=None):
        if timeout is not None:
            raise KeyboardInterrupt
        return wait()

    engine._process.wait = interrupted
    with pytest.raises(KeyboardInterrupt):
        engine.close()
    assert processes_with(tmp_path) == set()


def test_a_closed_bot_starts_no_engine(tmp_path):
    bot = GtpBot(f"{fake('good', 1)} {tmp_path}", GO, 60.0)
    bot.close()
    with pytest.raises(EngineError, match="was closed"):
        bot.choose(GO.new(), Clock())
    assert processes_with(tmp_path) == set()


def test_a_bot_may_be_closed_while_its_engine_starts_again(tmp_path):
    """The engine answers only at its first start."""
    script, note = tmp_path / "engine.sh", tmp_path / "started"
    script.write_text(f"#!/bin/sh\nif [ -e {note} ]; then exec sleep 1000; fi\ntouch {note}\n{fake('crash', 1)}\n")
    script.chmod(0o755)
    bot = GtpBot(str(script), GO, 60.0)
    faults = []

    def play():
        for _ in range(2):
            try:
                bot.choose(GO.new(), Clock())
            except EngineError as error:
                faults.append(str(error))

    thread = threading.Thread(target=play)
    thread.start()
    assert wait_until(lambda: len(faults) == 1 and bot._engine)
    engine = bot._engine
    bot.close()
    thread.join(20)
    assert len(faults) == 2
    assert "could not be started again" in faults[1]
    assert not is_running(engine._process.pid)


def test_child_processes_of_an_engine_end_with_it(tmp_path):
    script, note = tmp_path / "engine.sh", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\nexec 3<&0\n{fake('hang', 1)} <&3 & echo $! > {note}\nwait\n")
    script.chmod(0o755)
    engine = start_engine(str(script), 60.0)
    inner = int(note.read_text())
    os.kill(inner, 0)  # it is running
    with pytest.raises(EngineError):
        engine.ask("genmove b", 0.5)
    assert wait_until(lambda: not is_running(inner))


def test_an_engine_is_ready_before_the_clock_runs(monkeypatch):
    bot = GtpBot(fake("crash", 1), GO, 60.0)
    game = GO.new()
    with pytest.raises(EngineError):
        bot.choose(game, Clock())
    bot.warm_up(game)  # starts it again
    asked = []
    ask = EngineProcess.ask
    monkeypatch.setattr(EngineProcess, "ask", lambda *arguments: asked.append(arguments[1]) or ask(*arguments))
    with pytest.raises(EngineError):
        bot.choose(game, Clock())
    assert asked == ["genmove b"]
    bot.close()


def test_set_up_stones_reach_an_engine_of_another_game():
    where = variant("atari-go", 7)
    game = where.new()
    game.set_up([(point_named(name, 7), colour) for name, colour in (("C3", 1), ("D3", 1), ("C4", 2))], 2)
    bot = GtpBot(f"{sys.executable} -m nobi gtp random --game atari-go --size 7", where, 60.0)
    try:
        assert game.is_legal(bot.choose(game, Clock()))
        assert sorted(bot._engine.ask("list_stones b").split()) == ["C3", "D3"]
    finally:
        bot.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_of_a_program_leaves_no_process(number, monkeypatch, tmp_path):
    start = subprocess.Popen

    def interrupted(*arguments, **settings):
        process = start(*arguments, **settings)
        signal.raise_signal(number)
        return process

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(number, interrupt)  # as the command line does
    monkeypatch.setattr(subprocess, "Popen", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            start_engine(f"{fake('deaf', 1)} {tmp_path}", 60)
    finally:
        signal.signal(number, before)
    gc.collect()
    assert processes_with(tmp_path) == set()


def test_a_program_that_is_not_closed_ends_at_exit(tmp_path):
    command = f"{fake('good', 1)} {tmp_path}"
    code = f"from nobi.gtp.process import start_engine; start_engine({command!r}, 60)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert processes_with(tmp_path) == set()
