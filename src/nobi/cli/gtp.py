"""`nobi gtp`: a player as an engine for Go programs."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi import games, players
from nobi.cli.base import UNSET, CommonFlags, announce_compiling
from nobi.cli.series import OWN_PLAYER_HELP
from nobi.cli.streams import protocol_streams
from nobi.errors import NobiError
from nobi.models import is_model
from nobi.spec import parse_spec
from nobi.workers import usable_threads

if TYPE_CHECKING:
    from nobi.games.base import Variant
    from nobi.players.base import Bot


@dataclass(frozen=True)
class Gtp(CommonFlags):
    """Serve a player as an engine: the Go Text Protocol, version 2, on standard input and output.

    For Sabaki, GoGui, kgsGtp and other programs; see docs/gtp.md. Only the protocol is written to standard output. The
    first command is answered when everything is compiled; "GTP ready" on standard error says so.
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
    game: str = ""
    """The game; by default Go, or the first game that the player supports."""
    size: int = 0
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
    log: Annotated[Path | None, UNSET] = None
    """Append the whole dialogue to this file."""

    def run(self) -> int:
        """Serve GTP until quit or end of input."""
        self.check()
        if self.json:
            raise NobiError("An engine has no JSON output; leave --json out.")
        announce_compiling()
        from nobi.gtp.engine import serve, warm_up
        from nobi.gtp.session import Session
        from nobi.players.strongest import SECONDS

        variant = self._variant()
        log = self._log()
        with protocol_streams() as (lines, protocol):
            session = Session(variant, self._new_bot, seconds=None if self.player else SECONDS)
            session.name, session.version = self.name, self.version_text
            session.warn = lambda text: print(f"nobi: warning: {text}", file=sys.stderr, flush=True)
            warm_up(session)
            print("GTP ready", file=sys.stderr, flush=True)
            serve(session, lines, protocol, ponder=self.ponder, log=log)
        return 0

    def _new_bot(self, variant: "Variant") -> "Bot":
        spec = self._spec_with_threads() if self.player else self._strongest(variant)
        return players.make_bot(spec, variant, self.seed)

    def _strongest(self, variant: "Variant") -> str:
        from nobi.players.strongest import strongest_spec

        return strongest_spec(variant, 0 if self.threads == 1 else self.threads)

    def _spec_with_threads(self) -> str:
        """The player's spec, with --threads as its setting `threads` if it has one that is not given."""
        name, given = parse_spec(self.player)
        if self.threads == 1 or "threads" in given or is_model(name):
            return self.player
        if "threads" not in {field.name for field in fields(players.find(name).settings_type)}:
            return self.player
        given["threads"] = str(usable_threads(self.threads))
        return f"{name}:{','.join(f'{key}={value}' for key, value in given.items())}"

    def _variant(self) -> "Variant":
        """The game and board at the start."""
        if self.player.startswith("gtp:"):
            raise NobiError(f"{self.player!r} is an engine already; name a player of nobi.")
        game, size = self.game, self.size
        if not self.player:
            return games.variant(game or "go", size or 19)
        name, given = parse_spec(self.player)
        path = name if is_model(name) else given.get("model")
        if path:
            from nobi.models.choice import made_for

            trained, only_size = made_for(path)
            game, size = game or trained, size or only_size
        elif not game:
            known = getattr(players.find(name), "games", None)
            game = "go" if known is None or "go" in known else known[0]
        variant = games.variant(game, size or 19)
        self._new_bot(variant).close()  # raises an error now if the player cannot play this
        return variant

    def _log(self) -> Callable[[str], None]:
        if self.log is None:
            return lambda _: None
        try:
            file = self.log.open("a", encoding="utf-8", errors="surrogateescape", buffering=1)
        except OSError as error:
            raise NobiError(f"The log {str(self.log)!r} cannot be written to: {error.strerror}.") from None
        return lambda text: print(time.strftime("%Y-%m-%d %H:%M:%S"), text, file=file)
