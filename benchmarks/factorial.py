"""Many settings of a search at once: games between players whose settings are drawn at random.

    python benchmarks/factorial.py mcts:rollouts=250,passing=strict nakade=0,0.8 self_atari=0,3 ordered=false,true \
        --pairs 500 --out trials.jsonl

Every setting has two values. For every pair of games both players draw one value of each setting; the two games have
the same opening of two random moves and exchanged colours. A linear regression of the points on the differences of the
settings then estimates the Elo gain of every second value over the first, while the other settings vary as well.
With n settings, every game contributes to all n estimates, so that this costs a fraction of n separate tests; effects
of combinations are not distinguished. Test promising values separately with `nobi tune` afterwards.

Pairs are appended to --out, and existing pairs are not played again. Without --pairs the file is analysed.
"""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from nobi.board.stones import BLACK, WHITE
from nobi.games import variant
from nobi.games.base import Variant
from nobi.matches.openings import random_opening
from nobi.players import make_bot
from nobi.players.base import RESIGN

ELO_PER_SHARE = 1600 / math.log(10)
"""The derivative of the Elo difference with respect to the share of points, at one half."""


def play(specs: tuple[str, str], on: Variant, opening: int, seed: int) -> float:
    """Black's points in one game between two bots."""
    game = random_opening(on, 2, seed, opening).begin(on)
    bots = {colour: make_bot(spec, on, seed, 2 * opening) for colour, spec in zip((BLACK, WHITE), specs, strict=True)}
    while not game.is_over:
        move = bots[game.to_move].choose(game)
        if move == RESIGN:
            return float(game.to_move == WHITE)
        game.play(move)
    for bot in bots.values():
        bot.close()
    return 1.0 if game.outcome == BLACK else 0.0 if game.outcome == WHITE else 0.5


def play_pair(base: str, factors: list[tuple[str, list[str]]], on: Variant, number: int, seed: int) -> dict[str, Any]:
    """The settings of two players and the points of the first in two games."""
    drawn = np.random.default_rng([seed, number]).integers(2, size=(2, len(factors)))
    separator = "," if ":" in base else ":"
    specs = [
        base + separator + ",".join(f"{name}={values[k]}" for (name, values), k in zip(factors, row, strict=True))
        for row in drawn
    ]
    points = play((specs[0], specs[1]), on, number, seed) + 1 - play((specs[1], specs[0]), on, number, seed)
    return {"pair": number, "first": drawn[0].tolist(), "second": drawn[1].tolist(), "points": points}


def report(factors: list[tuple[str, list[str]]], pairs: list[dict[str, Any]]) -> None:
    """Print the estimates with their 95 % intervals."""
    x = np.array([np.subtract(pair["first"], pair["second"]) for pair in pairs], float)
    y = np.array([pair["points"] / 2 - 0.5 for pair in pairs])
    inverse = np.linalg.pinv(x.T @ x)
    effects = inverse @ x.T @ y
    residuals = y - x @ effects
    covariance = inverse @ (x.T * residuals**2) @ x @ inverse  # consistent for unequal variances
    print(f"{2 * len(pairs)} games")
    for (name, values), effect, variance in zip(factors, effects, covariance.diagonal(), strict=True):
        elo, width = ELO_PER_SHARE * effect, 1.96 * ELO_PER_SHARE * math.sqrt(variance)
        print(f"{name:20}{values[0]:>8} -> {values[1]:8}{elo:+6.0f} Elo ({elo - width:+.0f} to {elo + width:+.0f})")


def main() -> None:
    """Play the missing pairs and print the estimates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player")
    parser.add_argument("factors", nargs="+", metavar="NAME=FIRST,SECOND")
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    factors = [(text.split("=")[0], text.split("=")[1].split(",")) for text in options.factors]
    done = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    on = variant("go:komi=7.5", options.size)
    for number in range(len(done), options.pairs):
        done.append(play_pair(options.player, factors, on, number, options.seed))
        with options.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(done[-1]) + "\n")
        if len(done) % 50 == 0:
            report(factors, done)
    report(factors, done)


if __name__ == "__main__":
    main()
