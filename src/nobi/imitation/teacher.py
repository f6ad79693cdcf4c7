"""Gradient training on the moves of a player, the teacher, in an unlimited number of positions.

Each finished game is replaced by a new one. In every step the teacher chooses its move on all boards as the target, and
a second player, usually the teacher with some random moves, chooses the moves that are played.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, RUNNING, cell_tables
from nobi.compiling import UNBOUND, specialise
from nobi.games.base import Game, Variant
from nobi.imitation.optimiser import Cosine
from nobi.networks.deep import make_deep
from nobi.networks.deep.base import DeepNetwork
from nobi.nn.torch_layers import move_loss, only_legal
from nobi.players import make_player
from nobi.streams import stream_of

clear: Any = UNBOUND  # this and the next are bound by `_compiled_moves`
play: Any = UNBOUND

WARM_UP = 64
"""Moves on every board before the first position is used, so that the games have different lengths."""


def _play_moves(boards: Any, moves: NDArray[np.uint16]) -> None:
    """Play a move on each board, and clear those where the game is over."""
    for g in range(len(moves)):
        play(boards, g, moves[g])
        if boards.stones.outcome[g] != RUNNING:
            clear(boards, g)


@cache
def _compiled_moves(game: type[Game]) -> Callable[..., None]:
    return specialise(_play_moves, game.name, clear=game.rules.clear, play=game.rules.play)


class LabelledPositions(NamedTuple):
    """Positions and the teacher's moves in them."""

    planes: NDArray[np.float32]  # [b, 2, n, n] own stones, enemy stones
    free: NDArray[np.bool_]  # [b, n·n] the empty points
    move: NDArray[np.int64]  # [b] the cell of the teacher's move


class TeacherGames:
    """An unlimited sequence of games with the teacher's moves as targets; a function of the seed."""

    def __init__(self, variant: Variant, teacher: str, player: str, games: int, seed: int) -> None:
        """`player` makes the moves of both sides on `games` boards; `teacher` chooses the target moves."""
        self._tables = cell_tables(variant.size)
        self._size = variant.size
        self._teacher, self._player = make_player(teacher, variant), make_player(player, variant)
        self._boards = variant.allocate(games)
        for g in range(games):
            variant.game.rules.clear(self._boards, g)
        self._indices = np.arange(games)
        self._streams = np.array([stream_of(seed, g) for g in range(games)], np.uint64)
        self._advance = _compiled_moves(variant.game)
        for _ in range(WARM_UP):
            self._play_turn()

    def _play_turn(self) -> None:
        moves = np.zeros(len(self._indices), np.uint16)
        self._player.choose(self._boards, self._indices, self._streams, moves)
        self._advance(self._boards, moves)

    def next_positions(self) -> LabelledPositions:
        """Return a position of every game, then play a move in each."""
        moves = np.zeros(len(self._indices), np.uint16)
        self._teacher.choose(self._boards, self._indices, self._streams, moves)
        stones = self._boards.stones
        colours = stones.colour[:, self._tables.point_of]
        own = colours == stones.to_move[:, None]
        planes = np.stack([own, (colours != EMPTY) & ~own], axis=1).astype(np.float32)
        found = LabelledPositions(
            planes.reshape(len(moves), 2, self._size, self._size),
            colours == EMPTY,
            self._tables.cell_of[moves].astype(np.int64),
        )
        self._play_turn()
        return found


def _logits(network: DeepNetwork, positions: LabelledPositions) -> torch.Tensor:
    return only_legal(network(torch.from_numpy(positions.planes), None), torch.from_numpy(positions.free))


def train_on_teacher(
    network: DeepNetwork,
    games: TeacherGames,
    steps: int,
    rate: float,
    progress: Callable[[float], None] = lambda _: None,
) -> NDArray[np.float64]:
    """Train a network to predict the teacher's moves; return the loss of every step.

    The optimiser is AdamW; the learning rate increases over the first twentieth of the steps, then decays to zero as a
    cosine.
    """
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.0)
    schedule = Cosine(rate, warmup=0.05)
    losses = np.zeros(steps)
    network.train()
    for step in range(steps):
        positions = games.next_positions()
        loss = move_loss(_logits(network, positions), torch.from_numpy(positions.move))
        optimiser.param_groups[0]["lr"] = schedule.at(step / steps)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses[step] = float(loss.detach())
        progress((step + 1) / steps)
    network.eval()
    return losses


def weights_of(network: DeepNetwork) -> dict[str, NDArray[Any]]:
    """Return the weights of a network by name, as arrays."""
    return {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}


def network_with(net: str, weights: Mapping[str, NDArray[Any]]) -> DeepNetwork:
    """Return the network of a spec with the weights of `weights_of`."""
    network = make_deep(net)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return network.eval()


def agreement(network: DeepNetwork, games: TeacherGames, batches: int) -> float:
    """Return the share of positions in which the network's best move is the teacher's; a batch: a position per game."""
    network.eval()
    found = []
    with torch.inference_mode():
        for _ in range(batches):
            positions = games.next_positions()
            found.append(_logits(network, positions).argmax(1).numpy() == positions.move)
    return float(np.mean(found))
