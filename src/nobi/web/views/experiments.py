"""Two panels of the Explore view: random networks on two boards, and champions against champions."""

import random
from collections.abc import Callable

from nicegui import ui

from nobi.errors import NobiError
from nobi.web.elements import Plot
from nobi.web.experiments import GAMES, GENERATIONS, KINDS, LARGE, NETWORKS, Experiments, TransferChoice
from nobi.web.inside import InsideState
from nobi.web.jobs import Task
from nobi.web.setup import GAME_TITLES
from nobi.web.views.common import Replay, button, show_errors

_PAIRS = {"5-9": "5×5 and 9×9", "5-7": "5×5 and 7×7", "7-11": "7×7 and 11×11", "9-19": "9×9 and 19×19"}

_PLAYING = " The two games are being played."


def _placeholder(action: str, *, busy: bool) -> str:
    """Return the text shown before a result is available."""
    return "This takes a few seconds, the first time up to a minute." if busy else f"Press '{action}'."


class _Waiting:
    """A progress bar and a stop button, shown during a computation."""

    def __init__(self, task: Task) -> None:
        self._task = task
        with ui.element("div").classes("waiting") as self.row:
            self._bar = ui.linear_progress(0, show_value=False, size="6px").props("rounded instant-feedback")
            button("Stop", task.stop)
        self.failed = ui.label().classes("failed")
        self.tick()

    def tick(self) -> None:
        self.row.set_visibility(self._task.busy)
        self._bar.set_value(round(self._task.progress, 3))
        self.failed.set_text(self._task.failed)
        self.failed.set_visibility(bool(self._task.failed))


class _Panel:
    """Base class of a panel with an experiment and replays of picked games."""

    experiments: Experiments
    waiting: _Waiting
    replays: list[Replay]
    _seen = -1

    def advance(self) -> bool:
        """Advance the experiment and the replays; return whether the panel must be redrawn."""
        self.experiments.poll()
        self.waiting.tick()
        for replay in self.replays:
            replay.tick()
        if self.experiments.version == self._seen:
            return False
        self._seen = self.experiments.version
        return True


class TransferPanel(_Panel):
    """Scatter plot of random networks by their results on two boards."""

    def __init__(self, experiments: Experiments, inside_state: Callable[[], InsideState]) -> None:
        self.experiments = experiments
        self.inside_state = inside_state
        self._seed = 1
        ui.label("One network, two boards").classes("title")
        ui.label(
            f"{NETWORKS} networks with random weights play {GAMES} games each against the naive player on a small "
            f"board and {GAMES} on a larger one. Each point is one network. Do networks that play well on the small "
            "board also play well on the large one? Click a point to see its games."
        ).classes("lead")
        with ui.element("div").classes("tools"):
            games = {key: title for key, title in GAME_TITLES.items() if key != "go"}
            self.game = ui.select(games, value="atari-go").props('dense outlined options-dense aria-label="game"')
            self.net = ui.select(KINDS, value="mdlstm:hidden=3")
            self.net.props('dense outlined options-dense aria-label="network"')
            self.pair = ui.select(_PAIRS, value="5-9").props('dense outlined options-dense aria-label="boards"')
            button("Draw networks", self._start, icon="casino", style="strong")
        self.waiting = _Waiting(experiments.scatter_task)
        with ui.element("div").classes("two wide-left"):
            with ui.element("div").classes("card"):
                self.plot = Plot(
                    ratio=0.86,
                    live=True,
                    diagonal=True,
                    noun="Network",
                    label="results of networks on two boards",
                    x={"low": -1, "high": 1},
                    y={"low": -1, "high": 1},
                )
                self.plot.on_pick(self._pick)
                self.correlation = ui.label().classes("hinted")
            with ui.element("div") as self.boards:
                self.replays = [Replay("", 5, controls=True), Replay("", 9, controls=True)]
                with ui.element("div").classes("actions"):
                    button("Look inside", self._look, icon="visibility")
        self.tick()

    def _start(self) -> None:
        small, large = map(int, str(self.pair.value).split("-"))
        with show_errors():
            choice = TransferChoice(str(self.game.value), str(self.net.value), small, large, self._seed)
            self._seed += 1
            self.experiments.measure(choice)

    def _pick(self, i: int) -> None:
        with show_errors():
            self.experiments.pick_network(i)

    def _look(self) -> None:
        with show_errors():
            network = self.experiments.network()
            if network is None:
                raise NobiError("Click a point first.")
            self.inside_state().take(network)
            ui.navigate.to("/inside")

    def tick(self) -> None:
        """Show changes and advance the replays."""
        if not self.advance():
            return
        scatter = self.experiments.scatter
        self.plot.set_visibility(scatter is not None)
        self.boards.set_visibility(bool(self.experiments.networks_games))
        self.correlation.set_text(
            _placeholder("Draw networks", busy=self.experiments.scatter_task.busy) if scatter is None else ""
        )
        if scatter is None:
            return
        choice = scatter.choice
        r = scatter.correlation
        self.plot.show(
            points=scatter.points,
            picked=self.experiments.picked_network,
            x={"low": -1, "high": 1, "label": f"on {choice.small}×{choice.small} →", "hint": "Click a point."},
            y={"low": -1, "high": 1, "label": f"↑ on {choice.large}×{choice.large}"},
        )
        value = "is not defined" if r is None else f"is {r:.2f}".replace("-", "−")
        self.correlation.set_text(
            f"1 means that all games were won. The correlation of {len(scatter.small)} networks {value}. Above the "
            "line a network plays better on the larger board." + _PLAYING * self.experiments.replaying
        )
        for replay, game in zip(self.replays, self.experiments.networks_games, strict=False):
            if replay.game is not game:
                number = self.experiments.picked_network + 1
                replay.title.set_text(f"Network {number} on {game.size}×{game.size}")
                replay.show(game)


class CiaoPanel(_Panel):
    """Matrix of the champions of one population against those of the other."""

    def __init__(self, experiments: Experiments) -> None:
        self.experiments = experiments
        ui.label("Champions against champions").classes("title")
        ui.label(
            "Two populations of networks learn Atari-Go on 5×5 only by playing each other, for "
            f"{GENERATIONS} generations. Then every champion of one population plays two games against every champion "
            "of the other, one with each colour: green where the first population wins both, brown where the second "
            "does, pale where each wins one. Click a square to see a game of the two networks, and one "
            f"on {LARGE}×{LARGE}."
        ).classes("lead")
        with ui.element("div").classes("tools"):
            button("Start a coevolution", self._start, icon="play_arrow", style="strong")
        self.waiting = _Waiting(experiments.ciao_task)
        with ui.element("div").classes("two wide-left"):
            with ui.element("div").classes("card"):
                self.plot = Plot(ratio=0.9, live=True, label="scores of champions against champions")
                self.plot.on_pick(self._pick)
                self.note = ui.label().classes("hinted")
            with ui.element("div") as self.boards:
                self.replays = [Replay("", 5, controls=True), Replay("", LARGE, controls=True)]
        self.tick()

    def _start(self) -> None:
        with show_errors():
            self.experiments.coevolve(random.SystemRandom().randrange(2**31))

    def _pick(self, i: int) -> None:
        with show_errors():
            self.experiments.pick_pair(i)

    def tick(self) -> None:
        """Show changes and advance the replays."""
        if not self.advance():
            return
        ciao = self.experiments.ciao
        self.plot.set_visibility(ciao is not None)
        self.boards.set_visibility(bool(self.experiments.pair_games))
        busy = self.experiments.ciao_task.busy
        self.note.set_text(_placeholder("Start a coevolution", busy=busy) if ciao is None else "")
        if ciao is None:
            return
        rows, columns = ciao.scores.shape
        self.plot.show(
            matrix=[[round(float(score), 2) for score in row] for row in ciao.scores],
            picked=self.experiments.picked_pair,
            x={
                "label": "second population, later generations →",
                "names": [f"generation {2 * j + 2}" for j in range(columns)],
                "scale": 2,
                "hint": "Click a square.",
            },
            y={"label": "↑ first population", "names": [f"Generation {2 * i + 1}" for i in range(rows)], "scale": 2},
        )
        self.note.set_text(
            "The axes show generations. With steady progress, squares above the diagonal are green and those below are "
            "brown." + _PLAYING * self.experiments.replaying
        )
        for replay, game in zip(self.replays, self.experiments.pair_games, strict=False):
            if replay.game is not game:
                replay.title.set_text(
                    f"On {game.size}×{game.size}" + (", where they learned" if game.size == 5 else "")
                )
                replay.show(game)
