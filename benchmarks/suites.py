"""Count the problems of GNU Go's regression suites that players solve.

    python benchmarks/suites.py gnugo-3.8/regression mcts:rollouts=1000,resign=0 mcts:rollouts=1000,resign=0,nakade=0.8
    python benchmarks/suites.py gnugo-3.8/regression "gtp:gnugo --mode gtp --level 10" --suites 9x9 13x13

The folder is `regression` of the source package of GNU Go, with its *.tst files and their game records.
Every case of `reg_genmove` on a board of at most --size is a problem: the move has to match the expected ones. Chinese
rules; the komi is that of the game record. With --seeds n every problem is tried n times, and the figures are sums.
For every player after the first, the problems that only one of the two solved are counted, with McNemar's p-value.
"""

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import nobi.gtp.engine  # noqa: F401  registers the commands
from nobi.board.text import vertex_name
from nobi.games import variant
from nobi.gtp.protocol import GtpError, colour_from
from nobi.gtp.session import COMMANDS, Session
from nobi.players import make_bot
from nobi.players.base import RESIGN

SET_UP = ("boardsize", "clear_board", "komi", "play", "fixed_handicap", "black", "white")
"""Commands of the suites that change the position, besides `loadsgf`; the others are specific to GNU Go."""
CASE = re.compile(r"(\d+)\s+(?:reg|gg)_genmove\s+(\S+)")
ANSWER = re.compile(r"#\?\s*\[(!?)(.*)\]")


class Problem(NamedTuple):
    """One case of a suite."""

    suite: str
    number: int
    position: tuple[tuple[str, ...], ...]
    """The commands that lead to the position."""
    colour: str
    expected: str
    """A regular expression of moves."""
    excluded: bool
    """Whether the move must not match."""

    def is_solved_by(self, move: str) -> bool:
        """Whether a move is a solution."""
        return bool(re.fullmatch(self.expected, move, re.IGNORECASE)) != self.excluded


def read_suite(file: Path) -> list[Problem]:
    """The problems of one file."""
    found: list[Problem] = []
    position: list[tuple[str, ...]] = []
    case: tuple[int, str] | None = None
    for line in file.read_text(errors="replace").splitlines():
        words = line.split()
        asked, answer = CASE.match(line.strip()), ANSWER.match(line.strip())
        if asked:
            case = int(asked[1]), asked[2]
        elif answer and case:
            found.append(Problem(file.stem, case[0], tuple(position), case[1], answer[2], bool(answer[1])))
            case = None
        elif words and words[0] == "loadsgf":
            position = [("loadsgf", str(file.parent / words[1]), *words[2:])]
        elif words and words[0] in SET_UP:
            position = [*(position if words[0] != "boardsize" else []), tuple(words)]
    return found


def set_up(session: Session, problem: Problem) -> None:
    """Set up the position of a problem in the session."""
    session.clear()
    for name, *words in problem.position:
        as_play = name in ("black", "white")  # older suites write `black C3`
        COMMANDS["play" if as_play else name].answer(session, [name, *words] if as_play else words)


def solves(session: Session, problem: Problem, size: int) -> bool | None:
    """Whether the player of the session solves a problem; None if the problem does not fit this board size."""
    try:
        set_up(session, problem)
        if session.game.size > size:
            return None
        session.bot.forget()
        move = session.choose(colour_from(problem.colour))
    except GtpError:  # a missing record, or one that is illegal under our rules
        return None
    return move != RESIGN and problem.is_solved_by(vertex_name(move, session.game.size))


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of McNemar's test that both players solve equally many problems."""
    from scipy.stats import binomtest

    return float(binomtest(only_first, only_first + only_second).pvalue) if only_first + only_second else 1.0


def main() -> None:
    """Run all players and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("players", nargs="+")
    parser.add_argument("--suites", nargs="+", default=[], help="names of files without .tst; by default all")
    parser.add_argument("--size", type=int, default=13, help="the largest board")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    files = [options.folder / f"{name}.tst" for name in options.suites] or sorted(options.folder.glob("*.tst"))
    problems = [problem for file in files for problem in read_suite(file)]
    if not problems:
        sys.exit(f"There are no problems in {str(options.folder)!r}.")
    results: list[dict[tuple[Problem, int], bool]] = []
    for player in options.players:
        results.append({})
        for seed in range(options.seeds):
            session = Session(variant("go:komi=5.5,ko=simple", 9), lambda here, p=player, s=seed: make_bot(p, here, s))
            for problem in problems:
                solved = solves(session, problem, options.size)
                if solved is not None:
                    results[-1][problem, seed] = solved
            session.close()
        print(f"{player}: {sum(results[-1].values())} of {len(results[-1])}", flush=True)
    suites = Counter(problem.suite for problem, _ in results[0])
    print(f"\n{'suite':14}{'problems':>9}" + "".join(f"{f'player {i + 1}':>10}" for i in range(len(results))))
    for suite, count in suites.items():
        solved_by = [sum(found[key] for key in found if key[0].suite == suite) for found in results]
        print(f"{suite:14}{count:>9}" + "".join(f"{number:>10}" for number in solved_by))
    for i, found in enumerate(results[1:], 2):
        pairs = Counter((results[0][key], found[key]) for key in found.keys() & results[0].keys())
        lost, gained = pairs[True, False], pairs[False, True]
        print(f"player {i} against player 1: +{gained} −{lost}, p = {mcnemar(lost, gained):.3f}")


if __name__ == "__main__":
    main()
