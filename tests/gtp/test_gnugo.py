"""Our count compared with GNU Go's, and a game between the two engines."""

import random
import subprocess
import sys

import pytest

from helpers.conversation import Talk
from helpers.engines import gnugo
from nobi.gtp.process import start_engine

GAMES = 20
MAY_DIFFER = 2
"""Random playouts misjudge positions that need reading; docs/gtp.md states how often."""


def self_play(engine, size, seed):
    """A game of GNU Go against itself after four random moves, up to two passes."""
    rng = random.Random(seed)
    engine.ask(f"boardsize {size}")
    engine.ask("clear_board")
    engine.ask("komi 7.5")
    columns = "ABCDEFGHJ"[:size]
    points = [f"{column}{row}" for column in columns for row in range(1, size + 1)]
    moves = rng.sample(points, 4)
    colours = "bwbw"
    for colour, move in zip(colours, moves, strict=True):
        engine.ask(f"play {colour} {move}")
    while moves[-2:] != ["PASS", "PASS"]:
        moves.append(engine.ask(f"genmove {'bw'[len(moves) % 2]}"))
    return moves


@pytest.mark.parametrize(("rules", "flag"), [("chinese", "--chinese-rules"), ("japanese", "--japanese-rules")])
def test_final_score_agrees_with_gnugo(rules, flag):
    engine = start_engine(f"{gnugo()} --mode gtp --level 0 --never-resign {flag} --seed 1", 60)
    talk = Talk(size=7)
    different = []
    for seed in range(GAMES // 2):
        moves = self_play(engine, 7, seed)
        talk.ask("clear_board", f"kata-set-rules {rules}", "komi 7.5")
        for i, move in enumerate(moves):
            talk.ask(f"play {'bw'[i % 2]} {move}")
        ours, theirs = talk.ask("final_score"), engine.ask("final_score").replace(".0", "")
        if ours != theirs:
            different.append((seed, ours, theirs))
    engine.close()
    assert len(different) <= MAY_DIFFER // 2, different


@pytest.mark.parametrize(("player", "size"), [("playout", 9), ("playout", 13), ("mcts:rollouts=500,resign=0", 7)])
def test_two_engines_play_a_game_as_in_twogtp(player, size):
    """Each receives the other's moves; both agree on the stones at every tenth move and at the end."""
    ours = start_engine(f"{sys.executable} -m nobi gtp {player} --size {size}", 240)
    theirs = start_engine(f"{gnugo()} --mode gtp --level 0 --chinese-rules --never-resign --seed 1", 60)
    try:
        for engine in (ours, theirs):
            for line in (f"boardsize {size}", "clear_board", "komi 7.5", "time_settings 0 1 0"):
                engine.ask(line)
        passes, moves = 0, 0
        while passes < 2 and moves < 60:
            mover, other, colour = (ours, theirs, "b") if moves % 2 == 0 else (theirs, ours, "w")
            move = mover.ask(f"genmove {colour}")
            assert move.lower() != "resign"
            other.ask(f"play {colour} {move}")
            passes = passes + 1 if move.lower() == "pass" else 0
            moves += 1
            if moves % 10 == 0 or passes == 2:
                for stones in ("list_stones black", "list_stones white"):
                    assert sorted(ours.ask(stones).upper().split()) == sorted(theirs.ask(stones).split())
        if player.startswith("mcts"):
            assert passes == 2
            assert ours.ask("final_score") == theirs.ask("final_score")
    finally:
        ours.close()
        theirs.close()


def test_gnugo_understands_our_record(tmp_path):
    talk = Talk(size=9)
    file = tmp_path / "game.sgf"
    talk.ask("fixed_handicap 3", *[f"genmove {'wb'[i % 2]}" for i in range(40)], f"printsgf {file}")
    lines = f"loadsgf {file}\nlist_stones black\nlist_stones white\nquit\n"
    out = subprocess.run([gnugo(), "--mode", "gtp"], input=lines, capture_output=True, text=True, check=True).stdout
    _, black, white, *_ = [answer[2:].split() for answer in out.split("\n\n")]
    assert sorted(black) == sorted(talk.ask("list_stones b").split())
    assert sorted(white) == sorted(talk.ask("list_stones w").split())
