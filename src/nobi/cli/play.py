"""`nobi play`: the web page, or a game in the terminal."""

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nobi import games
from nobi.cli.base import CommonFlags, announce_compiling, settings_among
from nobi.errors import NobiError
from nobi.web.settings import ServerSettings


@dataclass(frozen=True)
class Play(CommonFlags, ServerSettings):
    """Play in a web page of this machine, and look inside networks.

    The page is at http://127.0.0.1:8080 and opens in a browser. --terminal plays in the terminal instead.
    """

    json: Annotated[bool, tyro.conf.arg(help="Not available: a game has no JSON output.")] = False
    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="[MODEL …]", help="Model files and run folders, in addition to the shipped models."),
    ] = ()
    terminal: bool = False
    """Play in the terminal."""
    game: Annotated[str, tyro.conf.arg(help=f"The game in the terminal: {', '.join(games.names())}.")] = "atari-go"
    size: int = 9
    """Lines of the board in the terminal, 5 to 25."""
    opponent: str = ""
    """The opponent in the terminal: a player, a model or 'gtp:COMMAND'; by default the first MODEL, or naive."""
    white: bool = False
    """Play White in the terminal."""

    def run(self) -> int:
        """Serve the page, or play in the terminal."""
        self.check()
        if self.json:
            raise NobiError("A game has no JSON output; remove --json.")
        announce_compiling()
        if self.terminal:
            from nobi.cli.terminal import play_in_terminal

            opponent = self.opponent or (str(self.models[0]) if self.models else "naive")
            return play_in_terminal(games.variant(self.game, self.size), opponent, white=self.white, seed=self.seed)
        from nobi.web.server import check_settings, serve

        settings = settings_among(self, ServerSettings)
        check_settings(settings)
        with suppress(KeyboardInterrupt):  # the way to stop the page
            serve(settings, lambda line: print(line, file=sys.stderr, flush=True))
        return 0
