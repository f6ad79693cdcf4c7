"""Processes of other GTP engines.

Every failure of an engine is an `EngineError` with the reason; the process is then killed.
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
from nobi.workers import defer_interrupts

START_SECONDS = 60.0
"""Time limit for the answer to the first command: some engines load a large network."""
_QUIT_SECONDS = 2.0
_STDERR_SECONDS = 0.5
"""Time limit for reading the rest of standard error of an engine that has ended."""
_MAX_ANSWER_BYTES = 1_000_000
_MAX_STDERR_LINE_BYTES = 4096
_MAX_QUOTE = 200
"""Maximum number of quoted characters of an engine's output."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class EngineError(Exception):
    """A failure of an engine; `kind` is `crash`, `time-out`, `garbage` or `refusal`.

    The message has the engine as its subject, as in "gave no answer to 'genmove' within 5 s".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class EngineProcess:
    """A running engine."""

    def __init__(self, command: str, seconds: float) -> None:
        """Start the process and do not wait for it; `seconds` is the default time limit of answers."""
        self.command = command
        self.seconds = seconds
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        try:
            with defer_interrupts():  # otherwise an interrupt could leave a process that nothing ends
                self._process = subprocess.Popen(  # noqa: S603 (the user's own command, and no shell)
                    split_command(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C does not reach the engine: it gets the command `quit`
                )
                self._end = weakref.finalize(self, _kill_group, self._process)
                """Called by `kill`, or when this object is collected, or at exit."""
        except OSError as error:
            raise NobiError(f"The engine command {command!r} cannot be started: {error.strerror}.") from None
        self._stderr_lines: deque[str] = deque(maxlen=2)
        """The latest lines of standard error: the last line alone is often just a reference to the help."""
        threading.Thread(target=self._read_stdout, daemon=True).start()
        self._stderr_reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._stderr_reader.start()

    def check_protocol(self) -> None:
        """Check that the engine speaks GTP 2; if not, end it and raise a NobiError."""
        with contextlib.ExitStack() as failed:
            failed.callback(self.kill)  # also after Ctrl-C
            try:
                version = self.ask("protocol_version", max(START_SECONDS, self.seconds))
            except EngineError as error:
                hint = "; it may need an argument for that, as GNU Go needs --mode gtp" * (error.kind == "time-out")
                raise NobiError(f"The engine command {self.command!r} does not speak GTP: it {error}{hint}.") from None
            if version != "2":
                raise NobiError(f"The engine command {self.command!r} speaks version {version[:20]!r} of GTP, not 2.")
            failed.pop_all()

    def ask(self, command: str, seconds: float | None = None) -> str:
        """Return the answer to a command, without its sign; a failure raises an EngineError of the kind `refusal`."""
        sign, text = self._exchange(command, self.seconds if seconds is None else seconds)
        if sign == "?":
            reason = " ".join(text.split())[:_MAX_QUOTE] or "no reason given"
            raise EngineError("refusal", f"refused {command.split()[0]!r}: {reason}")
        return text

    def close(self) -> None:
        """Send `quit`, and kill the process if it does not end."""
        process = self._process
        try:
            with contextlib.suppress(OSError, ValueError):
                if process.stdin and process.poll() is None:
                    process.stdin.write(b"quit\n")
                    process.stdin.flush()
                    process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_QUIT_SECONDS)
        finally:  # also where Ctrl-C interrupts the wait
            self.kill()

    def kill(self) -> None:
        """Kill the process and its children: the command may be a script that runs the engine."""
        self._end()

    def _exchange(self, command: str, seconds: float) -> tuple[str, str]:
        """Return the sign, = or ?, and the text of an answer."""
        name = command.split()[0]
        self._check_silence(name)
        stdin = self._process.stdin
        try:
            if stdin is None:
                raise ValueError
            stdin.write(command.encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):
            raise self._crash(name) from None
        deadline = time.monotonic() + seconds
        lines: list[str] = []
        length = 0
        while True:
            try:
                raw = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._failure("time-out", f"gave no answer to {name!r} within {seconds:g} s") from None
            if raw is None:
                raise self._crash(name)
            length += len(raw)
            if length > _MAX_ANSWER_BYTES:
                raise self._failure("garbage", f"answered {name!r} without an end")
            line = _text(raw)
            if line.strip():
                if not lines and line[0] not in "=?":
                    raise self._failure("garbage", f"answered {name!r} with {line[:60]!r}, which is not a GTP answer")
                lines.append(line)
            elif lines:
                text = "\n".join(lines)
                return text[0], text[1:].strip()

    def _check_silence(self, name: str) -> None:
        """Raise an EngineError if there is output since the latest answer: it would be read as the next answer."""
        while True:
            try:
                raw = self._lines.get_nowait()
            except queue.Empty:
                return
            if raw is None:
                raise self._crash(name)
            if raw.strip():
                said = raw.decode("utf-8", "replace").strip()[:60]
                raise self._failure("garbage", f"wrote {said!r} before the command {name!r}")

    def _failure(self, kind: str, message: str) -> EngineError:
        self.kill()
        return EngineError(kind, message)

    def _crash(self, name: str) -> EngineError:
        try:
            code = self._process.wait(_QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            return self._failure("crash", f"closed its output at {name!r}")
        how = f"with the exit code {code}" if code >= 0 else f"by {_signal_name(-code)}"
        self._stderr_reader.join(_STDERR_SECONDS)  # a child process may keep the stream open
        said = " / ".join(self._stderr_lines)
        return EngineError("crash", f"ended at {name!r} {how}" + (f", saying {said!r}" if said else ""))

    def _read_stdout(self) -> None:
        stream = self._process.stdout
        if stream:
            while line := stream.readline(_MAX_ANSWER_BYTES + 1):
                self._lines.put(line)
        self._lines.put(None)

    def _read_stderr(self) -> None:
        """Read all of standard error, so that the engine never blocks on it, and keep the latest lines."""
        stream = self._process.stderr
        if stream:
            while line := stream.readline(_MAX_STDERR_LINE_BYTES):
                text = _text(line).strip()
                if any(letter.isalnum() for letter in text):
                    self._stderr_lines.append(text[:_MAX_QUOTE])


def start_engine(command: str, seconds: float) -> EngineProcess:
    """Start an engine and check that it speaks GTP 2; otherwise raise a NobiError."""
    engine = EngineProcess(command, seconds)
    engine.check_protocol()
    return engine


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a process group, and the group."""
    with defer_interrupts():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdin:
            with contextlib.suppress(OSError):
                process.stdin.close()


def _text(raw: bytes) -> str:
    """Return a line without its end and without control characters."""
    return _CONTROL.sub("", raw.decode("utf-8", "replace").rstrip("\n")).replace("\t", " ")


def _signal_name(number: int) -> str:
    """Return the name of a signal, such as `SIGSEGV (Segmentation fault)`."""
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:  # a real-time signal without a name
        return f"the signal {number}"


def find_program(name: str) -> str | None:
    """Return the path of an installed program; Debian installs engines in a folder that root does not search."""
    return shutil.which(name) or shutil.which(name, path="/usr/games")


def split_command(command: str) -> list[str]:
    """Return the program and its arguments, split as by a shell; no other syntax of shells is supported."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NobiError(f"The engine command {command!r} cannot be understood: {error}.") from None
    if not words:
        raise NobiError("The engine command is empty; write gtp:COMMAND, as in 'gtp:gnugo --mode gtp'.")
    program = find_program(words[0])
    if program is None:
        raise NobiError(f"There is no program {words[0]!r} to start as an engine.")
    return [program, *words[1:]]
