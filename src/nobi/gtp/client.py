"""Another program that speaks GTP: started, spoken to, watched.

Whatever goes wrong is an `EngineError` that says what; the program is then stopped, and may be started again.

MERGED gtp/bot.py: Another program as a player: the word `gtp:COMMAND`.
"""

import contextlib
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque

from nobi.board.stones import BLACK, WHITE
from nobi.board.text import point_named, vertex_name
from nobi.clock import TimeSettings
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.gtp.setup import as_json
from nobi.players.base import RESIGN, Bot, Clock
from nobi.workers import defer_interrupts

START_SECONDS = 60.0
"""How long a program may take to answer the first command: some load a large network."""
_QUIT_SECONDS = 2.0
_LISTEN_SECONDS = 0.5
"""How long to wait for the last words of a program that has ended."""
_LONGEST_ANSWER = 1_000_000
"""Bytes. A program that says more in one answer says nothing sensible."""
_LONGEST_LINE = 4096
"""Bytes of standard error that are read at once."""
_LONGEST_WORDS = 200
"""Characters of what a program says that are quoted."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class EngineError(Exception):
    """What an engine did wrong, in a few words; `kind` is `crash`, `time-out`, `garbage` or `refusal`."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


class EngineProcess:
    """One running program."""

    def __init__(self, command: str, seconds: float) -> None:
        """`seconds` is how long it may take for an answer, unless a call says otherwise."""
        self.command = command
        self.seconds = seconds
        self._waiting: queue.Queue[bytes | None] = queue.Queue()
        with defer_interrupts():  # so that no program runs of which nobody knows
            self._process = subprocess.Popen(  # noqa: S603 (the user's own command, and no shell)
                _words(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is ours: the engine is told to quit
            )
            self._end = weakref.finalize(self, _end, self._process)
            """Ends it: called by `kill`, else when nobody holds this object, else at exit."""
        self._complaints: deque[str] = deque(maxlen=2)
        """The latest lines of standard error: the last one alone may only point to the help."""
        threading.Thread(target=self._read, daemon=True).start()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def greet(self) -> None:
        """Makes sure that it speaks GTP 2; if not, it is ended, and a NobiError says what is wrong with the command."""
        with contextlib.ExitStack() as failed:
            failed.callback(self.kill)  # after Ctrl-C too
            try:
                version = self.ask("protocol_version", max(START_SECONDS, self.seconds))
            except EngineError as fault:
                hint = "; it may need an argument for that, as GNU Go needs --mode gtp" * (fault.kind == "time-out")
                raise NobiError(f"The engine command {self.command!r} does not speak GTP: it {fault}{hint}.") from None
            if version != "2":
                raise NobiError(f"The engine command {self.command!r} speaks version {version[:20]!r} of GTP, not 2.")
            failed.pop_all()

    def ask(self, command: str, seconds: float | None = None) -> str:
        """The answer to a command, without the sign in front; a refusal is a fault of that kind."""
        sign, text = self._exchange(command, self.seconds if seconds is None else seconds)
        if sign == "?":
            words = " ".join(text.split())[:_LONGEST_WORDS] or "no reason given"
            raise EngineError("refusal", f"refused {command.split()[0]!r}: {words}")
        return text

    def close(self) -> None:
        """Asks it to quit, and makes it if it does not."""
        process = self._process
        try:
            with contextlib.suppress(OSError, ValueError):
                if process.stdin and process.poll() is None:
                    process.stdin.write(b"quit\n")
                    process.stdin.flush()
                    process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_QUIT_SECONDS)
        finally:  # also where Ctrl-C cuts the wait short
            self.kill()

    def kill(self) -> None:
        """Ends it at once, and what it has started: a command may be a script that runs the engine."""
        self._end()

    def _exchange(self, command: str, seconds: float) -> tuple[str, str]:
        """The sign, = or ?, and the text of an answer."""
        name = command.split()[0]
        self._expect_silence(name)
        pipe = self._process.stdin
        try:
            if pipe is None:
                raise ValueError
            pipe.write(command.encode() + b"\n")
            pipe.flush()
        except (OSError, ValueError):
            raise self._crash(name) from None
        deadline = time.monotonic() + seconds
        lines: list[str] = []
        length = 0
        while True:
            try:
                raw = self._waiting.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.kill()
                raise EngineError("time-out", f"gave no answer to {name!r} within {seconds:g} s") from None
            if raw is None:
                raise self._crash(name)
            length += len(raw)
            if length > _LONGEST_ANSWER:
                self.kill()
                raise EngineError("garbage", f"answered {name!r} without an end")
            line = _text(raw)
            if line.strip():
                if not lines and line[0] not in "=?":
                    self.kill()
                    raise EngineError("garbage", f"answered {name!r} with {line[:60]!r}, which is no answer in GTP")
                lines.append(line)
            elif lines:
                text = "\n".join(lines)
                return text[0], text[1:].strip()

    def _expect_silence(self, name: str) -> None:
        """What was said since the latest answer would be taken for the next one."""
        while True:
            try:
                raw = self._waiting.get_nowait()
            except queue.Empty:
                return
            if raw is None:
                raise self._crash(name)
            if raw.strip():
                self.kill()
                said = raw.decode("utf-8", "replace").strip()[:60]
                raise EngineError("garbage", f"said {said!r} before it was asked {name!r}")

    def _crash(self, name: str) -> EngineError:
        try:
            code = self._process.wait(_QUIT_SECONDS)
        except subprocess.TimeoutExpired:  # it closed its output and lives on
            self.kill()
            return EngineError("crash", f"closed its output at {name!r}")
        how = f"with the exit code {code}" if code >= 0 else f"by {_signal_words(-code)}"
        return EngineError("crash", f"ended at {name!r} {how}{self._last_words()}")

    def _last_words(self) -> str:
        """What a program that has ended said of it on standard error."""
        self._listener.join(_LISTEN_SECONDS)  # no longer: something that it has started may keep the stream open
        words = " / ".join(self._complaints)
        return f", saying {words!r}" if words else ""

    def _read(self) -> None:
        stream = self._process.stdout
        if stream:
            while line := stream.readline(_LONGEST_ANSWER + 1):
                self._waiting.put(line)
        self._waiting.put(None)

    def _listen(self) -> None:
        """Reads all of standard error, so that the program never waits for that, and keeps the latest words."""
        stream = self._process.stderr
        if stream:
            while line := stream.readline(_LONGEST_LINE):
                words = _text(line).strip()
                if any(letter.isalnum() for letter in words):
                    self._complaints.append(words[:_LONGEST_WORDS])


def launch_engine(command: str, seconds: float) -> EngineProcess:
    """Starts a program and does not wait for it; a NobiError says why that cannot be."""
    try:
        return EngineProcess(command, seconds)
    except OSError as fault:
        raise NobiError(f"The engine command {command!r} cannot be started: {fault.strerror}.") from None


def start_engine(command: str, seconds: float) -> EngineProcess:
    """Starts a program and makes sure that it speaks GTP 2; a NobiError says what is wrong with the command."""
    engine = launch_engine(command, seconds)
    engine.greet()
    return engine


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a program and what it has started; it leads a group of its own."""
    with defer_interrupts():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdin:
            with contextlib.suppress(OSError):
                process.stdin.close()


def _text(raw: bytes) -> str:
    """A line without its end and without what would move a cursor."""
    return _CONTROL.sub("", raw.decode("utf-8", "replace").rstrip("\n")).replace("\t", " ")


def _signal_words(number: int) -> str:
    """`SIGSEGV (Segmentation fault)`."""
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:  # one of those without a name
        return f"the signal {number}"


def _words(command: str) -> list[str]:
    """The program and its arguments, as a shell would split them; nothing else of a shell is understood."""
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise NobiError(f"The engine command {command!r} cannot be understood: {fault}.") from None
    if not words:
        raise NobiError("The engine command is empty; write gtp:COMMAND, as in 'gtp:gnugo --mode gtp'.")
    if shutil.which(words[0]) is None:
        raise NobiError(f"There is no program {words[0]!r} to start as an engine.")
    return words


PREFIX = "gtp:"
_LETTERS = {BLACK: "b", WHITE: "w"}
_EXTRA_SECONDS = 10.0
"""A move with a time limit may come so much later before the engine counts as hanging."""
_LATE_SECONDS = 1.0
"""A move by the clock is waited for so much longer than its time: it has lost then, but need not be ended."""


class GtpBot(Bot):
    """Plays the moves of an engine, which is told of the game as it goes on.

    What the engine does wrong is an `EngineError`; at the next move it is started anew. An engine that does not work
    or refuses the board or the komi is a NobiError at once.
    """

    def __init__(self, command: str, variant: Variant, seconds: float = 60.0) -> None:
        """`seconds` is how long it may take for an answer."""
        self.seed: int | None = None
        """Chooses the engine's random numbers for the next game, 0 to 2³¹ − 1, if it has a command for that."""
        self.name = PREFIX + command
        self.command = command
        self.variant = variant
        self.note = ""
        """What is to be known of the engine before a game, in a sentence."""
        self._seconds = seconds
        self._lock = threading.Lock()
        """Held where the engine comes or goes: another thread may close the bot while this one plays."""
        self._closed = False
        self._engine: EngineProcess | None = None
        self._told: tuple[list[tuple[int, int]], list[int]] | None = None
        """The start position and the moves that the engine knows of; None if it is to be told from the beginning."""
        self._time: TimeSettings | None = None
        """What the engine was told of time in this game."""
        self._one_stone = False
        """Whether it takes byo-yomi for one stone a period."""
        with contextlib.ExitStack() as failed:
            failed.callback(self.close)
            engine = self._start()
            self._check_game(engine)
            self._check_board(engine)
            failed.pop_all()

    def get_ready(self, game: Game) -> None:
        """Starts the engine, if it has to be, and tells it of the game; what goes wrong shows at its move."""
        with contextlib.suppress(EngineError):
            self.follow(game)

    def choose(self, game: Game, clock: Clock) -> int:
        """The engine's move. An illegal one is returned as it is: the caller knows the rules."""
        engine = self.follow(game)
        colour = _LETTERS[game.to_move]
        seconds = self._tell_time(engine, game.to_move, clock)
        answer = self._ask(engine, f"genmove {colour}", seconds)
        if answer.lower() == "resign":
            return RESIGN
        try:
            move = point_named(answer, game.size)
        except NobiError:
            self._fail()
            raise EngineError("garbage", f"answered 'genmove' with {answer[:60]!r}") from None
        told = self._told
        if told:
            told[1].append(move)
        return move

    def final_score(self, game: Game) -> str:
        """What the engine says of the result of this position: `B+3.5`, `W+0.5` or `0`."""
        return self._ask(self.follow(game), "final_score")

    def follow(self, game: Game) -> EngineProcess:
        """Makes the engine know this position: of the game that it knows, only the new moves are told."""
        start, moves = game.start, list(game.moves)
        first = game.to_move if len(moves) % 2 == 0 else BLACK + WHITE - game.to_move
        engine = self._engine
        if engine is None:
            try:
                engine = self._start()
            except NobiError as fault:
                self._fail()
                raise EngineError("crash", f"could not be started again: {str(fault).rstrip('.')}") from None
        known = self._told
        if known is None or known[0] != start or moves[: len(known[1])] != known[1]:
            self._begin(engine, game, start, first)
            known = (start, [])
        for i in range(len(known[1]), len(moves)):
            colour = first if i % 2 == 0 else BLACK + WHITE - first
            self._ask(engine, f"play {_LETTERS[colour]} {vertex_name(moves[i], game.size)}")
        self._told = (start, moves)
        return engine

    def close(self) -> None:
        """Ends the engine for good: a game that another thread still plays starts no other."""
        with self._lock:
            self._closed = True
        engine = self._dismiss()
        if engine:
            engine.close()

    def _start(self) -> EngineProcess:
        with self._lock:
            if self._closed:
                raise EngineError("crash", "has left")
            engine = self._engine = launch_engine(self.command, self._seconds)
        engine.greet()
        return engine

    def _dismiss(self) -> EngineProcess | None:
        """The engine, which is nobody's any more."""
        with self._lock:
            engine, self._engine, self._told = self._engine, None, None
        return engine

    def _tell_time(self, engine: EngineProcess, colour: int, clock: Clock) -> float | None:
        """Tells the engine what time it has; returns how long to wait for its move, None for no special time."""
        control = clock.control
        if control is None or control.settings.system == "none":
            if clock.seconds is None:
                return None
            self._set_time(engine, TimeSettings("byoyomi", 0.0, clock.seconds, 1))
            return clock.seconds + _EXTRA_SECONDS
        self._set_time(engine, control.settings)
        left = control.left[colour]
        count = min(left.count, 1) if self._one_stone else left.count
        self._ask(engine, f"time_left {_LETTERS[colour]} {int(left.seconds)} {count}", may_refuse=True)
        most = control.most(colour)
        return None if most is None else most + _LATE_SECONDS

    def _set_time(self, engine: EngineProcess, settings: TimeSettings) -> None:
        """Tells the engine the time settings, once a game.

        GTP 2 has no periods of which several may be lost. An engine that does not know KGS's extension is told of
        periods in each of which one stone is to be played.
        """
        if settings == self._time:
            return
        self._time = settings
        self._one_stone = False
        main, period = (max(1, int(seconds)) if seconds else 0 for seconds in (settings.main, settings.period))
        count = settings.count
        if settings.system == "byoyomi":
            if count > 1 and self._knows(engine, "kgs-time_settings"):
                words = f"{settings.main:g} {settings.period:g} {count}"
                self._ask(engine, f"kgs-time_settings byoyomi {words}", may_refuse=True)
                return
            self._one_stone = True
            count = 1
        elif settings.system == "absolute":
            count = 0
        self._ask(engine, f"time_settings {main} {period} {count}", may_refuse=True)

    def _begin(self, engine: EngineProcess, game: Game, start: list[tuple[int, int]], first: int) -> None:
        self._time = None
        self._set_board(engine, game)
        if self.seed is not None and self._knows(engine, "set_random_seed"):  # as GNU Go has it
            self._ask(engine, f"set_random_seed {self.seed}", may_refuse=True)
        plain = type(game)(game.size, game.settings).start
        stones = [stone for stone in start if stone not in plain]  # a game may begin with stones of its own
        names = [vertex_name(point, game.size) for point, _ in stones]
        if len(stones) > 1 and all(colour == BLACK for _, colour in stones):
            self._ask(engine, f"set_free_handicap {' '.join(names)}")
        elif stones and self._knows(engine, "gogui-setup") and self._knows(engine, "gogui-setup_player"):
            placed = (f"{_LETTERS[colour]} {name}" for name, (_, colour) in zip(names, stones, strict=True))
            self._ask(engine, f"gogui-setup {' '.join(placed)}")
            self._ask(engine, f"gogui-setup_player {_LETTERS[first]}")
        else:
            for name, (_, colour) in zip(names, stones, strict=True):
                self._ask(engine, f"play {_LETTERS[colour]} {name}")

    def _set_board(self, engine: EngineProcess, game: Game, seconds: float | None = None) -> None:
        """Tells the engine the size of the board and the rules."""
        self._ask(engine, f"boardsize {game.size}", seconds)
        self._ask(engine, "clear_board", seconds)
        if game.name == "go":
            if self._knows(engine, "kata-set-rules"):
                self._offer_rules(engine, as_json(game.settings))
            self._ask(engine, f"komi {game.settings.komi:.12g}")

    def _offer_rules(self, engine: EngineProcess, rules: str) -> None:
        """Tells the engine the rules; one that refuses them may still play, and that is noted."""
        try:
            engine.ask(f"kata-set-rules {rules}")
        except EngineError as fault:
            if fault.kind != "refusal":
                self._fail()
                raise
            self.note = f"The engine {self.command!r} plays by rules of its own: it {fault}."

    def _check_board(self, engine: EngineProcess) -> None:
        """Refuses an engine that cannot play on the board: it would lose game after game."""
        game = self.variant.new()
        try:
            self._set_board(engine, game, max(START_SECONDS, self._seconds))
        except EngineError as fault:
            where = f"{self.variant} on {game.size}x{game.size}"
            raise NobiError(f"The engine {self.command!r} cannot play {where}: it {fault}.") from None

    def _check_game(self, engine: EngineProcess) -> None:
        """Refuses an engine that plays another game."""
        game = self.variant.game.name
        if game == "go":
            return
        try:
            plays = engine.ask("gogui-rules_game_id") if self._knows(engine, "gogui-rules_game_id") else "Go"
        except EngineError as fault:
            plays = f"nothing: it {fault}"
        if plays.lower() != game.replace("-", ""):
            raise NobiError(f"The engine {self.command!r} plays {plays}, not {game}.")

    def _ask(
        self, engine: EngineProcess, command: str, seconds: float | None = None, *, may_refuse: bool = False
    ) -> str:
        try:
            return engine.ask(command, seconds)
        except EngineError as fault:
            if fault.kind == "refusal" and may_refuse:
                return ""
            self._fail()
            raise

    def _knows(self, engine: EngineProcess, command: str) -> bool:
        """Whether the engine has this command."""
        return self._ask(engine, f"known_command {command}", may_refuse=True).lower() == "true"

    def _fail(self) -> None:
        """Ends an engine that went wrong; the next move starts another."""
        engine = self._dismiss()
        if engine:
            engine.kill()
