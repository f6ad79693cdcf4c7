"""Reports of a search: its moves, and for analysis win rates, scores and variations."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, PASS, points_of
from nobi.search.state import PLAYOUTS, SCORE, SCORED, SQUARES, WINS
from nobi.search.tree import Tree

_EVEN = 5.0
"""The win rate and score of a move are shrunk towards those of the root by this number of playouts: otherwise a single
playout would be 0 % or 100 %."""
_SHARE = 0.01
"""A move is reported if it has at least this share of the playouts of the most visited move …"""
_FEWEST, _ENOUGH = 2, 20
"""… and, as soon as the most visited move has 20 playouts, at least two."""
_SCORE_WEIGHT = 0.1
"""The weight of the score in the utility."""
_Z = 1.96
"""The number of standard errors between a win rate and its lower confidence bound (95 %, two-sided)."""


class Score(NamedTuple):
    """The score of a position or a move, for the player to move."""

    lead: float
    """The mean number of points by which the player wins, komi included."""
    stdev: float
    """The standard deviation of the playouts' scores."""
    utility: float
    """2 · win rate − 1, plus 0.1 times the score scaled to −1 to 1."""


@dataclass(frozen=True)
class Child:
    """The result of a search for one move."""

    move: int
    visits: int
    """Number of playouts that began with the move."""
    winrate: float
    """The share of these playouts won by the player to move; that of the prior knowledge if there are none."""
    prior: float
    """The network's probability of the move; 0 without a network."""
    solved: int
    """1 if the move is proved to win, -1 if it is proved to lose, else 0."""
    variation: list[int]
    """The principal variation, this move first."""


@dataclass(frozen=True)
class MoveReport:
    """The analysis of a move, for the player to move."""

    move: int
    visits: int
    """Number of playouts that began with the move."""
    winrate: float
    lcb: float
    """A lower confidence bound of the win rate."""
    prior: float
    """The network's probability of the move; 0 without a network."""
    variation: list[int]
    """The principal variation, this move first."""
    variation_visits: list[int]
    """The playouts through each move of the variation."""
    score: Score | None = None
    """None if the game has no score, or without playouts."""
    utility_lcb: float | None = None
    ownership: NDArray[np.float64] | None = None
    """[n, n] the mean owner of each point at the end of these playouts, from −1, White, to 1, Black; if requested."""


@dataclass(frozen=True)
class RootReport:
    """The analysis of a position, for the player to move."""

    visits: int
    winrate: float
    """The share of won playouts, with one won and one lost playout added."""
    score: Score | None
    moves: list[MoveReport]
    """The moves with enough playouts to be reported, best first."""


def report_root(
    tree: Tree,
    results: NDArray[np.float64],
    to_move: int,
    size: int,
    *,
    fewest: int = 0,
    length: int = 250,
    ownership: Callable[[int], NDArray[np.float64]] | None = None,
) -> RootReport:
    """Return the report of a search.

    Args:
        tree: the tree.
        results: [root move + 1, 5] the sums over the playouts since the root was set.
        to_move: the player to move.
        size: the board size, for the scale of scores.
        fewest: the minimum number of reported moves, even if they have few playouts.
        length: the maximum length of variations.
        ownership: the ownership after a move, by its row of the results; None: it is not reported.
    """
    total = results.sum(axis=0)
    rate = _for_player((total[WINS] + 1) / (total[PLAYOUTS] + 2), to_move)
    root = _score(total, to_move, size, rate)
    first, count = int(tree.first[0]), max(0, int(tree.children[0]))
    end = first + count
    visits = np.rint(tree.visits[first:end] - tree.assumed[first:end]).astype(np.int64)
    rates = tree.wins[first:end] / np.maximum(tree.visits[first:end], 1e-6)
    solved = tree.solved[first:end].astype(np.int64)
    order = np.lexsort((-rates, -visits, -solved))
    most = int(visits.max()) if count else 0
    least = max(1.0, _SHARE * most, _FEWEST if most >= _ENOUGH else 1)
    moves: list[MoveReport] = []
    for place, i in enumerate(map(int, order)):
        if visits[i] < least and not solved[i] > 0 and place >= fewest and moves:
            continue
        if visits[i] == 0 and not solved[i] and place >= max(1, fewest):
            continue
        row = results[i]
        earlier = max(0.0, float(visits[i]) - row[PLAYOUTS])  # playouts of a tree that was kept
        won = row[WINS] if to_move == BLACK else row[PLAYOUTS] - row[WINS]
        winrate = float((won + earlier * rates[i] + _EVEN * rate) / (row[PLAYOUTS] + earlier + _EVEN))
        if solved[i]:
            winrate = (1 + int(solved[i])) / 2
        margin = 0.0 if solved[i] else winrate_margin(winrate, int(visits[i]))
        score = _score(row, to_move, size, winrate, root) if root else None
        variation, counts = principal_variation(tree, first + i, length)
        moves.append(
            MoveReport(
                move=int(tree.move[first + i]),
                visits=int(visits[i]),
                winrate=winrate,
                lcb=winrate - margin,
                prior=float(tree.policy[first + i]),
                variation=variation,
                variation_visits=counts,
                score=score,
                utility_lcb=score.utility - 2 * margin if score else None,
                ownership=ownership(i) if ownership and score else None,
            )
        )
    return RootReport(int(total[PLAYOUTS]), rate, root, moves)


def children_of(tree: Tree, length: int) -> list[Child]:
    """Return the moves at the root, best first: proved wins, then by playouts, then by win rate.

    `length` is the maximum length of variations.
    """
    first, count = int(tree.first[0]), max(0, int(tree.children[0]))
    found = [_child_of(tree, node, length) for node in range(first, first + count)]
    return sorted(found, key=lambda child: (-child.solved, -child.visits, -child.winrate))


def _child_of(tree: Tree, node: int, length: int) -> Child:
    solved = int(tree.solved[node])
    visits = round(float(tree.visits[node] - tree.assumed[node]))
    rate = (tree.wins[node] - tree.assumed_wins[node]) / visits if visits else tree.wins[node] / tree.visits[node]
    winrate = (1 + solved) / 2 if solved else float(rate)
    variation = principal_variation(tree, node, length)[0]
    return Child(int(tree.move[node]), visits, winrate, float(tree.policy[node]), solved, variation)


def principal_variation(tree: Tree, node: int, length: int) -> tuple[list[int], list[int]]:
    """Return the principal variation, beginning with the move to the node, and the playouts through each move."""
    moves, visits = [int(tree.move[node])], [round(float(tree.visits[node] - tree.assumed[node]))]
    while tree.children[node] > 0 and len(moves) < length:
        first, end = int(tree.first[node]), int(tree.first[node] + tree.children[node])
        playouts = tree.visits[first:end] - tree.assumed[first:end]
        if playouts.max() <= 0:
            break
        node = first + int(playouts.argmax())
        moves.append(int(tree.move[node]))
        visits.append(round(float(playouts.max())))
    return moves, visits


def _for_player(black: float, to_move: int) -> float:
    return float(black if to_move == BLACK else 1 - black)


def _score(
    row: NDArray[np.float64], to_move: int, size: int, winrate: float, root: Score | None = None
) -> Score | None:
    """Return the score of a row of results, shrunk towards that of the root; None if no playout has a score."""
    even = _EVEN if root else 0.0
    count = row[SCORED] + even
    if count == 0:
        return None
    sign = 1 if to_move == BLACK else -1
    lead = sign * row[SCORE] + (even * root.lead if root else 0.0)
    squares = row[SQUARES] + (even * (root.stdev**2 + root.lead**2) if root else 0.0)
    mean = float(lead / count)
    return Score(mean, math.sqrt(max(0.0, float(squares / count) - mean**2)), utility_of(winrate, mean, size))


def winrate_margin(winrate: float, visits: int) -> float:
    """Return the distance between a win rate and its lower confidence bound."""
    return _Z * math.sqrt(winrate * (1 - winrate) / max(1, visits))


def utility_of(winrate: float, lead: float, size: int) -> float:
    """Return the utility of a win rate and a score."""
    return 2 * winrate - 1 + _SCORE_WEIGHT * 2 / math.pi * math.atan(lead / (2 * size))


# --- restrictions of the moves --------------------------------------------------------------------------------------


class Restriction(NamedTuple):
    """Moves that a player must not play in the tree before some depth."""

    colour: int
    moves: tuple[int, ...]
    until: int
    """The depth until which the restriction applies; 1: only at the root."""
    allow: bool = False
    """Whether only these moves are allowed, instead of forbidden."""


def avoided_moves(restrictions: Iterable[Restriction], size: int, points: NDArray[np.uint16]) -> NDArray[np.int16]:
    """Return the depth from which on the player may play the move: int16[colour, move]."""
    every = np.append(points, PASS)
    found = np.zeros((3, points_of(size)), np.int16)
    for colour, moves, until, allow in restrictions:
        depth = min(until, np.iinfo(np.int16).max)
        named = np.array(moves, np.int64)
        those = np.setdiff1d(every, named) if allow else named
        found[colour, those] = np.maximum(found[colour, those], depth)
    return found
