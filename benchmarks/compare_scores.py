"""Our final score compared with GNU Go's, on finished games that GNU Go plays against itself.

    python benchmarks/compare_scores.py --games 100 --size 9 --rules chinese

Prints how often the scores agree, and for every game in which they do not, both scores and the stones that only one of
the two programs considers dead. docs/gtp.md quotes the result. With --out, the games and GNU Go's scores are appended
to a file, one line per game; tests/data/gnugo_scores.txt, used by the tests, contains 100 games for each rule set.
"""

import argparse
import random
from pathlib import Path

from nobi.board.text import COLUMNS, point_named, vertex_name
from nobi.errors import NobiError
from nobi.games import variant
from nobi.games.go import Go
from nobi.gtp.process import EngineProcess, start_engine
from nobi.players.scoring import dead_stones

SCORING = {"chinese": "area", "japanese": "territory"}


def self_play(engine: EngineProcess, size: int, seed: int) -> list[str]:
    """The moves of a game of the engine against itself, after four random ones, up to two passes."""
    for line in (f"boardsize {size}", "clear_board", "komi 7.5"):
        engine.ask(line)
    points = [f"{column}{row}" for column in COLUMNS[:size] for row in range(1, size + 1)]
    moves = random.Random(seed).sample(points, 4)  # noqa: S311
    for i, move in enumerate(moves):
        engine.ask(f"play {'bw'[i % 2]} {move}")
    while moves[-2:] != ["PASS", "PASS"]:
        moves.append(engine.ask(f"genmove {'bw'[len(moves) % 2]}"))
    return moves


def main() -> None:
    """Plays, counts and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--rules", choices=list(SCORING), default="chinese")
    parser.add_argument("--out", type=Path, help="add the games to this file")
    parser.add_argument("--engine", default="gnugo --mode gtp --level 1 --never-resign")
    options = parser.parse_args()
    engine = start_engine(f"{options.engine} --{options.rules}-rules --seed 1", 60)
    where = variant(f"go:komi=7.5,ko=simple,scoring={SCORING[options.rules]}", options.size)
    agree = 0
    for number in range(options.games):
        game = where.new()
        assert isinstance(game, Go)  # noqa: S101
        moves = self_play(engine, options.size, number)
        try:
            for move in moves:
                game.play(move)
        except NobiError as fault:  # GNU Go allows a move that our simple ko forbids, or the reverse
            print(f"game {number}: {fault}")
            continue
        dead = set(dead_stones(game))
        ours, theirs = game.score(dead), engine.ask("final_score").replace(".0", "")
        if options.out:
            with options.out.open("a") as file:
                file.write(f"{options.rules} {theirs} {' '.join(moves)}\n")
        if ours == theirs:
            agree += 1
            continue
        told = {point_named(name, options.size) for name in engine.ask("final_status_list dead").split()}
        names = {"only ours": dead - told, "only theirs": told - dead}
        stones = {key: sorted(vertex_name(point, options.size) for point in points) for key, points in names.items()}
        print(f"game {number}: ours {ours}, theirs {theirs}; dead {stones}\n{game}")
    print(f"{agree} of {options.games} scores agree ({options.size}x{options.size}, {options.rules} rules).")
    engine.close()


if __name__ == "__main__":
    main()
