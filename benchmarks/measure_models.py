"""Measure the shipped models and write src/nobi/models/results.json, the source of docs/models.md.

    python benchmarks/measure_models.py fitness atari-go-mdlstm …          against naive, 1,000 games on each board
    python benchmarks/measure_models.py accuracy go-main --data "KGS, dan players, 19x19=runs/data/kgs" …
    python benchmarks/measure_models.py match go-main --size 9 --games 100      against GNU Go 3.8 at level 10
    python benchmarks/measure_models.py match mcts --playouts 1000 --size 9     the search without a network
    python benchmarks/measure_models.py ladder mcts --game atari-go             steps of the search, relative to naive
    python benchmarks/measure_models.py ladder atari-go-mdlstm --game atari-go  the search with a network, the same
    python benchmarks/measure_models.py speed go-main                           milliseconds per move of the network
    python docs/make_models.py                                                  writes docs/models.md

Naive loses every game against a good search. In a ladder, searches with increasing numbers of playouts play their
neighbours, and a fit of ratings to all games gives the Elo difference of each to naive.

Matches of Go follow Chinese rules with komi 7.5; GNU Go also scores the games, colours alternate, repeated games are
excluded. A match limited by time (`--seconds`) needs an otherwise idle machine.
"""

import argparse
import hashlib
import json
import math
import subprocess
import sys
import time
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import nobi
from nobi.matches.folder import GameResult, without_repetitions
from nobi.models import RESULTS, shipped
from nobi.models.model import load_model
from nobi.statistics import Interval, bradley_terry, elo_difference, share_interval
from nobi.storage import atomic_write
from nobi.web.opponents import PLAYOUTS

SIZES = (7, 9, 11, 15, 19)
GNUGO = "gnugo --mode gtp --level 10 --chinese-rules --komi 7.5"
FEW_PLAYOUTS = (3, 10, 30)
"""Searches between naive and the weakest step of the page."""
GNUGO_TITLE = "GNU Go 3.8, level 10"


def rounded(interval: Interval) -> dict[str, float | None]:
    """An interval as JSON; None for numbers that are not finite."""
    return {key: round(value, 4) if math.isfinite(value) else None for key, value in asdict(interval).items()}


def load(name: str) -> dict[str, Any]:
    """The stored results of a model; of another file of the same name only the matches, marked as earlier ones."""
    stored: dict[str, Any] = json.loads(RESULTS.read_text()).get(name, {}) if RESULTS.exists() else {}
    if name in shipped():
        digest = hashlib.sha256(shipped()[name].read_bytes()).hexdigest()
        if stored.get("sha256") != digest:
            earlier = [match | {"earlier": True} for match in stored.get("matches", []) if "seconds" not in match]
            stored = {"sha256": digest, "boards": "5x5 to 25x25", "matches": earlier}
    return stored


def store(name: str, found: dict[str, Any]) -> None:
    """Write the results of a model, keeping those of the others."""
    everything = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    everything[name] = found
    atomic_write(RESULTS, (json.dumps(dict(sorted(everything.items())), indent=1) + "\n").encode())


def by_board(report: Any, games: int) -> dict[str, Any]:
    """The mean outcomes of a report as JSON."""
    return {f"{row.size}x{row.size}": rounded(row.fitness) | {"games": games} for row in report.sizes}


def fitness(name: str, games: int, seed: int) -> None:
    """The mean outcome against naive on every board, and the Elo difference."""
    found = load(name)
    report = nobi.transfer(shipped()[name], SIZES, games=games, seed=seed)
    found["fitness"] = by_board(report, games)
    training = load_model(shipped()[name]).provenance.get("training", {})
    if training.get("curriculum"):
        against = nobi.transfer(shipped()[name], SIZES, opponents=["heuristic"], games=games, seed=seed)
        found["fitness_heuristic"] = by_board(against, games)
    found["matches"] = []
    for row in report.sizes:
        points = (row.fitness.value + 1) / 2 * games
        found["matches"].append(
            {"board": row.size, "playouts": 0, "opponent": "naive", "games": games, "wins": round(points), "draws": 0}
            | {"win_rate": rounded(share_interval(points, games)), "elo": rounded(elo_difference(points, games))}
        )
    values = [row.fitness.value for row in report.sizes]
    found["summary"] = f"outcome against naive {values[0]:+.2f} on 7x7, {values[-1]:+.2f} on 19x19"
    store(name, found)


def accuracy(name: str, data: list[str], positions: int) -> None:
    """Fraction of positions in which the expert's move has the highest value, by collection, board and move number."""
    found = load(name)
    tables = found.setdefault("accuracy", {})
    for entry in data:
        title, _, folder = entry.partition("=")
        prediction = nobi.predict(shipped()[name], [folder], positions=positions)
        averaged = nobi.predict(shipped()[name], [folder], positions=positions, average=True)

        def row(metrics: Any) -> dict[str, Any]:
            return {"positions": metrics.positions, "games": metrics.games} | rounded(metrics.accuracy)

        tables[title] = row(prediction.all) | {
            "averaged": row(averaged.all),
            "by_move": {str(move): row(metrics) for move, metrics in prediction.by_move.items()},
            "by_size": {f"{size}x{size}": row(metrics) for size, metrics in prediction.by_size.items()},
        }
    parts = []
    for title, table in tables.items():
        source, board = title.split(",")[0], title.rsplit(" ", 1)[-1]
        if source == "KGS":
            parts.append(f"{100 * table['averaged']['value']:.1f} % of KGS moves")
        elif board == "9x9":
            parts.append(f"{100 * table['averaged']['value']:.1f} % on 9x9")
    found["summary"] = f"predicts {', '.join(parts)}"
    store(name, found)


def play(a: str, b: str, options: list[str], folder: Path) -> tuple[list[GameResult], int]:
    """The games of a match without repeated ones, and the number of repeated games; an existing folder is continued."""
    command = [sys.executable, "-m", "nobi", "match", a, b, *options, "--folder", str(folder), "--resume"]
    subprocess.run(command, check=True)  # noqa: S603
    return without_repetitions([GameResult(**json.loads(g)) for g in (folder / "games.jsonl").read_text().splitlines()])


def match(name: str, size: int, games: int, playouts: int, seconds: float, folder: Path, parallel: int) -> None:
    """Games against GNU Go. The folder allows an interrupted match to be continued."""
    limit = f"seconds={seconds:g},threads=2" if seconds else f"rollouts={playouts},seconds=0"
    network = name in shipped()
    player = f"mcts:{limit}" + (f",model={name}" if network else "") if playouts or seconds else name
    folder = folder / f"{name}-{size}-{f'{seconds:g}s' if seconds else playouts}"
    options = ["--game", "go:komi=7.5", "--size", str(size), "--games", str(games), "--referee", GNUGO]
    options += ["--timeout", "600", "--threads", "1" if seconds else str(parallel)]
    options += ["--random-moves", "0" if playouts or seconds else "2"]
    kept, repeated = play(player, f"gtp:{GNUGO}", options, folder)
    # a game that GNU Go lost by a crash or on time does not count
    valid = [game for game in kept if game.points(0) is not None and not (game.forfeit and game.forfeit[0] == 1)]
    points = [float(game.points(0) or 0) for game in valid]
    share = share_interval(sum(points), len(points))
    entry = {"board": size, "opponent": GNUGO_TITLE, "games": len(points), "wins": points.count(1.0)}
    entry |= {"draws": points.count(0.5), "void": len(kept) - len(valid), "repeated": repeated}
    entry |= {"seconds": seconds} if seconds else {"playouts": playouts}
    entry |= {"win_rate": rounded(share), "elo": rounded(elo_difference(sum(points), len(points)))}
    found = load(name)
    key = (size, entry.get("playouts"), entry.get("seconds"))
    others = [m for m in found.get("matches", []) if (m["board"], m.get("playouts"), m.get("seconds")) != key]
    found["matches"] = sorted([*others, entry], key=lambda m: (m["board"], m.get("seconds", 0), m.get("playouts", 0)))
    store(name, found)


def ladder(names: list[str], game: str, size: int, games: int, folder: Path, parallel: int) -> None:
    """The Elo difference to naive of the search with each number of playouts, without and with networks."""

    def search(playouts: int, name: str = "mcts") -> str:
        return f"mcts:rollouts={playouts},seconds=0" + (f",model={name}" if name != "mcts" else "")

    chain = ["naive", *map(search, (*FEW_PLAYOUTS, *PLAYOUTS))]
    pairs = [(a, b) for low, a in enumerate(chain) for b in chain[low + 1 : low + 3]]
    networks = [name for name in names if name != "mcts"]
    pairs += [(search(playouts), search(playouts, name)) for name in networks for playouts in PLAYOUTS]
    pairs += [(search(a), search(b, name)) for name in networks for a, b in pairwise(PLAYOUTS)]
    players = sorted({player for pair in pairs for player in pair})
    points = np.zeros((len(players), len(players)))
    for a, b in pairs:
        place = folder / f"ladder-{game}-{size}" / f"{a}+{b}".replace(":", "-")
        options = ["--game", game, "--size", str(size), "--games", str(games), "--threads", str(parallel)]
        kept, _ = play(a, b, [*options, "--random-moves", "2"], place)
        for player, other in ((0, 1), (1, 0)):
            won = sum(float(result.points(player) or 0) for result in kept)
            points[players.index((a, b)[player]), players.index((a, b)[other])] = won
    elo = bradley_terry(points, reference=players.index("naive")).elo
    for name in names:
        found = load(name)
        others = [m for m in found.get("ratings", []) if (m["game"], m["board"]) != (game, size)]
        found["ratings"] = others + [
            {"game": game, "board": size, "playouts": playouts, "opponent": "naive"}
            | {"games": int((points + points.T)[players.index(search(playouts, name))].sum())}
            | {"elo": rounded(elo[players.index(search(playouts, name))])}
            for playouts in PLAYOUTS
        ]
        store(name, found)


def speed(name: str) -> None:
    """The median time of a move of the network alone, one thread."""
    found = load(name)
    found["milliseconds"] = {}
    game = load_model(shipped()[name]).game
    for size in (9, 13, 19):
        position = nobi.game(game, size)
        bot = nobi.bot(name, position)
        bot.choose(position)
        times = []
        for _ in range(20):
            start = time.perf_counter()
            bot.choose(position)
            times.append(time.perf_counter() - start)
        found["milliseconds"][f"{size}x{size}"] = round(1000 * sorted(times)[len(times) // 2], 2)
    store(name, found)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fitness", "accuracy", "match", "ladder", "speed"])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--playouts", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--data", nargs="+", default=[])
    parser.add_argument("--positions", type=int, default=8000)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("runs/strength"))
    parser.add_argument("--game", default="atari-go")
    flags = parser.parse_args()
    if flags.what == "ladder":
        ladder(flags.names, flags.game, flags.size, flags.games or 100, flags.folder, flags.parallel)
        return
    for name in flags.names:
        if flags.what == "fitness":
            fitness(name, flags.games or 1000, flags.seed)
        elif flags.what == "accuracy":
            accuracy(name, flags.data, flags.positions)
        elif flags.what == "speed":
            speed(name)
        else:
            match(name, flags.size, flags.games or 100, flags.playouts, flags.seconds, flags.folder, flags.parallel)


if __name__ == "__main__":
    main()
