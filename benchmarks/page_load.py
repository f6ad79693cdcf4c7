"""Response time of the page with 50 simultaneous visitors: `python benchmarks/page_load.py [VISITORS] [MOVES]`.

Starts `nobi play` in a separate process. Every visitor is a web socket that plays Atari-Go on 9x9 against the naive
player: it clicks a point, waits until the board shows the answer, thinks for one to two seconds, and clicks again. The
time from the click to the answer is measured, in milliseconds.
"""

import asyncio
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import socketio

SIZE = 9
WAIT = 60.0
"""Seconds after which an answer counts as missing."""
ARRIVAL = 0.5
"""Seconds between the arrivals of two visitors; each stays until all have arrived."""


def empty_port() -> int:
    """An unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def cpu_seconds(process: int) -> float:
    """The processor time that a process has used, on Linux; 0 elsewhere."""
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return 0.0
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


class Visitor:
    """One visitor, without a browser."""

    def __init__(self, url: str, seed: int) -> None:
        self.url = url
        self.rng = random.Random(seed)  # noqa: S311
        self.times: list[float] = []
        self.arrived = asyncio.Event()
        self._socket = socketio.AsyncClient(request_timeout=WAIT)
        self._changed = asyncio.Event()
        self._board: dict[str, Any] = {}
        self._stones = ""

    async def play(self, moves: int, everybody: asyncio.Event) -> None:
        """Connect, wait until all visitors are connected, play and disconnect."""
        async with httpx.AsyncClient(timeout=WAIT) as client:
            page = await client.get(f"{self.url}/?game=atari-go&size={SIZE}&opponent=naive")
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        found = re.search(r'client_id["\']?\s*:\s*["\']([0-9a-f-]{36})', page.text)
        if not found:
            raise RuntimeError("the page has no client id")
        self._socket.on("update", self._update)
        query = f"implicit_handshake=true&client_id={found[1]}&tab_id={uuid.uuid4()}&document_id={uuid.uuid4()}"
        await self._socket.connect(
            f"{self.url}/?{query}&next_message_id=0",
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
            wait_timeout=WAIT,
            headers={"Cookie": cookie},
        )
        await self._until(lambda: bool(self._stones))
        self.arrived.set()
        await everybody.wait()
        for _ in range(moves):
            await asyncio.sleep(1 + self.rng.random())
            if self._board["over"]:
                break
            await self._move(found[1])
        await self._socket.disconnect()

    async def _move(self, client: str) -> None:
        before = self._stones
        empty = [i for i, stone in enumerate(before) if stone == "."]
        cell = self.rng.choice(empty)
        event = {
            "id": self._board["id"],
            "client_id": client,
            "listener_id": self._board["listener"],
            "args": [json.dumps({"cell": cell})],
        }
        start = time.perf_counter()
        await self._socket.emit("event", event)
        await self._until(lambda: self._answered(before))
        self.times.append(1000 * (time.perf_counter() - start))

    def _answered(self, before: str) -> bool:
        """Whether the board shows both the click and the answer, or the end of the game."""
        stones = sum(stone != "." for stone in self._stones) - sum(stone != "." for stone in before)
        return stones >= 2 or bool(self._board["over"])

    async def _update(self, message: dict[str, Any]) -> None:
        for key, element in message.items():
            props = element.get("props", {}) if isinstance(element, dict) else {}
            if "stones" in props and "forbidden" in props:
                listener = next(one["listener_id"] for one in element["events"] if one["type"] == "play")
                self._board = {"id": int(key), "listener": listener, "over": "game over" in props["label"]}
                self._stones = props["stones"]
                self._changed.set()

    async def _until(self, condition: Any) -> None:
        while not condition():
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), WAIT)


async def load(
    url: str, visitors: int, moves: int, begin: Callable[[], None] = lambda: None
) -> tuple[list[float], list[BaseException]]:
    """The times of all answers, and the errors; `begin` is called when all visitors are connected."""
    all_of_them = [Visitor(url, seed) for seed in range(visitors)]

    async def come(visitor: Visitor, number: int) -> None:
        await asyncio.sleep(ARRIVAL * number)
        try:
            await visitor.play(moves, everybody)
        finally:
            visitor.arrived.set()

    async def announce() -> None:
        for one in all_of_them:
            await one.arrived.wait()
        begin()
        everybody.set()

    everybody = asyncio.Event()
    coming = (come(one, i) for i, one in enumerate(all_of_them))
    results = await asyncio.gather(announce(), *coming, return_exceptions=True)
    return [ms for one in all_of_them for ms in one.times], [fault for fault in results if fault is not None]


def main() -> None:
    """Serve the page, measure, and print one JSON document."""
    visitors, moves = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 50), (2, 6)))
    port = empty_port()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command = [sys.executable, "-m", "nobi", "play", "--no-browser", "--port", str(port), "--runs", folder]
        with log.open("w") as out:
            process = subprocess.Popen(command, stderr=out, env=os.environ | {"XDG_DATA_HOME": folder})  # noqa: S603
        try:
            while "nobi is running at" not in log.read_text():
                if process.poll() is not None:
                    raise SystemExit(log.read_text())
                time.sleep(0.2)
            asyncio.run(load(f"http://127.0.0.1:{port}", 2, 2))  # compiles missing code
            start: list[float] = []

            def begin() -> None:
                start.extend((time.perf_counter(), cpu_seconds(process.pid)))

            times, faults = asyncio.run(load(f"http://127.0.0.1:{port}", visitors, moves, begin))
            seconds, cpu = time.perf_counter() - start[0], cpu_seconds(process.pid) - start[1]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    if faults:
        print(f"{len(faults)} visitors failed: {faults[0]!r}", file=sys.stderr)
    ordered = sorted(times)
    document = {
        "visitors": visitors,
        "answers": len(times),
        "failed": len(faults),
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(ordered[int(0.95 * len(ordered))], 1),
        "server_cpu": round(cpu / seconds, 3),
        "server_cpu_ms_per_answer": round(1000 * cpu / max(1, len(times)), 1),
        "load": [round(value, 1) for value in os.getloadavg()],
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
