"""The expected score of the search compared with GNU Go's `estimate_score`, in finished and half-finished games.

    python benchmarks/compare_estimates.py DATASET [--size 9] [--positions 200] [--playouts 1000] [--model go-main]

Half of the positions are the last ones of their games, the other half are those after half of the moves. Positions for
which GNU Go needs more than 20 s, or which it rejects, are skipped. Prints the
correlation, the mean difference (ours minus GNU Go's, for Black) and the mean absolute difference of each kind and of
all. docs/gtp.md quotes the result.
"""

import argparse
from pathlib import Path
from typing import cast

import numpy as np

from nobi.analysis.position import new_position, play_tolerantly
from nobi.board.stones import BLACK, PASS, WHITE, board_points
from nobi.board.text import vertex_name
from nobi.games import variant
from nobi.games.go import Go
from nobi.gtp.process import EngineError, EngineProcess, start_engine
from nobi.records.collection import PASS_CODE, WHITE_BIT
from nobi.records.dataset import Dataset
from nobi.search.search import Search
from nobi.search.settings import SearchSettings

_SECONDS = 20.0
"""The time limit of an answer."""


def moves_of(dataset: Dataset, size: int, count: int) -> list[list[tuple[int, int]]]:
    """The moves (colour, move) of scored games without set-up stones."""
    games = dataset.collection("test", size)
    points = board_points(size)
    found = []
    for game in range(len(games.size)):
        codes = games.moves[games.start[game] : games.start[game + 1]]
        if games.setup_start[game] != games.setup_start[game + 1] or len(codes) < size * size // 2:
            continue
        cells = [int(code & PASS_CODE) for code in codes]
        if cells[-1] != PASS_CODE:  # the game was resigned
            continue
        colours = [WHITE if code & WHITE_BIT else BLACK for code in codes]
        moves = [PASS if cell == PASS_CODE else int(points[cell]) for cell in cells]
        found.append(list(zip(colours, moves, strict=True)))
        if len(found) == count:
            break
    return found


def estimate(engine: EngineProcess, moves: list[tuple[int, int]], size: int) -> float:
    """GNU Go's estimate for Black."""
    for line in (f"boardsize {size}", "clear_board", "komi 7.5"):
        engine.ask(line)
    for colour, move in moves:
        engine.ask(f"play {'b' if colour == BLACK else 'w'} {vertex_name(move, size)}")
    answer = engine.ask("estimate_score").split()[0]
    return 0.0 if answer == "0" else float(answer[2:]) * (1 if answer[0] == "B" else -1)


def lead(search: Search, moves: list[tuple[int, int]], playouts: int) -> float:
    """The search's expected score for Black."""
    game = new_position(search.variant, [], BLACK)
    for colour, move in moves:
        play_tolerantly(cast(Go, game), colour, move)
    search.clear()
    search.set_game(game)
    search.run(playouts)
    score = search.report().score
    return 0.0 if score is None else score.lead * (1 if game.to_move == BLACK else -1)


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--playouts", type=int, default=1000)
    parser.add_argument("--model", default="")
    parser.add_argument("--engine", default="gnugo --mode gtp --level 10 --chinese-rules --seed 1")
    options = parser.parse_args()
    engine = start_engine(options.engine, _SECONDS)
    where = variant("go:komi=7.5,ko=simple,scoring=area", options.size)
    search = Search(where, SearchSettings(model=options.model, mode="synchronous", reuse=False))
    rows: list[tuple[bool, float, float]] = []
    skipped = 0
    for moves in moves_of(Dataset.open(options.dataset), options.size, 2 * options.positions):
        finished = len(rows) % 2 == 0
        part = moves if finished else moves[: len(moves) // 2]
        try:
            theirs = estimate(engine, part, options.size)
        except EngineError:
            skipped += 1
            engine.close()
            engine = start_engine(options.engine, _SECONDS)
            continue
        rows.append((finished, lead(search, part, options.playouts), theirs))
        if len(rows) == options.positions:
            break
    print(f"{skipped} positions skipped")
    engine.close()
    search.close()
    table = np.array(rows, np.float64)
    for name, chosen in (("finished", table[:, 0] == 1), ("half", table[:, 0] == 0), ("all", table[:, 0] >= 0)):
        ours, others = table[chosen, 1], table[chosen, 2]
        print(
            f"{name}: {len(ours)} positions, correlation {np.corrcoef(ours, others)[0, 1]:.3f}, mean difference "
            f"{np.mean(ours - others):+.2f}, mean absolute difference {np.mean(np.abs(ours - others)):.2f}, median "
            f"{np.median(np.abs(ours - others)):.2f}"
        )


if __name__ == "__main__":
    main()
