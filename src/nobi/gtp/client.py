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

from nobi.errors import NobiError

START_SECONDS = 60.0
"""How long a program may take to answer the first command: some load a large network."""
_QUIT_SECONDS = 2.0
_LONGEST_ANSWER = 1_000_000
"""Bytes. A program that says more in one answer says nothing sensible."""
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
        self._process = subprocess.Popen(  # noqa: S603
            _words(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is ours: the engine is told to quit
        )
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, command: str, seconds: float | None = None) -> str:
        """The answer to a command, without the sign in front; a refusal is a fault of that kind."""
        sign, text = self._exchange(command, self.seconds if seconds is None else seconds)
        if sign == "?":
            raise EngineError("refusal", f"refused {command.split()[0]!r}: {text or 'no reason given'}")
        return text

    def knows(self, command: str) -> bool:
        """Whether it has this command."""
        try:
            return self.ask(f"known_command {command}").strip().lower() == "true"
        except EngineError as fault:
            if fault.kind == "refusal":
                return False
            raise

    def close(self) -> None:
        """Asks it to quit, and makes it if it does not."""
        process = self._process
        with contextlib.suppress(OSError, ValueError):
            if process.stdin and process.poll() is None:
                process.stdin.write(b"quit\n")
                process.stdin.flush()
                process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_QUIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Ends it at once, and what it has started: a command may be a script that runs the engine."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # it leads a group of its own
        self._process.wait()
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

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
            line = _CONTROL.sub("", raw.decode("utf-8", "replace").rstrip("\n")).replace("\t", " ")
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
        return EngineError("crash", f"ended at {name!r} with the exit code {code}")

    def _read(self) -> None:
        stream = self._process.stdout
        if stream:
            while line := stream.readline(_LONGEST_ANSWER + 1):
                self._waiting.put(line)
        self._waiting.put(None)


def start_engine(command: str, seconds: float) -> EngineProcess:
    """Starts a program and makes sure that it speaks GTP 2; a NobiError says what is wrong with the command."""
    try:
        engine = EngineProcess(command, seconds)
    except OSError as fault:
        raise NobiError(f"The engine command {command!r} cannot be started: {fault.strerror}.") from None
    try:
        engine.ask("protocol_version", max(START_SECONDS, seconds))
    except EngineError as fault:
        engine.kill()
        raise NobiError(f"The engine command {command!r} does not speak GTP: it {fault}.") from None
    return engine


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
