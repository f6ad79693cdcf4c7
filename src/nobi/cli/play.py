"""`nobi play`: the web page, or a game in the terminal."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nobi import games
from nobi.cli.base import CommonFlags, announce_compiling
from nobi.errors import NobiError


@dataclass(frozen=True)
class Play(CommonFlags):
    """Play in a web page of this machine, and look inside networks.

    The page is at http://127.0.0.1:8080 and opens in a browser. --terminal plays in the terminal instead.
    """

    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="[MODEL …]", help="Model files and run folders, in addition to the shipped models."),
    ] = ()
    host: str = "127.0.0.1"
    """The address to listen on; addresses other than this machine's need --token or --public."""
    port: int = 8080
    """The port to listen on."""
    no_browser: bool = False
    """Do not open a browser."""
    token: str = ""
    """A secret of letters and digits that the address must contain to open the page."""
    public: bool = False
    """Let everyone who can reach --host play and start computations here."""
    engines: Annotated[
        tuple[str, ...],
        tyro.conf.arg(
            metavar="[COMMAND …]",
            help="GTP engines to play Go against, as in 'gnugo --mode gtp'.",
        ),
    ] = ()
    names: Annotated[
        tuple[str, ...],
        tyro.conf.arg(metavar="[NAME …]", help="Additional host names of the page, for instance behind a proxy."),
    ] = ()
    runs: Path = Path("runs")
    """The folder of runs: its runs can be watched, and runs started in the page are created there."""
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
        from nobi.web.server import ServerSettings, check_settings, serve

        settings = ServerSettings(
            host=self.host,
            port=self.port,
            token=self.token,
            public=self.public,
            models=self.models,
            engines=self.engines,
            browser=not self.no_browser,
            names=self.names,
            runs=self.runs,
        )
        check_settings(settings)
        serve(settings, lambda line: print(line, file=sys.stderr, flush=True))
        return 0
