"""The command line: a thin shell over the package. Every command is one file; nothing else prints.

A command is a dataclass whose fields are its flags and whose `run` does the work. Heavy packages are imported in `run`,
so that help is there at once.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import nobi
from nobi.errors import NobiError

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its code. The signal to end is taken as Ctrl-C: work is saved, engines end."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` for instance, has seen enough; nothing more is to be written at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def _ladder_limits_reported() -> Iterator[None]:
    """Says at the end of a command how many ladders it could not read to their end."""
    before = _ladder_limit_hits()
    try:
        yield
    finally:
        hits = _ladder_limit_hits() - before
        if hits:
            print(
                f"nobi: {hits:,} ladder{'s were' if hits > 1 else ' was'} not read to the end (docs/features.md); "
                "the ladder plane counts the chain as escaped.",
                file=sys.stderr,
            )


def _ladder_limit_hits() -> int:
    # a command that reads no ladders does not load the reader
    return sys.modules["nobi.board.ladders"].ladder_limit_hits() if "nobi.board.ladders" in sys.modules else 0


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code. Bad input is told on standard error, and its code is 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words == ["--version"]:
            print(f"nobi {nobi.__version__}")
            return 0
        from nobi.cli.main import parsed

        command = parsed(words)
        with _ladder_limits_reported():
            code: int = command.run()
        return code
    except NobiError as fault:
        print(f"nobi: {fault}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("nobi: interrupted.", file=sys.stderr)
        return INTERRUPTED
