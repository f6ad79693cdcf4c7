"""Another program that speaks GTP: started, spoken to, watched.

Whatever goes wrong is an `EngineError` that says what; the program is then stopped, and may be started again.
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

from nobi.errors import NobiError
from nobi.interrupts import interrupts_held_back

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
        with interrupts_held_back():  # so that no program runs of which nobody knows
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
    with interrupts_held_back():
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
