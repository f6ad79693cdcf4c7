"""Inspection of a network: one position on two board sizes, evaluated with the same weights."""

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.board.stones import BLACK, EMPTY, WHITE
from nobi.board.text import point_at, point_named, row_column
from nobi.errors import NobiError
from nobi.games.base import Game
from nobi.web.champion import SIZES, SizeShare, win_rates
from nobi.web.jobs import WENT_WRONG, Jobs, Priority, QueuedJob, Task
from nobi.web.opponents import Catalogue, Opponent
from nobi.web.session import GameSession, stones_of
from nobi.web.setup import Setup
from nobi.web.sweeps import NetworkView, look_inside_file, weights_of

_log = logging.getLogger(__name__)

RATE_GAMES = 40
_EXAMPLE = ("D4 D3 E3 C4 C3 C5 E5 D5", 7)
"""The example position and its board size."""


@dataclass(frozen=True)
class ShownBoard:
    """One of the two boards."""

    size: int
    stones: str
    """[cell] b, w or a dot."""
    turn: str
    view: NetworkView | None
    """None if the network cannot evaluate the position."""
    note: str
    """Why the evaluation or stones are missing; empty otherwise."""

    @property
    def weights(self) -> NDArray[np.float32] | None:
        """The weights used for the evaluation; None for a deep network."""
        return self.view.weights if self.view else None


class InsideState:
    """The state of the Look inside view: a position and a network's evaluation of it."""

    def __init__(
        self, visitor: str, catalogue: Catalogue, jobs: Jobs, tab: str = "", setup: Setup | None = None
    ) -> None:
        """Begin with the opponent of `setup`, or with another network that plays its game.

        Args:
            visitor: the browser, to which the limits of `jobs` apply.
            catalogue: the networks.
            jobs: the computations.
            tab: the tab of the browser.
            setup: the visitor's game.
        """
        self.catalogue = catalogue
        self._visitor = visitor
        self._tab = tab
        self._jobs = jobs
        self.model: Opponent | None = _first_model(catalogue, setup or Setup())
        self._chosen = False
        """Whether the visitor has chosen the network."""
        self.first = GameSession(Setup(size=_EXAMPLE[1]))
        self.second_size = 19
        self.version = 0
        self.boards: tuple[ShownBoard, ...] = ()
        self._job: QueuedJob | None = None
        self.failed = ""
        """Why the evaluation failed; empty if it did not."""
        self.rates: dict[str, tuple[SizeShare, ...]] = {}
        """Measured share of games won on each board, by network id."""
        self._measuring = ""
        self._rates_task = Task(jobs, visitor, f"sizes {tab}")
        self.show_example()

    @property
    def busy(self) -> bool:
        """Whether the network is being evaluated."""
        return self._job is not None

    def show_example(self) -> None:
        """Show the example position; stones that are illegal in the game are left out."""
        if self.model is None:
            return
        game = self.model.games[0]
        size = self.model.only_size or _EXAMPLE[1]
        self.first = GameSession(Setup(game=game, size=size))
        self.second_size = self.model.only_size or 19
        shift = (size - _EXAMPLE[1]) // 2
        if shift >= 0:
            for name in _EXAMPLE[0].split():
                row, column = row_column(point_named(name, _EXAMPLE[1]), _EXAMPLE[1])
                point = point_at(row + shift, column + shift, size)
                if not self.first.is_over and self.first.game.is_legal(point):
                    self.first.play(point)
        self._look()

    def look_at(self, session: GameSession) -> None:
        """Show the position of the visitor's game, if the network plays that game."""
        game = session.setup.game
        if self.model and game not in self.model.games and not self._chosen:
            other = _first_model(self.catalogue, session.setup)
            if other and game in other.games:
                self.model = other
                self.show_example()
        if self.model and not self.model.refusal(game, session.size):
            self.first = GameSession.from_plain(session.plain() | {"resigned": 0})
            if not self.first.at_end:
                self.first.play_from_here()
            if self.first.game.is_over:  # a finished game: the position before its last move
                self.first.show(len(self.first.game.moves) - 1)
                self.first.play_from_here()
            if self.second_size == self.first.size and not self.model.only_size:
                self.second_size = 19 if self.first.size < 13 else 7
            self._look()

    def choices(self) -> dict[str, str]:
        """Return the titles of the available networks, by id."""
        own = {} if self.model is None else {self.model.id: self.model.title}
        return own | {one.id: one.title for one in self.catalogue.models()}

    def choose(self, key: str) -> None:
        """Switch to another network of the catalogue."""
        if self.model is None or key != self.model.id:
            self.take(self.catalogue[key])

    def take(self, model: Opponent) -> None:
        """Switch to this network."""
        model.network_file  # noqa: B018 (raises for a player without a network)
        before = self.model
        self.model = model
        self._chosen = True
        if before is None or before.games != model.games or model.refusal(self.first.setup.game, self.first.size):
            self.show_example()
        else:
            self._look()

    def play_cell(self, cell: Any) -> None:
        """Play a stone of the player to move on the first board."""
        self.first.play(self.first.cell_to_move(cell))
        self._look()

    def undo(self) -> None:
        """Undo the last move."""
        if not self.first.game.moves:
            raise NobiError("There is no move to take back.")
        self.first.show(len(self.first.game.moves) - 1)
        self.first.play_from_here()
        self._look()

    def clear(self) -> None:
        """Clear the board."""
        self.first = GameSession(Setup(game=self.first.setup.game, size=self.first.size))
        self._look()

    @property
    def is_fast(self) -> bool:
        """Whether the network is fast enough to measure at once."""
        return bool(self.model and not self.model.network_file.is_deep)

    @property
    def measuring(self) -> bool:
        """Whether the network is being measured."""
        return self._rates_task.busy

    def measure(self) -> None:
        """Measure the network on all boards, unless its results are known."""
        model = self.model
        if model is None or model.id in self.rates or (self.measuring and self._measuring == model.id):
            return
        game = model.games[0]
        self._measuring = model.id
        self._rates_task.start(lambda stop, _: win_rates(model.network_file, game, SIZES, RATE_GAMES, stop))
        self.version += 1

    def resize(self, size: int) -> None:
        """Change the size of the second board."""
        self.second_size = Setup(size=size).size
        self._look()

    @property
    def changed_weights(self) -> int | None:
        """Number of weights that differ between the evaluations on the two boards; None if unknown."""
        first, second = (board.weights for board in self.boards) if len(self.boards) == 2 else (None, None)
        return None if first is None or second is None else int((first != second).sum())

    def weights(self) -> list[float]:
        """Return the weights of a small network, scaled to -1 to 1; empty for a large one."""
        return weights_of(self.model.file) if self.model and self.model.file else []

    def poll(self) -> None:
        """Take the result of the evaluation."""
        self._poll_rates()
        if self._job and self._job.done.is_set():
            job, self._job = self._job, None
            try:
                self.boards, self.failed = job.take(), ""
            except NobiError as error:
                self.failed = str(error)
            except Exception:
                _log.exception("looking inside a network failed")
                self.failed = WENT_WRONG
            self.version += 1

    def _poll_rates(self) -> None:
        found = self._rates_task.poll()
        if found is not None:
            self.rates[self._measuring] = found
            self.version += 1

    def _look(self) -> None:
        model, first, second_size = self.model, self.first.game.copy(), self.second_size
        if model is None:
            return

        def work(_: threading.Event) -> tuple[ShownBoard, ...]:
            return look_at_both(model, first, second_size)

        try:
            self._job = self._jobs.submit(self._visitor, Priority.EVALUATION, work, f"inside {self._tab}")
        except NobiError as error:
            self.failed = str(error)
            self.version += 1


def _first_model(catalogue: Catalogue, setup: Setup) -> Opponent | None:
    """Return the first network to show: the opponent, else the best one for the game, else any."""
    for key in (setup.opponent, catalogue.first_for(setup.game, setup.size)):
        with suppress(NobiError):
            if catalogue[key].file:
                return catalogue[key]
    return next(iter(catalogue.models()), None)


def look_at_both(model: Opponent, first: Game, second_size: int) -> tuple[ShownBoard, ShownBoard]:
    """Return a network's evaluation of a position, and of the same position in the middle of another board."""
    second, outside = centred(first, second_size)
    note = ""
    if outside:
        stones = f"{outside} stone{'s' * (outside != 1)}"
        verb = "lies" if outside == 1 else "lie"
        shown = "is" if outside == 1 else "are"
        note = f"{stones} {verb} outside {second_size}×{second_size} and {shown} not shown."
    return _shown(model, first, ""), _shown(model, second, note)


def _shown(model: Opponent, game: Game, note: str) -> ShownBoard:
    turn = "b" if game.to_move == BLACK else "w"
    view = None
    refusal = model.refusal(game.name, game.size)
    if refusal:
        note = refusal
    elif game.is_over:
        note = "The game is over in this position."
    else:
        view = look_inside_file(model.network_file, game)
    return ShownBoard(game.size, stones_of(game), turn, view, note)


def centred(game: Game, size: int) -> tuple[Game, int]:
    """Return the position centred on a board of another size, and the number of stones that do not fit."""
    shift = (size - game.size) // 2
    stones, outside = [], 0
    for point in game.points():
        colour = game.colour(point)
        if colour == EMPTY:
            continue
        row, column = (at + shift for at in row_column(point, game.size))
        if 0 <= row < size and 0 <= column < size:
            stones.append((point_at(row, column, size), colour))
        else:
            outside += 1
    other = type(game)(size, game.settings)
    other.set_up(_with_liberties(type(game), size, game.settings, stones), BLACK if game.to_move == BLACK else WHITE)
    return other, outside + len(stones) - sum(other.colour(p) != EMPTY for p in other.points())


def _with_liberties(kind: type[Game], size: int, settings: Any, stones: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stones that can be set up; a chain whose last liberty lies beyond the edge is left out."""
    kept: list[tuple[int, int]] = []
    for stone in stones:
        try:
            kind(size, settings).set_up([*kept, stone], BLACK)
        except NobiError:
            continue
        kept.append(stone)
    return kept
