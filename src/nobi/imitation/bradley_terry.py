"""Learning the priors of the tree search from game records by minorisation–maximisation (Coulom 2007).

The gammas of one group of features are updated at a time. With W wins of a feature (positions whose move has it), C the
product of the other gammas of a move and E the sum of the strengths of a position's candidates, the new gamma is

    γ = (W + 1) / (Σ C / E + 2 / (γ + 1))

where the sum runs over all moves with the feature. The added terms are one won and one lost comparison with a feature
of strength 1, so that the gammas of features that were never or always played are positive and finite.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, PASS, WHITE, as_point, board_points, points_of
from nobi.compiling import compiled
from nobi.errors import NobiError
from nobi.games.go import is_own_eye, legal
from nobi.imitation.settings import PriorSettings
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection, read_only
from nobi.records.dataset import Dataset
from nobi.records.replay import cell_of, new_record_boards, start_record
from nobi.search.features import GROUPS, OFFSETS, measure_distances, measure_features
from nobi.search.gammas import SMALL_BOARDS
from nobi.search.go import advance
from nobi.search.patterns import PATTERN_CLASS, PATTERN_CLASSES, seen_by
from nobi.search.shapes import MOST_SHAPES, SHAPE_SIZES, measure_shapes
from nobi.search.state import SearchPosition, SearchWorkspace, new_position, new_workspace
from nobi.search.tactics import as_count
from nobi.storage import save_tensors

COLUMNS = GROUPS + 2
"""Number of features of a move: its pattern, a level of each group, and its shape."""
_SHAPE = COLUMNS - 1
SIZES = {"small": range(5, SMALL_BOARDS + 1), "large": range(SMALL_BOARDS + 1, 26)}
"""The board sizes of each set of gammas."""


class Competitions(NamedTuple):
    """Positions and the features of their candidate moves."""

    features: NDArray[np.uint16]  # [move, column] class of the pattern; indices into all levels; number of the shape
    shapes: NDArray[np.uint32]  # [move, size] the shapes around it
    start: NDArray[np.int64]  # [position + 1] the first move of each position
    chosen: NDArray[np.int64]  # [position] the move that was played, an index into `features`


class PriorMetrics(NamedTuple):
    """Metrics of the prediction of recorded moves."""

    positions: int
    log_likelihood: float
    """Mean of the logarithm of the probability of the recorded move."""
    top1: float
    """Share of positions whose most probable move is the recorded one."""


@compiled
def _fill_codes(position: SearchPosition) -> None:
    """Compute the pattern codes from scratch."""
    stones = position.boards.stones
    for point in range(position.codes.shape[1]):
        code = 0
        for k in range(8):
            code += as_count(stones.colour[0, stones.neighbours[point, k]]) << (2 * k)
        position.codes[0, point] = code


@compiled
def _extract(
    position: SearchPosition,
    workspace: SearchWorkspace,
    points: NDArray[np.uint16],
    classes: NDArray[np.uint16],
    collection: Collection,
    game: int,
    first: int,
    every: int,
    competitions: Competitions,
    count: int,
) -> int:
    """Append every `every`-th position of a game, beginning with the ply `first`; return the number of positions.

    The game ends at its first illegal move. Passes and moves that fill an own eye are not used.
    """
    boards = position.boards
    stones = boards.stones
    if start_record(boards, points, collection, game) >= 0:
        return count
    _fill_codes(position)
    position.previous[0] = PASS
    begin = collection.start[game]
    for i in range(begin, collection.start[game + 1]):
        code = collection.moves[i]
        stones.to_move[0] = WHITE if code >= WHITE_BIT else BLACK
        cell = cell_of(code)
        move = as_point(PASS)
        if cell != PASS_CODE:
            if cell >= len(points) or not legal(boards, 0, points[cell]):
                return count
            move = points[cell]
        ply = i - begin
        if move != PASS and ply >= first and (ply - first) % every == 0:
            row = competitions.start[count]
            if count >= len(competitions.chosen) or row + stones.empties[0] > len(competitions.features):
                return count
            chosen = np.int64(-1)
            measure_distances(position, workspace)
            for j in range(stones.empties[0]):
                point = stones.empty[0, j]
                if is_own_eye(boards, 0, point) or not legal(boards, 0, point):
                    continue
                if point == move:
                    chosen = row
                measure_features(position, workspace, point, True)
                measure_shapes(stones, workspace.shapes, point)
                for k in range(len(SHAPE_SIZES)):
                    competitions.shapes[row, k] = workspace.shapes.found[k]
                competitions.features[row, 0] = classes[seen_by(position.codes[0, point], stones.to_move[0])]
                for group in range(GROUPS):
                    competitions.features[row, group + 1] = OFFSETS[group] + workspace.levels[group]
                row += 1
            if chosen >= 0:
                competitions.chosen[count] = chosen
                count += 1
                competitions.start[count] = row
        boards.passes[0] = 0  # two passes do not end a record
        advance(position, move)
    return count


def competitions_of(collections: Sequence[Collection], sizes: range, positions: int, seed: int) -> Competitions:
    """Return positions of random games of these board sizes: one in ten plies, or more if there are too few games."""
    rng = np.random.default_rng(seed)
    games = [
        (i, game)
        for i, collection in enumerate(collections)
        for game in np.flatnonzero(np.isin(collection.size, list(sizes))).tolist()
    ]
    order = rng.permutation(len(games))
    largest = max((int(collections[i].size[game]) for i, game in games), default=0)
    plies = sum(int(collections[i].start[game + 1] - collections[i].start[game]) for i, game in games)
    every = min(max(plies // (2 * positions), 1), 10)
    rows = min(positions, plies) * largest * largest
    found = Competitions(
        np.zeros((rows, COLUMNS), np.uint16),
        np.zeros((rows, len(SHAPE_SIZES)), np.uint32),
        np.zeros(positions + 1, np.int64),
        np.zeros(positions, np.int64),
    )
    count = 0
    read = [read_only(collection) for collection in collections]
    longest = max((int(np.diff(collection.start).max(initial=0)) for collection in collections), default=0)
    boards: dict[int, tuple[Any, ...]] = {}
    for k in order:
        if count >= positions:
            break
        i, game = games[k]
        size = int(collections[i].size[game])
        if size not in boards:
            position, _ = new_position(new_record_boards(size, longest), codes=points_of(size))
            boards[size] = position, new_workspace(size), board_points(size).astype(np.uint16)
        first = int(rng.integers(every))
        position, workspace, points = boards[size]
        count = _extract(position, workspace, points, PATTERN_CLASS, read[i], game, first, every, found, count)
    moves = int(found.start[count])
    return Competitions(found.features[:moves], found.shapes[:moves], found.start[: count + 1], found.chosen[:count])


_SAMPLE = 8
"""Every n-th candidate is counted to find frequent shapes."""


def frequent_shapes(competitions: Competitions, plays: int) -> NDArray[np.uint32]:
    """Return the shapes of all sizes that were played, or would have been by chance, at least `plays` times.

    They are in ascending order, and at most `MOST_SHAPES`. A shape that is often a candidate but never played is as
    informative as one that is played; without it, such moves would be counted for the smaller shape at its centre.
    """
    played, counts = np.unique(competitions.shapes[competitions.chosen], return_counts=True)
    seen, candidates = np.unique(competitions.shapes[::_SAMPLE], return_counts=True)
    chance = len(competitions.chosen) / max(1, len(competitions.shapes))
    shapes = np.concatenate([played, seen])
    frequency = np.concatenate([counts, candidates * _SAMPLE * chance])
    known = (frequency >= plays) & (shapes != 0)
    order = np.argsort(-frequency[known], kind="stable")
    _, first = np.unique(shapes[known][order], return_index=True)
    return np.sort(shapes[known][order][np.sort(first)[:MOST_SHAPES]])


def number_shapes(competitions: Competitions, shapes: NDArray[np.uint32]) -> None:
    """Write the number, from 1, of each move's largest shape into its features, as `shape_gamma` finds it; 0: none."""
    column = competitions.features[:, _SHAPE]
    column[:] = 0
    if len(shapes) == 0:
        return
    known = np.ones(len(column), bool)
    for i in range(competitions.shapes.shape[1]):
        around = competitions.shapes[:, i]
        index = np.minimum(np.searchsorted(shapes, around), len(shapes) - 1)
        known &= shapes[index] == around
        np.copyto(column, (index + 1).astype(np.uint16), where=known)


@compiled
def _strengths(
    features: NDArray[np.uint16], pattern: Any, levels: Any, shapes: Any, strengths: NDArray[np.float64]
) -> None:
    for row in range(len(features)):
        product = pattern[features[row, 0]] * shapes[features[row, _SHAPE]]
        for column in range(1, _SHAPE):
            product *= levels[features[row, column]]
        strengths[row] = product


@compiled
def _update(
    competitions: Competitions,
    column: int,
    gammas: NDArray[np.float64],
    strengths: NDArray[np.float64],
    wins: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Update the gammas of a column by one minorisation–maximisation step, and the `strengths` of the moves."""
    features, start = competitions.features, competitions.start
    wins[:] = 0.0
    sums[:] = 0.0
    for p in range(len(competitions.chosen)):
        total = 0.0
        for row in range(start[p], start[p + 1]):
            total += strengths[row]
        for row in range(start[p], start[p + 1]):
            feature = features[row, column]
            sums[feature] += strengths[row] / (gammas[feature] * total)
        wins[features[competitions.chosen[p], column]] += 1.0
    for row in range(len(features)):
        strengths[row] /= gammas[features[row, column]]
    for feature in range(len(gammas)):
        if sums[feature] > 0.0:
            gammas[feature] = (wins[feature] + 1.0) / (sums[feature] + 2.0 / (gammas[feature] + 1.0))
    for row in range(len(features)):
        strengths[row] *= gammas[features[row, column]]


class LearntGammas(NamedTuple):
    """The gammas of a model."""

    pattern: NDArray[np.float64]  # [class]
    levels: NDArray[np.float64]  # [offset of the group + level]
    shapes: NDArray[np.float64]  # [number] the first is that of all other shapes, 1


def learn(
    competitions: Competitions,
    shapes: int,
    sweeps: int,
    note: Callable[[int, PriorMetrics], None] = lambda _s, _m: None,
) -> LearntGammas:
    """Return the gammas of the classes of patterns, of all levels, and of this number of shapes."""
    found = LearntGammas(np.ones(PATTERN_CLASSES), np.ones(OFFSETS[-1]), np.ones(shapes + 1))
    pattern, levels, of_shape = found
    strengths = np.ones(len(competitions.features))
    most = max(len(gammas) for gammas in found)
    wins, sums = np.zeros(most), np.zeros(most)
    for sweep in range(sweeps):
        for column in range(COLUMNS):
            gammas = pattern if column == 0 else of_shape if column == _SHAPE else levels
            _update(competitions, column, gammas, strengths, wins[: len(gammas)], sums[: len(gammas)])
            if column == _SHAPE:
                strengths /= of_shape[0]
                of_shape /= of_shape[0]
            elif column > 0:
                _keep_mean(levels, column - 1, strengths)
        note(sweep + 1, measure(competitions, found))
    return found


def _keep_mean(levels: NDArray[np.float64], group: int, strengths: NDArray[np.float64]) -> None:
    """Scale the gammas of a group to a geometric mean of 1, which does not change probabilities."""
    part = slice(OFFSETS[group], OFFSETS[group + 1])
    scale = math.exp(-float(np.log(levels[part]).mean()))
    levels[part] *= scale
    strengths *= scale


def measure(competitions: Competitions, gammas: LearntGammas) -> PriorMetrics:
    """Measure how well gammas predict the moves of these positions."""
    strengths = np.zeros(len(competitions.features))
    _strengths(competitions.features, *gammas, strengths)
    totals = np.add.reduceat(strengths, competitions.start[:-1])
    best = np.maximum.reduceat(strengths, competitions.start[:-1])
    chosen = strengths[competitions.chosen]
    return PriorMetrics(len(chosen), float(np.log(chosen / totals).mean()), float((chosen >= best).mean()))


def train_priors(
    datasets: Sequence[Dataset], settings: PriorSettings, seed: int, out: Path, progress: Callable[[int, str], None]
) -> dict[str, Any]:
    """Learn both sets of gammas from the training games of datasets and write them; return their metrics.

    `progress` is called with the number of sweeps, at most `sweeps` for each set, and the latest metrics as text.
    """
    tensors: dict[str, NDArray[Any]] = {}
    results: dict[str, Any] = {}
    for number, (name, sizes) in enumerate(SIZES.items()):
        train = competitions_of([d.collection("train") for d in datasets], sizes, settings.positions, seed)
        test = competitions_of([d.collection("test") for d in datasets], sizes, settings.test_positions, seed)
        if len(train.chosen) == 0 or len(test.chosen) == 0:
            continue

        def report(sweep: int, metrics: PriorMetrics, name: str = name, before: int = number * settings.sweeps) -> None:
            note = f"{name} boards, log-likelihood {metrics.log_likelihood:.3f}, top-1 {metrics.top1:.3f}"
            progress(before + sweep, note)

        shapes = frequent_shapes(train, settings.shape_plays)
        number_shapes(train, shapes)
        number_shapes(test, shapes)
        gammas = learn(train, len(shapes), settings.sweeps, report)
        tensors[f"{name}.pattern"] = gammas.pattern.astype(np.float32)
        tensors[f"{name}.levels"] = gammas.levels.astype(np.float32)
        tensors[f"{name}.shapes"] = shapes
        tensors[f"{name}.shape_gammas"] = gammas.shapes[1:].astype(np.float16)
        results[name] = {"train": measure(train, gammas), "test": measure(test, gammas)}
    if not tensors:
        raise NobiError("The datasets hold no games to learn priors from.")
    provenance = {
        "model": "Bradley-Terry, minorisation-maximisation",
        "datasets": ", ".join(f"{d.path.name} sha256 {d.digest[:16]}" for d in datasets),
        "settings": f"positions {settings.positions}, sweeps {settings.sweeps}, seed {seed}",
        "results": ", ".join(
            f"{name}: test log-likelihood {r['test'].log_likelihood:.3f}, top-1 {r['test'].top1:.3f}"
            for name, r in results.items()
        ),
    }
    save_tensors(out, tensors, provenance)
    return results
