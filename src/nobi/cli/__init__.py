"""The command line: a thin shell over the package. Every command is one file; nothing else prints.

A command is a dataclass whose fields are its flags and whose `run` does the work. Heavy packages are imported in `run`,
so that help is there at once.
"""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

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
    """Runs one command; returns its exit code. Bad input is one sentence on standard error and the code 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words == ["--version"]:
            print(f"nobi {nobi.__version__}")
            return 0
        code: int = _parsed(words).run()
        return code
    except NobiError as fault:
        print(f"nobi: {fault}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("nobi: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _parsed(arguments: list[str]) -> Any:
    """The command that is asked for, with its flags."""
    import tyro

    from nobi.cli.commands import COMMANDS, DESCRIPTION
    from nobi.words import choices

    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    name = arguments[0] if arguments else ""
    if name in COMMANDS:
        command, unknown = tyro.cli(
            COMMANDS[name], prog=f"nobi {name}", args=arguments[1:], return_unknown_args=True, config=style
        )
        if unknown:
            raise NobiError(_unknown(name, command, unknown[0]))
        return command
    if name and not name.startswith("-"):
        raise NobiError(f"There is no command {name!r}; {choices(COMMANDS)}.")
    return tyro.extras.subcommand_cli_from_dict(
        COMMANDS, prog="nobi", description=DESCRIPTION, args=arguments or ["--help"], config=style
    )


def _unknown(name: str, command: object, word: str) -> str:
    """What is wrong with a word that the command does not take."""
    where = f"'nobi {name} --help' tells what it takes"
    if not word.startswith("-"):
        return f"'nobi {name}' takes no {word!r} there; {where}."
    inner: Any = getattr(command, "command", command)  # that of 'nobi data'
    flags = [f"--{field.name.replace('_', '-')}" for field in fields(inner)]
    alike = get_close_matches(word.partition("=")[0], flags, 1)
    hint = f"did you mean {alike[0]}? " if alike else ""
    return f"'nobi {name}' has no option {word}; {hint}{where}."
