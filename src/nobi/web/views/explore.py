"""The Explore view: results of the studies, and experiments for visitors."""

from collections.abc import Callable
from functools import partial
from html import escape

from nicegui import ui

from nobi.web.champion import watched
from nobi.web.experiments import Experiments
from nobi.web.inside import InsideState
from nobi.web.play import PlayState
from nobi.web.results import (
    Figure,
    StudyResult,
    StudyTable,
    agreement_legend,
    heading_of,
    missing_studies,
    study_results,
)
from nobi.web.reviewing import ReviewState
from nobi.web.session import GameSession
from nobi.web.setup import Setup
from nobi.web.views.common import TICK_SECONDS, Replay
from nobi.web.views.experiments import CiaoPanel, TransferPanel
from nobi.web.views.review import ReviewPanel

_OWN = {
    "review": "Review a game",
    "scatter": "One network, two boards",
    "ciao": "Champions against champions",
}


class ExploreView:
    """A list on the left, the selected panel on the right."""

    def __init__(
        self,
        review_state: ReviewState,
        experiments: Experiments,
        inside_state: Callable[[], InsideState],
        play_state: PlayState,
        chosen: list[str],
    ) -> None:
        """`chosen` holds the key of the last panel of the tab."""
        self.review_state = review_state
        self.play_state = play_state
        self.experiments = experiments
        self.inside_state = inside_state
        self._chosen = chosen
        self._links: dict[str, ui.element] = {}
        self._tick: Callable[[], None] = lambda: None
        self._results = study_results()
        with ui.element("div").classes("view explore"):
            with ui.element("nav").classes("list").props('aria-label="what to explore"'):
                self._build_list()
            self.content = ui.element("div").classes("main")
        self._open(chosen[0] if chosen[0] in self._links else "review")
        ui.timer(TICK_SECONDS, lambda: self._tick())

    def _build_list(self) -> None:
        ui.label("Try it").classes("list-head")
        for key, title in _OWN.items():
            self._link(key, title)
        heading = ""
        for name, result in self._results.items():
            if heading_of(name) != heading:
                heading = heading_of(name)
                ui.label(heading).classes("list-head")
            self._link(name, _short_title(result))
        missing = missing_studies(self._results)
        if missing:
            ui.label("No result yet").classes("list-head")
            for name in missing:
                self._link(name, name)

    def _link(self, key: str, title: str) -> None:
        link = ui.element("button").props("type=button").classes("list-link").on("click", partial(self._open, key))
        with link:
            ui.label(title)
        self._links[key] = link

    def _open(self, key: str) -> None:
        self._chosen[0] = key
        for name, link in self._links.items():
            link.classes(add="on" if name == key else None, remove=None if name == key else "on")
        self.content.clear()
        self._tick = lambda: None
        with self.content:
            if key == "review":
                self._tick = ReviewPanel(self.review_state, self.play_state).tick
            elif key == "scatter":
                self._tick = TransferPanel(self.experiments, self.inside_state).tick
            elif key == "ciao":
                self._tick = CiaoPanel(self.experiments).tick
            elif key in self._results:
                self._tick = StudyPanel(self._results[key]).tick
            else:
                ui.label("No result of this study yet.").classes("title")
                ui.label(f"Run it with 'nobi study {key}'.").classes("lead")


class StudyPanel:
    """Tables, claims and figures of one study."""

    def __init__(self, result: StudyResult) -> None:
        self._replay: Replay | None = None
        ui.label(result.title).classes("title")
        ui.label(result.page).classes("lead")
        if result.claims:
            with ui.element("div").classes("card claims"):
                ui.label("What the paper says" if not result.name.startswith("beyond") else "Questions").classes(
                    "heading"
                )
                for mark, text, evidence in result.claims:
                    kind = {"✓": "yes", "✗": "no"}.get(mark, "open")
                    status = {"yes": "Reproduced", "no": "Not reproduced", "open": "Inconclusive"}[kind]
                    with ui.element("div").classes("claim"):
                        ui.label(status).classes(f"chip {kind}")
                        with ui.element("div"):
                            ui.label(text)
                            ui.label(evidence).classes("hinted")
        for figure in result.figures:
            if not figure.is_game:
                self._figure(figure)
        games = [figure for figure in result.figures if figure.is_game]
        if games:
            self._games(games)
        for table in result.tables:
            self._table(table)
        if any(any(table.agrees) for table in result.tables):
            legend = "; ".join(f"{mark}: {meaning}" for mark, meaning in agreement_legend().items())
            ui.label(f"{legend}.").classes("hinted").style("margin-top:8px")
        for note in result.notes:
            ui.label(note).classes("hinted").style("margin-top:8px")
        with ui.expansion(f"How it was measured (scale {result.scale})").classes("conditions"):
            rows = "".join(f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>" for key, text in result.conditions)
            ui.html(f'<table class="grid wrap">{rows}</table>', sanitize=False)

    def _figure(self, figure: Figure) -> None:
        with ui.element("figure"):
            ui.html(
                f'<a href="{figure.url}" target="_blank"><img class="figure" src="{figure.url}" '
                f'alt="{escape(figure.caption)}" loading="lazy"></a>',
                sanitize=False,
            )
            ui.label(figure.caption).classes("hinted")

    def _games(self, games: list[Figure]) -> None:
        with ui.element("div").classes("card"):
            ui.label("Games").classes("heading")
            with ui.element("div").classes("two"):
                with ui.element("div").classes("blunders"):
                    for figure in games:
                        row = ui.element("button").props("type=button").classes("blunder")
                        row.on("click", partial(self._play, figure))
                        with row:
                            ui.label(figure.caption)
                self._replay = Replay("", 9, controls=True)
        self._play(games[0])

    def _play(self, figure: Figure) -> None:
        session = GameSession.from_sgf(figure.file.read_bytes(), Setup())
        if self._replay:
            self._replay.title.set_text(figure.caption)
            self._replay.show(watched(session.setup, session.game.moves, "Black", "White"))

    def _table(self, table: StudyTable) -> None:
        heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
        body = "".join(
            f'<tr class="{agrees}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row, agrees in zip(table.rows, table.agrees, strict=True)
        )
        with ui.element("div").classes("card table-card"):
            ui.label(table.title).classes("heading")
            html = f'<table class="grid"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
            ui.html(html, sanitize=False).classes("wide-table")

    def tick(self) -> None:
        """Advance the game."""
        if self._replay:
            self._replay.tick()


def _short_title(result: StudyResult) -> str:
    """Return the title without the name of the paper, which is its heading in the list."""
    head, colon, rest = result.title.partition(": ")
    if not colon or not head[1:3].isdigit():
        return result.title
    place = head.partition(" ")[2]
    short = f"{place}: {rest}" if place else rest
    return short[0].upper() + short[1:]
