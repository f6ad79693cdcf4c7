"""The command line. A command is a dataclass whose fields are its flags; only this folder prints.

`parsing` has the table of commands, `base` the common parts of commands, `progress` the display of progress; every
other module contains a few commands. Heavy packages are imported when a command runs, so that help appears at once.
"""

import atexit
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from nobi.errors import INTERRUPTED, INVALID_INPUT, NobiError


class Interrupted(KeyboardInterrupt):
    """Ctrl-C; the message follows the word `interrupted` and describes what was saved."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code. SIGTERM acts as Ctrl-C: results are saved and engines are stopped."""
    complete: list[int] = []
    atexit.register(_end_at_once, complete)  # registered first, therefore called last
    signal.signal(signal.SIGTERM, _raise_interrupt)
    try:
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has closed it; Python must not write at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    complete.append(code)
    sys.exit(code)


def _end_at_once(complete: list[int]) -> None:
    """End the process with the exit code of a complete command; freeing compiled code would take half a second."""
    if complete:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(complete[0])


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. Invalid input is reported in one sentence on standard error, code 2."""
    from nobi.cli import parsing

    try:
        command = parsing.parse(list(sys.argv[1:] if arguments is None else arguments))
        if isinstance(command, str):
            print(command)
            return 0
        with _report_ladder_limit():
            code: int = command.run()
        return code
    except NobiError as error:
        print(f"nobi: {error}", file=sys.stderr)
        return INVALID_INPUT
    except KeyboardInterrupt as interrupt:
        print(f"nobi: interrupted{f' {interrupt}' if isinstance(interrupt, Interrupted) else ''}.", file=sys.stderr)
        return INTERRUPTED


def _raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def _report_ladder_limit() -> Iterator[None]:
    """Report at the end of a command how many ladders were not read to the end."""
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
    # the module is loaded only by commands that read ladders
    return sys.modules["nobi.board.ladders"].ladder_limit_hits() if "nobi.board.ladders" in sys.modules else 0
