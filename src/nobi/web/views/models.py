"""The Models view: models of the command line first, then shipped models."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from nobi.web.elements import Board
from nobi.web.inside import InsideState
from nobi.web.jobs import Jobs, Task
from nobi.web.opponents import Card, card_of, first_preferences
from nobi.web.play import PlayState
from nobi.web.session import GameSession
from nobi.web.setup import GAME_TITLES, Setup
from nobi.web.views.common import Choice, button, show_errors

_ORIGINS = {
    "given": "given on the command line",
    "saved": "trained here and saved",
    "run": "the champion of a run",
    "shipped": "ships with nobi",
}


class ModelsView:
    """A card for each model."""

    def __init__(self, play_state: PlayState, inside_state: Callable[[], InsideState], jobs: Jobs) -> None:
        self.play_state = play_state
        self.inside_state = inside_state
        self._boards: dict[str, Board] = {}
        cards = [card_of(one) for one in play_state.catalogue.models()]
        self._cards = cards
        self._game = self._board = ""
        self._elements: dict[str, ui.element] = {}
        with ui.element("div").classes("view"):
            ui.label("Models").classes("title")
            if not cards:
                ui.label(
                    "There is no network yet. Start a run in 'Learn', or evolve a network with 'nobi evolve DIR'."
                ).classes("lead")
                return
            ui.label("Each board shows how much the network prefers each first move, in percent.").classes("lead")
            self._build_filter()
            with ui.element("div").classes("cards"):
                for card in cards:
                    self._build_card(card)
            self.none = ui.label("No model plays this game on this board size.").classes("nothing")
        self._filter()
        self._task = Task(jobs, play_state.visitor, f"models {play_state.tab}")
        self._task.start(lambda stop, _: first_preferences(cards, stop))
        self._timer = ui.timer(0.2, self._tick)

    def _build_filter(self) -> None:
        games = {card.opponent.games[0] for card in self._cards}
        sizes = {"": "every board size", **{str(size): f"{size}×{size}" for size in (5, 7, 9, 13, 19)}}
        with ui.element("div").classes("tools").style("margin-bottom:20px"):
            options = {"": "All games", **{key: title for key, title in GAME_TITLES.items() if key in games}}
            self.game_choice = Choice(options, "", lambda key: self._filter(game=key), "game")
            chosen = ui.select(sizes, value="", on_change=lambda event: self._filter(board=str(event.value)))
            chosen.props('dense outlined options-dense aria-label="board"').style("min-width:130px")

    def _filter(self, game: str | None = None, board: str | None = None) -> None:
        self._game = self._game if game is None else game
        self._board = self._board if board is None else board
        self.game_choice.set(self._game)
        shown = 0
        for card in self._cards:
            one = card.opponent
            fits = self._game in ("", one.games[0]) and (not self._board or one.only_size in (0, int(self._board)))
            self._elements[one.id].set_visibility(fits)
            shown += fits
        self.none.set_visibility(not shown)

    def _build_card(self, card: Card) -> None:
        session = GameSession(Setup(game=card.opponent.games[0], size=card.mini_size))
        with ui.element("div").classes("card") as self._elements[card.opponent.id]:
            board = Board(size=card.mini_size, stones=session.stones(), mini=True, label=card.opponent.title)
            self._boards[card.opponent.id] = board
            ui.label(card.opponent.title).style("font-weight:600")
            ui.label(card.summary).classes("hinted")
            ui.label(_ORIGINS[card.opponent.origin]).classes("hinted")
            if card.ratings:
                with ui.element("div").classes("ratings"):
                    ui.label(f"Elo without search ({card.reference}: 0)").classes("hinted")
                    self._facts(card.ratings)
            with ui.expansion("Details").classes("conditions"):
                self._facts(card.facts)
            with ui.element("div").classes("actions"):
                button("Play", partial(self._play, card), style="strong")
                button("Look inside", partial(self._look, card))

    @staticmethod
    def _facts(facts: tuple[tuple[str, str], ...]) -> None:
        for name, value in facts:
            with ui.element("div").classes("fact"):
                ui.label(name)
                ui.label(value).classes("value")

    def _tick(self) -> None:
        found: dict[str, Any] | None = self._task.poll()
        if found is not None or not self._task.busy:
            self._timer.deactivate()
            for key, shares in (found or {}).items():
                self._boards[key].show(policy=list(shares))

    def _play(self, card: Card) -> None:
        with show_errors():
            setup, one = self.play_state.session.setup, card.opponent
            size = one.only_size or setup.size
            self.play_state.new_game(replace(setup.with_size(size), game=one.games[0], opponent=one.id, strength=0))
            ui.navigate.to("/")

    def _look(self, card: Card) -> None:
        with show_errors():
            self.inside_state().choose(card.opponent.id)
            ui.navigate.to("/inside")
