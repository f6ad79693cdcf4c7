"""Two ways to compile one loop for many games: `specialise`, and Numba's `overload` on the class of the state.

    python benchmarks/dispatch.py

The same templates, `_play_fused` of the arena and `_search` of the tree search, are compiled for Go on 9x9 both ways.
Each row is measured in fresh processes, alternately: the first with an empty cache of compiled code (*cold*), the
others with the cache of the first (*warm*). `docs/compiling.md` has the results.
"""

# ruff: noqa: ARG001  the arguments of overloads are types

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any

REPEATS = 3
SECONDS = 2.0


def overloads() -> dict[str, Callable[..., Any]]:
    """Return generic functions that Numba resolves for Go by the class of the state."""
    from numba.extending import overload

    from nobi.games.go import Go, GoBoards
    from nobi.players.random import PlayoutPlayer
    from nobi.search.playout import hooks_of

    rules, hooks, draw = Go.rules, hooks_of(Go), PlayoutPlayer.chooser(Go)
    rules_clear, rules_play, hooks_advance, hooks_finish = rules.clear, rules.play, hooks.advance, hooks.finish

    def clear(boards, g): ...  # type: ignore[no-untyped-def]

    def play(boards, g, move): ...  # type: ignore[no-untyped-def]

    def choose(boards, g, streams, workspace): ...  # type: ignore[no-untyped-def]

    def advance(position, move): ...  # type: ignore[no-untyped-def]

    def finish(position, workspace, params): ...  # type: ignore[no-untyped-def]

    def is_go(boards: Any) -> bool:
        return boards.instance_class is GoBoards

    def boards_of(position: Any) -> Any:
        return position.types[position.fields.index("boards")]

    @overload(clear, inline="always")
    def _(boards, g):  # type: ignore[no-untyped-def]
        return (lambda boards, g: rules_clear(boards, g)) if is_go(boards) else None

    @overload(play, inline="always")
    def _(boards, g, move):  # type: ignore[no-untyped-def]
        return (lambda boards, g, move: rules_play(boards, g, move)) if is_go(boards) else None

    @overload(choose, inline="always")
    def _(boards, g, streams, workspace):  # type: ignore[no-untyped-def]
        return (lambda boards, g, streams, workspace: draw(boards, g, streams, workspace)) if is_go(boards) else None

    @overload(advance, inline="always")
    def _(position, move):  # type: ignore[no-untyped-def]
        return (lambda position, move: hooks_advance(position, move)) if is_go(boards_of(position)) else None

    @overload(finish, inline="always")
    def _(position, workspace, params):  # type: ignore[no-untyped-def]
        found = is_go(boards_of(position))
        return (lambda position, workspace, params: hooks_finish(position, workspace, params)) if found else None

    return {"clear": clear, "play": play, "choose": choose, "advance": advance, "finish": finish}


def with_names(template: Callable[..., Any], names: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Compile a template with these global names, without `specialise`: generic functions have no stable `repr`."""
    from nobi.compile_cache import depends_on
    from nobi.compiling import _compile

    copied = FunctionType(template.__code__, {**template.__globals__, **names}, template.__name__)
    copied.__qualname__ = f"{template.__qualname__}_overload"
    copied.__module__ = template.__module__
    depends_on(copied, [template])
    return _compile(copied)


def measure_playouts(way: str) -> tuple[float, float]:
    """Return the seconds until the first random game of Go is over, and games per second."""
    import numpy as np

    from nobi.arena.play import _play_fused, fused_loop
    from nobi.games import variant
    from nobi.games.go import Go
    from nobi.players.random import PlayoutPlayer

    start = time.perf_counter()
    if way == "specialise":
        loop = fused_loop(Go, PlayoutPlayer, PlayoutPlayer)
    else:
        found = overloads()
        bindings = {"clear": found["clear"], "play": found["play"]}
        bindings |= {"choose_a": found["choose"], "choose_b": found["choose"]}
        loop = with_names(_play_fused, bindings)
    boards, streams = variant("go", 9).allocate(1), np.zeros(1, np.uint64)

    def play(games: int) -> None:
        results = np.zeros(games, np.int8), np.zeros(games, np.int32), np.zeros((games, 0), np.uint16)
        loop(boards, streams, 0, 0, 0, (), (), *results)

    play(1)
    ready = time.perf_counter() - start
    games, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        play(1000)
        games += 1000
    return ready, games / (time.perf_counter() - start)


def measure_search(way: str) -> tuple[float, float]:
    """Return the seconds until the first search of Go is over, and playouts per second from the empty board."""
    from nobi.games import variant
    from nobi.games.go import Go
    from nobi.search.playout import _search, searcher_of
    from nobi.search.search import Search

    start = time.perf_counter()
    game = variant("go", 9)
    search = Search(game)
    if way == "overload":
        found = overloads()
        expand = searcher_of(Go).py_func.__globals__["expand"]  # type: ignore[attr-defined]
        bindings = {"expand": expand, "advance": found["advance"], "finish": found["finish"]}
        search._loop = with_names(_search, bindings)
    search.set_game(game.new())
    search.run(10)
    ready = time.perf_counter() - start
    search.reset()
    search.set_game(game.new())
    start = time.perf_counter()
    search.run(round(SECONDS * 20_000))
    return ready, SECONDS * 20_000 / (time.perf_counter() - start)


MEASUREMENTS = {"playouts of Go": measure_playouts, "search of Go": measure_search}


def main() -> None:
    """Measure everything in processes of their own and print a table."""
    if len(sys.argv) > 1:
        what, way = sys.argv[1:]
        print(json.dumps(MEASUREMENTS[what](way)))
        return
    print(f"{'':<16}{'':<12}{'cold, s':>9}{'warm, s':>9}{'per second':>12}")
    for what in MEASUREMENTS:
        folders = {way: tempfile.mkdtemp(prefix="nobi-dispatch-") for way in ("specialise", "overload")}
        found: dict[str, list[tuple[float, float]]] = {way: [] for way in folders}
        for _ in range(1 + REPEATS):
            for way, folder in folders.items():
                command = [sys.executable, __file__, what, way]
                environment = os.environ | {"NOBI_CACHE_DIR": folder}
                done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)  # noqa: S603
                found[way].append(tuple(json.loads(done.stdout)))
        for way, ((cold, _), *others) in found.items():
            warm, rate = (statistics.median(column) for column in zip(*others, strict=True))
            print(f"{what:<16}{way:<12}{cold:>9.1f}{warm:>9.2f}{rate:>12,.0f}", flush=True)


if __name__ == "__main__":
    main()
