"""`nobi gtp`: a player as an engine for Go programs."""

import os
import sys
import time
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
    from collections.abc import Callable

    from nobi.games.base import Variant
    from nobi.players.base import Bot


@dataclass(frozen=True)
class Gtp(CommonFlags):
    """Play as an engine: speaks the Go Text Protocol, version 2, on standard input and output.

    For Sabaki, GoGui, kgsGtp and other programs; see docs/gtp.md. Nothing but the protocol goes to standard output.
    """

    player: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PLAYER", help=OWN_PLAYER_HELP)] = tyro.MISSING
    seed: int = 0
    """Chooses all random numbers."""
    game: str = ""
    """The game; by default Go, or what the player can play."""
    size: int = 0
    """Lines of the board at the start, 5 to 25; by default 19, or those that the player can play on."""
    threads: int = 1
    """Threads of a player that searches; 0 for one a core. Several do not find the same moves every time."""
    ponder: bool = False
    """Think in the opponent's time, if the player can."""
    log: Annotated[Path | None, UNSET] = None
    """Append all that is said to this file."""

    def run(self) -> int:
        """Answers until the other side has had enough."""
        self.check()
        if self.json:
            raise NobiError("An engine speaks the protocol, not JSON; leave --json out.")
        announce_compiling()
        from nobi.gtp.engine import serve
        from nobi.gtp.session import Session

        variant = self._variant()
        log = self._log()
        # whatever else prints, in this process or in a library's C code, goes to standard error
        protocol = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        # not buffered: at the end a thread still waits for a line, and Python cannot end while it holds a buffer's lock
        lines = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115
        serve(Session(variant, self._new_bot), lines, protocol, ponder=self.ponder, log=log)
        return 0

    def _new_bot(self, variant: "Variant") -> "Bot":
        return players.make_bot(self._word(), variant, self.seed)

    def _word(self) -> str:
        """The player's word, with the threads to search with if it can have some and does not say how many."""
        name, given = parse_spec(self.player)
        if self.threads == 1 or "threads" in given or is_model(name):
            return self.player
        if "threads" not in {field.name for field in fields(players.find(name).settings_type)}:
            return self.player
        given["threads"] = str(usable_threads(self.threads))
        return f"{name}:{','.join(f'{key}={value}' for key, value in given.items())}"

    def _variant(self) -> "Variant":
        """The game and board to begin with."""
        if self.player.startswith("gtp:"):
            raise NobiError(f"{self.player!r} is an engine already; name a player of nobi.")
        game, size = self.game, self.size
        name, given = parse_spec(self.player)
        path = name if is_model(name) else given.get("model")
        if path:
            trained, only = _made_for(Path(path))
            game, size = game or trained, size or only
        elif not game:
            known = getattr(players.find(name), "games", None)
            game = "go" if known is None or "go" in known else known[0]
        variant = games.variant(game, size or 19)
        self._new_bot(variant).close()  # complains now of what cannot be
        return variant

    def _log(self) -> "Callable[[str], None]":
        if self.log is None:
            return lambda _: None
        try:
            file = self.log.open("a", encoding="utf-8", errors="surrogateescape", buffering=1)
        except OSError as fault:
            raise NobiError(f"The log {str(self.log)!r} cannot be written to: {fault.strerror}.") from None
        return lambda text: print(time.strftime("%Y-%m-%d %H:%M:%S"), text, file=file)


def _made_for(path: Path) -> tuple[str, int]:
    """The game that the model in a file was trained on, and the size of its board if it is to play there; else 0."""
    from nobi.models.model import DEEP, model_in, read_model_file

    file = read_model_file(path)
    if file.format == DEEP:
        return "go", file.size
    model = model_in(file)
    return model.game, 0 if model.network.scalable else model.size
