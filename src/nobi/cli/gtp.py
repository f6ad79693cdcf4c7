"""`nobi gtp`: a player as an engine for Go programs."""

import os
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

    For Sabaki, GoGui, kgsGtp and other programs; see docs/gtp.md. Only the protocol is written to standard output.
    """

    player: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PLAYER", help=OWN_PLAYER_HELP)] = tyro.MISSING
    seed: int = 0
    """Seed of all random numbers."""
    game: str = ""
    """The game; by default Go, or the first game that the player supports."""
    size: int = 0
    """Board size at the start, 5 to 25; by default 19, or the only size that the player supports."""
    threads: int = 1
    """Threads of a player that searches; 0: one per core. With several, moves are not reproducible."""
    ponder: bool = False
    """Search during the opponent's turn, if the player can."""
    log: Annotated[Path | None, UNSET] = None
    """Append the whole dialogue to this file."""

    def run(self) -> int:
        """Serve GTP until quit or end of input."""
        self.check()
        if self.json:
            raise NobiError("An engine has no JSON output; leave --json out.")
        announce_compiling()
        from nobi.gtp.engine import serve
        from nobi.gtp.session import Session

        variant = self._variant()
        log = self._log()
        # all other output, of this process or of a C library, goes to standard error
        protocol = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        # unbuffered: at the end a thread still waits for a line, and Python cannot exit while it holds a buffer's lock
        lines = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115
        serve(Session(variant, self._new_bot), lines, protocol, ponder=self.ponder, log=log)
        return 0

    def _new_bot(self, variant: "Variant") -> "Bot":
        return players.make_bot(self._spec_with_threads(), variant, self.seed)

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
        name, given = parse_spec(self.player)
        path = name if is_model(name) else given.get("model")
        if path:
            trained, only_size = _made_for(Path(path))
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


def _made_for(path: Path) -> tuple[str, int]:
    """The game that a model was trained on, and the only board size it supports; 0 if it supports several."""
    from nobi.models.model import DEEP, model_in, read_model_file

    file = read_model_file(path)
    if file.format == DEEP:
        return "go", file.size
    model = model_in(file)
    return model.game, 0 if model.network.scalable else model.size
