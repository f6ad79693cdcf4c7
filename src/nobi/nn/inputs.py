"""The inputs of the compiled networks: own and enemy stones, and additional named features of the position.

S08 section VI proposes "domain-specific features instead of the raw board". A feature is one plane or two, for own and
enemy stones, with a number from 0 to 1 for every point; the number of weights does not depend on the board size.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.chains import Chains, in_atari
from nobi.board.stones import BLACK, PASS, SIDES, WHITE, Stones, enemy_of
from nobi.compiling import UNBOUND, compiled, inlined, specialise
from nobi.errors import NobiError
from nobi.nn.lanes import F
from nobi.spec import choices

STONES = ("own stones", "enemy stones")
"""The planes of every network."""
FEATURES: dict[str, tuple[str, ...]] = {
    "liberties": ("liberties of own stones", "liberties of enemy stones"),
    "atari": ("own stones in atari", "enemy stones in atari"),
    "last": ("the latest move",),
}
"""Feature → planes. Liberties are counted up to four and divided by four."""
_OF_CHAINS = ("liberties", "atari")
"""The features of games with chains, Atari-Go and Go."""
_MOST_LIBERTIES = F(4.0)

liberties_at: Any = UNBOUND  # this and the next five are bound by `input_writer`
atari_at: Any = UNBOUND
last_at: Any = UNBOUND
has_liberties: Any = UNBOUND
has_atari: Any = UNBOUND
has_last: Any = UNBOUND


def parse_features(text: str) -> tuple[str, ...]:
    """Parse features such as `liberties+last`, in the order of `FEATURES`; raise a ValueError for an unknown one."""
    given = [part.strip() for part in text.split("+")] if text else []
    for name in given:
        if name not in FEATURES:
            raise ValueError(f"there is no feature {name!r}; {choices(FEATURES, name)}, joined by +")
    return tuple(name for name in FEATURES if name in given)


def input_planes(features: str) -> tuple[str, ...]:
    """Return the names of all planes of a network with these features."""
    return STONES + tuple(plane for name in parse_features(features) for plane in FEATURES[name])


@inlined
def show_board(stones: Stones, g: int, x: NDArray[np.float32], lane: int, point_of: NDArray[np.uint16]) -> None:
    """Write board g into x[cell, plane, lane]: own stones, then enemy stones."""
    me = stones.to_move[g]
    enemy = enemy_of(me)
    for cell in range(len(point_of)):
        colour = stones.colour[g, point_of[cell]]
        x[cell, 0, lane] = F(colour == me)
        x[cell, 1, lane] = F(colour == enemy)


@compiled
def show_boards(
    stones: Stones, indices: NDArray[np.int64], x: NDArray[np.float32], point_of: NDArray[np.uint16]
) -> None:
    """Write the boards `indices`, at most LANES of them, into x[cell, plane, lane]."""
    for lane in range(len(indices)):
        show_board(stones, indices[lane], x, lane, point_of)


@inlined
def _show_liberties(
    stones: Stones,
    chains: Chains,
    g: int,
    x: NDArray[np.float32],
    lane: int,
    plane: int,
    point_of: NDArray[np.uint16],
    cell_of: NDArray[np.uint16],
) -> None:
    """Count liberties in the plane of own stones at the head of each chain, then copy them to all its stones."""
    me = stones.to_move[g]
    for cell in range(len(point_of)):
        x[cell, plane, lane] = F(0.0)
        x[cell, plane + 1, lane] = F(0.0)
    for i in range(stones.empties[g]):
        point = stones.empty[g, i]
        for k in range(SIDES):
            head = chains.head[g, stones.neighbours[point, k]]
            colour = stones.colour[g, head]
            if colour == BLACK or colour == WHITE:
                is_new = True
                for j in range(k):
                    is_new &= chains.head[g, stones.neighbours[point, j]] != head
                if is_new:
                    x[cell_of[head], plane, lane] += F(1.0)
    for heads in range(2):
        for cell in range(len(point_of)):
            point = point_of[cell]
            colour = stones.colour[g, point]
            head = chains.head[g, point]
            if (colour == BLACK or colour == WHITE) and (head == point) == (heads == 1):
                share = min(x[cell_of[head], plane, lane], _MOST_LIBERTIES) / _MOST_LIBERTIES
                x[cell, plane, lane] = share if colour == me else F(0.0)
                x[cell, plane + 1, lane] = F(0.0) if colour == me else share


@inlined
def _show_atari(
    stones: Stones,
    chains: Chains,
    g: int,
    x: NDArray[np.float32],
    lane: int,
    plane: int,
    point_of: NDArray[np.uint16],
) -> None:
    me = stones.to_move[g]
    for cell in range(len(point_of)):
        point = point_of[cell]
        colour = stones.colour[g, point]
        is_stone = colour == BLACK or colour == WHITE
        endangered = is_stone and in_atari(chains.liberties[g, chains.head[g, point]])
        x[cell, plane, lane] = F(endangered and colour == me)
        x[cell, plane + 1, lane] = F(endangered and colour != me)


@inlined
def _show_last(
    stones: Stones,
    g: int,
    x: NDArray[np.float32],
    lane: int,
    plane: int,
    point_of: NDArray[np.uint16],
    cell_of: NDArray[np.uint16],
) -> None:
    for cell in range(len(point_of)):
        x[cell, plane, lane] = F(0.0)
    if stones.last[g] != PASS:
        x[cell_of[stones.last[g]], plane, lane] = F(1.0)


@inlined
def _write_stones(
    boards: Any,
    indices: NDArray[np.int64],
    x: NDArray[np.float32],
    point_of: NDArray[np.uint16],
    cell_of: NDArray[np.uint16],  # noqa: ARG001
) -> None:
    show_boards(boards.stones, indices, x, point_of)


def _write_features(
    boards: Any,
    indices: NDArray[np.int64],
    x: NDArray[np.float32],
    point_of: NDArray[np.uint16],
    cell_of: NDArray[np.uint16],
) -> None:
    stones = boards.stones
    show_boards(stones, indices, x, point_of)
    for lane in range(len(indices)):
        g = indices[lane]
        if has_liberties:
            _show_liberties(stones, boards.chains, g, x, lane, liberties_at, point_of, cell_of)
        if has_atari:
            _show_atari(stones, boards.chains, g, x, lane, atari_at, point_of)
        if has_last:
            _show_last(stones, g, x, lane, last_at, point_of, cell_of)


@cache
def input_writer(features: str) -> Callable[..., None]:
    """Return the compiled function (boards, indices, x, point_of, cell_of) that writes planes of up to LANES boards."""
    chosen = parse_features(features)
    if not chosen:
        return _write_stones
    planes = input_planes(features)
    bindings: dict[str, Any] = {f"has_{name}": name in chosen for name in FEATURES}
    for name in FEATURES:
        bindings[f"{name}_at"] = planes.index(FEATURES[name][0]) if name in chosen else 0
    return specialise(_write_features, "_".join(chosen), **bindings)


def check_game(features: str, game: str, boards: Any) -> None:
    """Raise a NobiError if positions of this game do not have these features."""
    missing = [name for name in parse_features(features) if name in _OF_CHAINS and not hasattr(boards, "chains")]
    if missing:
        raise NobiError(f"There are no {' and '.join(missing)} in {game}; these features exist in atari-go and go.")
