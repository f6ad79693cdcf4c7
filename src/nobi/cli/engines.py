"""`nobi gtp` and `nobi analysis`: engines with a protocol on standard input and output."""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import tyro

from nobi import games, players
from nobi.cli.base import CommonFlags, announce_compiling
from nobi.cli.series import OWN_PLAYER_HELP
from nobi.errors import INTERRUPTED, NobiError
from nobi.models import SUFFIX, is_model
from nobi.spec import parse_spec
from nobi.workers import handle_interrupts, usable_threads

if TYPE_CHECKING:
    from nobi.analysis.settings import EngineSettings
    from nobi.games.base import Variant
    from nobi.players.base import Bot
    from nobi.search.settings import SearchSettings

_ONE_DASH = ("config", "model", "human-model", "override-config", "analysis-threads", "quit-without-waiting")
"""KataGo's options, which have one dash."""
_MEMORY = 64
"""Default megabytes for the tree of each search."""
_GRACE_SECONDS = 0.7
"""Time limit for stopping all searches after a signal, or after the output was closed."""
_WRITE_SECONDS = 0.1


@dataclass(frozen=True)
class Gtp(CommonFlags):
    """Serve a player as an engine: the Go Text Protocol, version 2, on standard input and output.

    For Sabaki, GoGui, kgsGtp and other programs; see docs/gtp.md. Only the protocol is written to standard output. The
    first command is answered when everything is compiled, which is announced by "GTP ready" on standard error.
    """

    player: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="PLAYER",
            help=f"{OWN_PLAYER_HELP} By default the tree search with the best shipped model for the board, on all "
            "cores, 2 s per move without a clock.",
        ),
    ] = ""
    seed: int = 0
    """Seed of all random numbers."""
    json: Annotated[bool, tyro.conf.arg(help="Not available: the output is the protocol.")] = False
    game: str = ""
    """The game; by default Go, or the first game that the player supports."""
    size: Annotated[int, tyro.conf.arg(help_behavior_hint="")] = 0
    """Board size at the start, 5 to 25; by default 19, or the only size that the player supports."""
    threads: int = 1
    """Threads of a player that searches; 0: one per core, as without PLAYER. With several, moves are not
    reproducible."""
    ponder: bool = False
    """Search during the opponent's turn, if the player can."""
    name: str = ""
    """The answer to the command `name`: Lizzie asks for scores and ownership if it begins with KataGo."""
    version_text: str = ""
    """The answer to the command `version`: Lizzie needs 0.15 or more."""
    log: Path | None = None
    """Append all input and output to this file."""

    def run(self) -> int:
        """Serve GTP until quit or end of input."""
        self.check()
        if self.json:
            raise NobiError("An engine has no JSON output; remove --json.")
        announce_compiling()
        from nobi.gtp.engine import serve, warm_up
        from nobi.gtp.session import Session
        from nobi.players.mcts import DEFAULT_SECONDS

        variant = self._variant()
        log = self._log()
        with protocol_streams() as (lines, protocol):
            session = Session(variant, self._new_bot, seconds=None if self.player else DEFAULT_SECONDS)
            session.name, session.version = self.name, self.version_text
            session.warn = lambda text: _note(f"nobi: warning: {text}")
            warm_up(session)
            _note("GTP ready")
            serve(session, lines, protocol, ponder=self.ponder, log=log)
        return 0

    def _new_bot(self, variant: "Variant") -> "Bot":
        if self.player:
            return players.make_bot(self._spec_with_threads(), variant, self.seed)
        from nobi.players.mcts import strongest_spec

        return players.make_bot(strongest_spec(variant, 0 if self.threads == 1 else self.threads), variant, self.seed)

    def _spec_with_threads(self) -> str:
        """Return the player's spec, with --threads as its setting `threads` if it has one that is not given."""
        name, given = parse_spec(self.player)
        if self.threads == 1 or "threads" in given or is_model(name):
            return self.player
        if "threads" not in {field.name for field in fields(players.find(name).settings_type)}:
            return self.player
        given["threads"] = str(usable_threads(self.threads))
        return f"{name}:{','.join(f'{key}={value}' for key, value in given.items())}"

    def _variant(self) -> "Variant":
        """Return the game and board at the start."""
        if self.player.startswith("gtp:"):
            raise NobiError(f"{self.player!r} is already an engine; give a player of nobi.")
        game, size = self.game, self.size
        if not self.player:
            return games.variant(game or "go", size or 19)
        name, given = parse_spec(self.player)
        path = name if is_model(name) else given.get("model")
        if path:
            from nobi.models.model import made_for

            trained, only_size = made_for(path)
            game, size = game or trained, size or only_size
        elif not game:
            known = getattr(players.find(name), "games", None)
            game = "go" if known is None or "go" in known else known[0]
        variant = games.variant(game, size or 19)
        self._new_bot(variant).close()  # raises an error at once if the player cannot play this game
        return variant

    def _log(self) -> Callable[[str], None]:
        if self.log is None:
            return lambda _: None
        try:
            file = self.log.open("a", encoding="utf-8", errors="surrogateescape", buffering=1)
        except OSError as error:
            raise NobiError(f"The log {str(self.log)!r} cannot be written to: {error.strerror}.") from None
        return lambda text: print(time.strftime("%Y-%m-%d %H:%M:%S"), text, file=file)


@dataclass(frozen=True)
class Analysis(CommonFlags):
    """Serve the tree search as an analysis engine: KataGo's JSON protocol on standard input and output.

    For KaTrain, Ogatak, LizzieYzy and other programs; see docs/gtp.md. KataGo's options may be written with one dash,
    so that these programs can start nobi instead of KataGo. Only the protocol is written to standard output.
    """

    json: Annotated[bool, tyro.conf.arg(help="Not available: the output is the protocol.")] = False
    player: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="PLAYER",
            help="A search, as in 'mcts:explore=0.1', or a model; by default the search with the best shipped model.",
        ),
    ] = ""
    config: Path | None = None
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

    @classmethod
    def translate(cls, words: Sequence[str]) -> list[str]:
        """Return the arguments with two dashes for KataGo's one, and with all override strings joined."""
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
            raise NobiError("The protocol is already JSON; remove --json.")
        self.require(0, "analysis_threads")
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
        from nobi.models.model import best_model
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
            from nobi.models.model import load_model

            load_model(settings.model)  # raises an error now if there is none
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


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Yield the input and the output of the protocol; a client that closes the output ends the block without an error.

    All other output, of this process or of a C library, goes to standard error. After SIGINT, SIGTERM or a closed
    output the process ends within a second, even if a search does not stop or the client does not read.
    """
    protocol = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    # unbuffered: at the end a thread still waits for a line, and Python cannot exit while it holds the lock of a buffer
    lines = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115
    closed = threading.Event()
    threading.Thread(target=_watch, args=(protocol.fileno(), closed), daemon=True).start()
    limits: list[threading.Timer] = []

    def interrupt(_: int) -> None:
        limit = threading.Timer(_GRACE_SECONDS, os._exit, (0 if closed.is_set() else INTERRUPTED,))
        limit.daemon = True
        limit.start()
        limits.append(limit)
        raise KeyboardInterrupt

    try:
        with handle_interrupts(interrupt):
            yield lines, protocol
    except (BrokenPipeError, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) and not closed.is_set():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), protocol.fileno())  # Python must not write at exit
    finally:
        for limit in limits:
            limit.cancel()


def _watch(output: int, closed: threading.Event) -> None:
    """Interrupt the program when the reader of the output pipe has closed it, even if nothing is being written."""
    if not hasattr(select, "poll"):  # on Windows, only a write fails
        return
    poll = select.poll()
    poll.register(output, 0)
    for _, event in poll.poll():
        if event & (select.POLLERR | select.POLLHUP):
            closed.set()
            time.sleep(_WRITE_SECONDS)  # a thread that is writing detects this itself and need not be interrupted
            # to the main thread, which may be reading; not SIGINT, which is ignored by programs started in the
            # background
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
