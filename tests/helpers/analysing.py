"""An analysis engine inside the tests, and as a process."""

import io
import json
import queue
import subprocess
import sys
import threading
import time

from nobi.analysis.engine import AnalysisEngine, serve
from nobi.analysis.settings import EngineSettings
from nobi.search.settings import SearchSettings

BASE = {"rules": "chinese", "boardXSize": 9, "boardYSize": 9, "moves": [], "maxVisits": 20}


def answers(*queries, searches=1, settings=None, finish=True, search=None):
    """All answers to queries, given as objects or as lines of bytes."""
    out = io.BytesIO()
    settings = settings or EngineSettings(searches=searches)
    engine = AnalysisEngine(search or SearchSettings(memory=8), settings, out, cores=1)
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in queries]
    serve(engine, io.BytesIO(b"\n".join(lines)), finish=finish)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def answer(**fields):
    """The only answer to a query with these fields besides the defaults; None removes a field."""
    query = {key: value for key, value in {"id": "q", **BASE, **fields}.items() if value is not None}
    [found] = answers(query)
    return found


class Process:
    """`nobi analysis` as a program; `send` and `receive` are objects."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "nobi", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self._lines = queue.Queue()
        self.errors = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.decode().rstrip())

    def wait_for_error(self, text, seconds=300):
        deadline = time.monotonic() + seconds
        while not any(text in line for line in self.errors):
            assert self.process.poll() is None, self.errors
            assert time.monotonic() < deadline, self.errors
            time.sleep(0.02)

    def send(self, *queries):
        self.process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in queries))

    def line(self, seconds=300):
        """The next line of the output; empty at its end."""
        return self._lines.get(timeout=seconds)

    def receive(self, seconds=300):
        return json.loads(self.line(seconds))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
