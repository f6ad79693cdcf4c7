"""`nobi analysis`: the tree search as an engine for programs that speak KataGo's JSON analysis protocol."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.base import UNSET, CommonFlags, announce_compiling
from nobi.cli.streams import protocol_streams
from nobi.errors import NobiError
from nobi.models import SUFFIX, is_model
from nobi.spec import parse_spec
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.analysis.settings import EngineSettings
    from nobi.search.settings import SearchSettings

_ONE_DASH = ("config", "model", "human-model", "override-config", "analysis-threads", "quit-without-waiting")
"""Options that KataGo writes with one dash."""
_MEMORY = 64
"""Megabytes for the tree of each search, unless the player's spec says otherwise."""


@dataclass(frozen=True)
class Analysis(CommonFlags):
    """Serve the tree search as an analysis engine: KataGo's JSON protocol on standard input and output.

    For KaTrain, Ogatak, LizzieYzy and other programs; see docs/gtp.md. KataGo's options may be written with one dash,
    so that these programs can start nobi in place of KataGo. Only the protocol is written to standard output.
    """

    player: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="PLAYER",
            help="A search, as in 'mcts:explore=0.1', or a model; by default the search with the best shipped model.",
        ),
    ] = ""
    config: Annotated[Path | None, UNSET] = None
    """A configuration file of KataGo; settings that nobi does not have are ignored."""
    model: str = ""
    """A model of nobi; other files, such as KataGo's networks, are ignored with a note."""
    human_model: str = ""
    """Ignored with a note."""
    override_config: str = ""
    """Settings of the configuration, as in "maxVisits=100,reportAnalysisWinratesAs=BLACK"."""
    analysis_threads: int = 0
    """The number of searches at once; 0: numAnalysisThreads of the configuration, or one per core, at least two."""
    quit_without_waiting: bool = False
    """At the end of the input, end at once instead of finishing all queries."""

    @staticmethod
    def translate(words: Sequence[str]) -> list[str]:
        """The arguments with two dashes for KataGo's one, and with all override strings joined."""
        found = [f"-{word}" if word.lstrip("-") in _ONE_DASH and word[:2] != "--" else word for word in words]
        overrides, others = [], []
        rest = iter(found)
        for word in rest:
            name, equals, value = word.partition("=")
            if name != "--override-config":
                others.append(word)
            else:
                overrides.append(value if equals else next(rest, ""))
        return [*others, f"--override-config={','.join(overrides)}"] if overrides else others

    def run(self) -> int:
        """Serve queries until the end of the input."""
        self.check()
        if self.json:
            raise NobiError("The protocol is JSON already; leave --json out.")
        if self.analysis_threads < 0:
            raise NobiError(f"--analysis-threads must be 0 or more, not {self.analysis_threads}.")
        announce_compiling()
        from nobi.analysis.engine import AnalysisEngine, serve

        search, settings = self._search_settings(), self._engine_settings()
        with protocol_streams() as (lines, protocol):
            engine = AnalysisEngine(
                search, settings, protocol, cores=usable_threads(self.threads), log=lambda text: _note(text.rstrip())
            )
            try:
                engine.warm_up()
                _note("nobi analysis: ready to begin handling requests")
                serve(engine, lines, finish=not self.quit_without_waiting)
            finally:
                engine.close()
        return 0

    def _search_settings(self) -> "SearchSettings":
        from nobi.models.choice import best_model
        from nobi.players.mcts import MctsPlayer

        name, given = parse_spec(self.player) if self.player else ("", {})
        if name == MctsPlayer.name:
            settings: SearchSettings = MctsPlayer.parse_settings(self.player)
        elif not name or is_model(name):
            settings = MctsPlayer.parse_settings(MctsPlayer.name)
            settings = replace(settings, model=name or best_model("go", 19))
        else:
            raise NobiError(f"An analysis needs a search or a model, not {self.player!r}.")
        if self.model and is_model(self.model):
            settings = replace(settings, model=self.model)
        elif self.model:
            _note(f"nobi analysis: {self.model} is not a model of nobi ({SUFFIX}); it is ignored.")
        if self.human_model:
            _note(f"nobi analysis: the human model {self.human_model} is ignored.")
        if settings.model:
            from nobi.models.model import read_model_file

            read_model_file(Path(settings.model))  # raises an error now if there is none
        return settings if "memory" in given else replace(settings, memory=_MEMORY)

    def _engine_settings(self) -> "EngineSettings":
        from nobi.analysis.settings import EngineSettings, read_config, read_overrides

        settings = EngineSettings()
        if self.config:
            settings = settings.with_text(read_config(self.config))
            # KataGo's files are written for graphics cards
            settings = replace(settings, searches=min(settings.searches, max(2, usable_threads(self.threads))))
        settings = settings.with_text(read_overrides(self.override_config))
        return replace(settings, searches=self.analysis_threads or settings.searches)


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
