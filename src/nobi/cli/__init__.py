"""The command line: a thin shell over the package. Every command is one file; nothing else prints.

A command is a dataclass whose fields are its flags and whose `run` does the work. Heavy packages are imported in `run`,
so that help is there at once.
"""

import os
import signal
import sys
from collections.abc import Sequence

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


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code. Bad input is told on standard error, and its code is 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words == ["--version"]:
            print(f"nobi {nobi.__version__}")
            return 0
        from nobi.cli.parsing import parsed

        code: int = parsed(words).run()
        return code
    except NobiError as fault:
        print(f"nobi: {fault}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("nobi: interrupted.", file=sys.stderr)
        return INTERRUPTED
