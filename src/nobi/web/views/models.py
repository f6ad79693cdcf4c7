"""The view of all models: those of the command line first, then those that ship."""

from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from nobi.web.board import Board
from nobi.web.cards import Card, card_of, first_preferences
from nobi.web.jobs import Job, Jobs, Priority
from nobi.web.looking import Looker
from nobi.web.session import Session
from nobi.web.setup import Setup
from nobi.web.table import Table
from nobi.web.views.common import button, sentences


class ModelsView:
    """A card for each model."""

    def __init__(self, table: Table, looker: Looker, jobs: Jobs) -> None:
        self.table = table
        self.looker = looker
        self._boards: dict[str, Board] = {}
        cards = [card_of(one) for one in table.catalogue.models()]
        with ui.element("div").classes("view"):
            ui.label("Models").classes("title")
            if not cards:
                ui.label(
                    "There is no network yet. Evolve one with 'nobi evolve DIR', then start "
                    "'nobi play DIR/champion.safetensors'."
                ).classes("lead")
                return
            ui.label("On each board: what the network prefers as the first move.").classes("lead")
            with ui.element("div").classes("cards"):
                for card in cards:
                    self._build_card(card)
        self._job: Job | None = jobs.submit(
            f"{table.visitor}/models", Priority.REVIEW, lambda stop: first_preferences(cards, stop)
        )
        self._timer = ui.timer(0.2, self._tick)

    def _build_card(self, card: Card) -> None:
        session = Session(Setup(game=card.opponent.games[0], size=card.mini_size))
        with ui.element("div").classes("card"):
            board = Board(size=card.mini_size, stones=session.stones(), mini=True, label=card.opponent.title)
            self._boards[card.opponent.id] = board
            ui.label(card.opponent.title).style("font-weight:600")
            ui.label("ships with nobi" if card.opponent.shipped else "given on the command line").classes("hinted")
            for name, value in card.facts:
                with ui.element("div").classes("fact"):
                    ui.label(name)
                    ui.label(value).classes("value")
            with ui.element("div").classes("actions"):
                button("Play", partial(self._play, card), style="strong")
                button("Look inside", partial(self._look, card))

    def _tick(self) -> None:
        if self._job and self._job.done.is_set():
            found: dict[str, Any] = self._job.take()
            self._job = None
            self._timer.deactivate()
            for key, shares in found.items():
                self._boards[key].show(policy=list(shares))

    def _play(self, card: Card) -> None:
        with sentences():
            setup, one = self.table.session.setup, card.opponent
            size = one.only_size or setup.size
            self.table.new_game(replace(setup.with_size(size), game=one.games[0], opponent=one.id, strength=0))
            ui.navigate.to("/")

    def _look(self, card: Card) -> None:
        with sentences():
            self.looker.choose(card.opponent.id)
            ui.navigate.to("/inside")
