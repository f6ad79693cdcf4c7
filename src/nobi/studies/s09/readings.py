"""S09 figure 2, the share of strong random MDRNNs on Go-Moku: possible readings of the network and of its moves.

The networks of nobi implement the papers' formula and the published code. This module has a simple MDRNN in NumPy with
additional readings: other borders, biases, separate recurrent weights, other choices of a move. It is slow and used
only for random networks.
"""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import EMPTY, Boards, cell_tables, enemy_of
from nobi.evolution.fitness import play_in_lockstep
from nobi.games import variant
from nobi.games.base import Variant
from nobi.players import make_player
from nobi.players.base import Player
from nobi.streams import Streams, derive_seed, hash_words
from nobi.studies.jobs import Arrays, Job, Progress

if TYPE_CHECKING:
    from nobi.studies.cache import JobCache

NETWORKS_AT_ONCE = 20
SWEEPS = ((1, 1), (-1, 1), (1, -1), (-1, -1))

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Reading:
    """A reading of the MDRNN of S09 section 2.2 and of its moves."""

    border: Literal["value", "bias", "position", "none"] = "value"
    """The representation of a missing predecessor: the value w_b (the papers), a term w_b (the published code with
    `simpleborders`), a term that depends on the position along the border (its default), or zero."""
    bias: bool = False
    """Whether each hidden unit has a bias."""
    separate: bool = False
    """Whether the two predecessors have separate recurrent weights."""
    ties: Literal["random", "first"] = "random"
    """The choice among several best moves: any, or the first in row-major order."""
    temperature: float = 0.0
    """Above 0: moves are drawn by the sigmoid outputs at this temperature."""
    hidden: int = 3


class ReadingPlayer(Player):
    """Random MDRNNs of one reading, each on its own boards."""

    name = "reading"

    def __init__(self, where: Variant, reading: Reading, networks: range, games: int, seed: int) -> None:
        """Network i plays the boards i · games, …; its weights are drawn from N(0, 1) by seed and number."""
        super().__init__(where)
        self._reading, self._games = reading, games
        k, size = reading.hidden, where.size
        drawn = [np.random.Generator(np.random.PCG64([seed, number])) for number in networks]

        def weights(*shape: int) -> Values:
            return np.stack([rng.normal(size=shape) for rng in drawn])

        self._w_in, self._beside, self._w_out = weights(k, 2), weights(k, k), weights(k)
        self._border, self._bias = weights((size + 1) // 2, k), weights(k) * reading.bias
        self._above = weights(k, k) if reading.separate else self._beside

    def choose(self, boards: Boards, indices: NDArray[np.int64], streams: Streams, moves: NDArray[np.uint16]) -> None:
        """Choose the moves of many games."""
        size, stones = self.variant.size, boards.stones
        points = cell_tables(size).point_of
        colour = stones.colour[indices][:, points].reshape(-1, size, size)
        me = stones.to_move[indices]
        own, enemy = (colour == who[:, None, None] for who in (me, np.array([enemy_of(one) for one in me.tolist()])))
        values = self.values(np.stack([own, enemy], -1).astype(np.float64), indices // self._games)
        words = hash_words(streams[indices])
        streams[indices] = words
        cells = np.arange(size * size, dtype=np.uint64)
        random = hash_words(np.add.outer(words, cells).astype(np.uint64)) / 2.0**64
        values = np.where((colour == EMPTY).reshape(len(indices), -1), values, -np.inf)
        if self._reading.temperature:
            chances = 1 / (1 + np.exp(-values)) / self._reading.temperature
            noise = -np.log(-np.log(np.clip(random, 1e-300, 1 - 1e-16)))  # Gumbel noise, to draw from the softmax
            chosen = np.argmax(np.where(np.isfinite(values), chances + noise, -np.inf), axis=1)
        elif self._reading.ties == "first":
            chosen = np.argmax(values, axis=1)
        else:
            best = np.isclose(values, values.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
            chosen = np.argmax(np.where(best, random, -1.0), axis=1)
        moves[:] = points[chosen]

    def values(self, planes: Values, network: NDArray[np.int64]) -> Values:
        """Return the sums over the sweeps, [board, cell], before the sigmoid; planes: [board, row, column, plane]."""
        r, size = self._reading, planes.shape[1]
        x = np.concatenate([planes[:, ::down, ::right] for down, right in SWEEPS])
        network = np.tile(network, len(SWEEPS))
        beside, above, border = self._beside[network], self._above[network], self._border[network]
        sums = np.einsum("bijp,bup->biju", x, self._w_in[network]) + self._bias[network][:, None, None]
        for edge, w_h in ((sums[:, 0], above), (sums[:, :, 0], beside)):  # views: the cells without a predecessor
            if r.border == "value":
                edge += np.einsum("buv,bv->bu", w_h, border[:, 0])[:, None]
            elif r.border == "bias":
                edge += border[:, :1]
            elif r.border == "position":
                edge += border[:, np.minimum(np.arange(size), size - 1 - np.arange(size))]
        h = np.zeros_like(sums)
        for diagonal in range(2 * size - 1):
            i = np.arange(max(0, diagonal - size + 1), min(diagonal, size - 1) + 1)
            j = diagonal - i
            total, up, left = sums[:, i, j], i > 0, j > 0
            total[:, up] += np.einsum("buv,bcv->bcu", above, h[:, i[up] - 1, j[up]])
            total[:, left] += np.einsum("buv,bcv->bcu", beside, h[:, i[left], j[left] - 1])
            h[:, i, j] = np.tanh(total)
        swept = np.split(np.einsum("biju,bu->bij", h, self._w_out[network]), len(SWEEPS))
        found = sum(out[:, ::down, ::right] for out, (down, right) in zip(swept, SWEEPS, strict=True))
        return np.asarray(found, np.float64).reshape(len(planes), -1)


@dataclass(frozen=True)
class ReadingJob(Job):
    """Games of random MDRNNs of one reading against an opponent: `points` [network]."""

    kind = "reading"
    reading: Reading
    game: str
    size: int
    opponent: str
    networks: int
    games: int
    seed: int

    @property
    def label(self) -> str:
        settings: dict[str, Any] = asdict(self.reading)
        changed = [f"{key}={value}" for key, value in settings.items() if value != getattr(Reading(), key)]
        return " ".join(["reading", *changed, self.game, str(self.size), self.opponent])

    def make(self, cache: "JobCache", progress: Progress) -> Arrays:  # noqa: ARG002
        where = variant(self.game, self.size)
        points = []
        for begin in range(0, self.networks, NETWORKS_AT_ONCE):
            networks = range(begin, min(begin + NETWORKS_AT_ONCE, self.networks))
            player = ReadingPlayer(where, self.reading, networks, self.games, self.seed)
            seed = derive_seed(self.seed, 2000 + begin)
            played = play_in_lockstep(
                where, player, make_player(self.opponent, where), seed, len(networks) * self.games
            )
            points.append(played.points_of_a.reshape(len(networks), self.games).mean(axis=1))
            progress(networks.stop / self.networks)
        return {"points": np.concatenate(points).astype(np.float64)}
