"""The settings of the server; their fields are flags of `nobi play`."""

import socket
from dataclasses import dataclass
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class ServerSettings:
    """Where the page is served, and what it offers."""

    host: str = "127.0.0.1"
    """The address to listen at; others than this machine need --token or --public."""
    port: int = 8080
    """The port to listen at."""
    token: str = ""
    """A secret of letters and digits that the address must contain to open the page."""
    public: bool = False
    """Let everyone who can reach --host play and start computations here."""
    models: tuple[Path, ...] = ()
    """Model files and folders of runs, besides the shipped models."""
    engines: tuple[str, ...] = ()
    """GTP engines to play Go against, as in 'gnugo --mode gtp'."""
    browser: bool = True
    """Open a browser; --no-browser: do not."""
    names: tuple[str, ...] = ()
    """Further host names by which the page is reached, as through a proxy."""
    runs: Path = Path("runs")
    """The folder of runs: those in it can be watched, and those of the page are made there."""

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    @property
    def hosts(self) -> list[str]:
        """Accepted Host headers, besides numeric addresses if the page listens on a network."""
        own = ["127.0.0.1", "localhost", "[::1]"]
        if self.host not in LOOPBACK:
            own += [self.host, socket.gethostname(), socket.getfqdn()]
        return [f"{name}:{self.port}" for name in own] + [*self.names, *(f"{name}:{self.port}" for name in self.names)]
