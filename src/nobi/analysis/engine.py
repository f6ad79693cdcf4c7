"""The analysis engine: lines of JSON in, lines of JSON out. Reading never waits for a search."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import nobi
from nobi.analysis.query import QueryError, read_query
from nobi.analysis.scheduler import Scheduler, TurnSearch
from nobi.analysis.settings import EngineSettings
from nobi.errors import NobiError
from nobi.games.base import Variant
from nobi.gtp.information import model_entry
from nobi.models.model import load_model
from nobi.search.policy import Policy, policy_from_model
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

_FEWEST_SEARCHES = 2
"""Minimum number of searches at once: an endless search must not block the others."""
_CHUNK = 2**16
"""Bytes per read."""
_WARM_UP = {
    "id": "",
    "boardXSize": 9,
    "boardYSize": 9,
    "rules": "chinese",
    "moves": [["B", "E5"]],
    "initialStones": [["B", "A1"]],
    "maxVisits": 20,
    "includeOwnership": True,
    "includeMovesOwnership": True,
    "includePolicy": True,
}


class AnalysisEngine:
    """Answers queries; answers are written by the threads that search."""

    def __init__(
        self,
        search: SearchSettings,
        settings: EngineSettings,
        output: BinaryIO,
        *,
        cores: int,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Create an engine whose searches have these settings.

        Args:
            search: the settings of each search; limits and threads are those of the queries and of `cores`.
            settings: defaults of queries, and the number of searches at once.
            output: receives the answers.
            cores: the number of cores that all searches share.
            log: receives tracebacks of internal errors.
        """
        self._output, self._lock = output, threading.Lock()
        self._settings = settings
        self._search = replace(search, reuse=False, threads=cores, rollouts=0, seconds=0.0, passing="friendly")
        self._policies: dict[int, Policy] = {}
        self._policy_lock = threading.Lock()
        self._log = log
        self._tasks = 0
        self.scheduler = Scheduler(settings.searches or max(_FEWEST_SEARCHES, cores), cores, log)
        self.stop = threading.Event()

    # --- answers ----------------------------------------------------------------------------------------------------

    def write(self, answer: dict[str, Any]) -> None:
        """Write an answer as a line of JSON."""
        line = json.dumps(answer, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"
        with self._lock:
            self._output.write(line.encode("ascii"))
            self._output.flush()

    def answer(self, line: bytes) -> None:
        """Answer a line, or begin the searches that it requests; an empty line has no effect."""
        if not line.strip():
            return
        try:
            given = _parse(line)
        except ValueError as error:
            self.write({"error": f"Could not parse input line as a JSON query: {error}"})
            return
        if not isinstance(given, dict):
            self.write({"error": "Input line was not a JSON object"})
        elif not isinstance(given.get("id"), str):
            self.write({"error": 'Request must have a string "id" field'})
        elif isinstance(given.get("action"), str):
            self._act(given)
        else:
            self._begin(given)

    def _begin(self, given: dict[str, Any]) -> None:
        try:
            query, warnings = read_query(given, self._settings.defaults)
        except QueryError as error:
            self.write({"error": str(error), "field": error.field, "id": given["id"]})
            return
        except (NobiError, ValueError, OverflowError) as error:
            self.write({"error": str(error), "id": given["id"]})
            return
        for field, text in warnings:
            self.write({"warning": text, "field": field, "id": query.id})
        first = self._tasks
        self._tasks += len(query.turns)
        tasks = [TurnSearch(query, turn, first + i, self._new_search, self.write) for i, turn in enumerate(query.turns)]
        self.scheduler.add(tasks)

    def _new_search(self, variant: Variant) -> Search:
        return Search(variant, self._search, policy=self._policy(variant))

    def _policy(self, variant: Variant) -> Policy | None:
        """Return the policy of the model for a board size; searches share it."""
        if not self._search.model:
            return None
        with self._policy_lock:
            if variant.size not in self._policies:
                found = policy_from_model(
                    load_model(self._search.model), variant, self._search.sharpness, self._search.threads
                )
                self._policies[variant.size] = found
            return self._policies[variant.size]

    # --- actions ----------------------------------------------------------------------------------------------------

    def _act(self, given: dict[str, Any]) -> None:
        match given["action"]:
            case "query_version":
                self.write(given | {"version": nobi.__version__, "git_hash": ""})
            case "query_models":
                models = [self._search.model] if self._search.model else []
                self.write(given | {"models": [model_entry(name) for name in models]})
            case "clear_cache":
                with self._policy_lock:
                    self._policies.clear()
                self.write(given)
            case "terminate":
                name = given.get("terminateId")
                if not isinstance(name, str):
                    self.write({"error": "Must be a string", "field": "terminateId", "id": given["id"]})
                else:
                    self._terminate(given, lambda task: task.query.id == name)
            case "terminate_all":
                self._terminate(given, lambda _: True)
            case _:
                self.write({"error": "'action' field must be 'query_version' or 'query_models' or 'clear_cache' or "
                            "'terminate' or 'terminate_all'"})  # fmt: skip

    def _terminate(self, given: dict[str, Any], matches: Callable[[TurnSearch], bool]) -> None:
        turns = given.get("turnNumbers")
        if turns is not None and not (
            isinstance(turns, list) and all(isinstance(turn, int) and not isinstance(turn, bool) for turn in turns)
        ):
            self.write({"error": "Must be a list of whole numbers", "field": "turnNumbers", "id": given["id"]})
            return
        wanted = None if turns is None else set(turns)

        def is_meant(task: TurnSearch) -> bool:
            return matches(task) and (wanted is None or task.turn in wanted)

        for task in self.scheduler.remove(is_meant):
            self.write(task.without_results())
        self.write(given)
        self.scheduler.stop(is_meant)

    # --- start and end ----------------------------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Answer a small query, so that everything is compiled before the first line is read."""
        query, _ = read_query(_WARM_UP, self._settings.defaults)
        task = TurnSearch(query, 1, 0, self._new_search, lambda _: None)
        while not task.step(2):
            pass

    def close(self) -> None:
        """Stop all searches."""
        self.stop.set()
        self.scheduler.close()


def serve(engine: AnalysisEngine, lines: BinaryIO, *, finish: bool = True) -> None:
    """Answer lines until the end of the input; then finish all queries or discard them.

    Args:
        engine: the engine.
        lines: the input.
        finish: whether queries that are not done at the end of the input are answered.
    """
    try:
        for line in _lines_of(lines):
            engine.answer(line)
            if engine.scheduler.is_broken:
                return
        if finish:
            engine.scheduler.wait(engine.stop)
    except BrokenPipeError:
        pass  # the client has closed the output
    finally:
        engine.close()


def _lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of an unbuffered stream; its own `readline` would read single bytes."""
    rest = b""
    while chunk := stream.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest


def _parse(line: bytes) -> Any:
    """Return the value of a line of JSON; raise a ValueError if it is invalid."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not allowed")

    try:
        return json.loads(line.decode("utf-8"), parse_constant=refuse)
    except RecursionError:
        raise ValueError("too deeply nested") from None
