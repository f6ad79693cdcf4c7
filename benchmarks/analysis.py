"""Latency and speed of `nobi analysis`, compared with the search alone.

    python benchmarks/analysis.py [--size 19] [--queries 50] [--threads 1] [PLAYER]

Prints the time from a query to its answer with one visit, the time from a query to its first report (requested after
1 ms), the visits per second of one long query, and the playouts per second of the same search without the protocol, as
`nobi bench` measures them.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from typing import Any

from nobi.games import variant
from nobi.players.mcts import MctsPlayer
from nobi.search.search import Search
from nobi.search.settings import SearchSettings


class Engine:
    """The process."""

    def __init__(self, player: str, threads: int) -> None:
        command = [sys.executable, "-m", "nobi", "analysis", player, "--threads", str(threads)]
        self._process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.ask({"id": "", "action": "query_version"})

    def send(self, query: dict[str, Any]) -> None:
        """Send a query."""
        assert self._process.stdin  # noqa: S101
        self._process.stdin.write(json.dumps(query).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next answer."""
        assert self._process.stdout  # noqa: S101
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def ask(self, query: dict[str, Any]) -> dict[str, Any]:
        """The first answer to a query."""
        self.send(query)
        return self.receive()

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.wait()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="?", default="mcts")
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    engine = Engine(options.player, options.threads)
    base = {"rules": "chinese", "boardXSize": options.size, "boardYSize": options.size, "moves": [["B", "C3"]]}
    answers, reports = [], []
    for i in range(options.queries):
        start = time.perf_counter()
        engine.ask({**base, "id": f"{i}", "maxVisits": 1})
        answers.append(time.perf_counter() - start)
        start = time.perf_counter()
        engine.ask({**base, "id": f"r{i}", "maxVisits": 10**7, "firstReportDuringSearchAfter": 0.001})
        reports.append(time.perf_counter() - start)
        engine.send({"id": "t", "action": "terminate_all"})
        while "rootInfo" not in engine.receive():
            pass
    timed = {"maxVisits": 10**9, "overrideSettings": {"maxTime": 5}, "includeOwnership": True}
    visits = engine.ask({**base, **timed, "id": "long"})["rootInfo"]["visits"]
    engine.close()
    print(f"{options.player}, {options.size}x{options.size}, {options.threads} threads; medians of {options.queries}:")
    print(f"from a query to its answer with one visit: {1000 * statistics.median(answers):.1f} ms")
    print(f"from a query to its first report: {1000 * statistics.median(reports):.1f} ms")
    print(f"visits per second: {visits / 5:,.0f}")
    settings: SearchSettings = MctsPlayer.parse_settings(f"{options.player}")
    where = variant("go", options.size)
    search = Search(where, settings)
    game = where.new()
    game.play("C3")
    search.set_game(game)
    print(f"playouts per second of the search alone, one thread: {search.run(0, 5.0) / 5:,.0f}")
    search.close()


if __name__ == "__main__":
    main()
