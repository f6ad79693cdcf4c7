"""The command line: a thin shell over the package. Every command is one file; nothing else prints.

A command is a dataclass whose fields are its flags and whose `run` does the work. Heavy packages are imported in `run`,
so that help is there at once.
"""

import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
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
    """Runs one command; returns its exit code. Bad input is told on standard error, and its code is 2."""
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


def _parsed(words: list[str]) -> Any:
    """The command that is asked for, with its flags."""
    import tyro

    from nobi.cli.commands import COMMANDS, DESCRIPTION
    from nobi.words import choices

    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes)
    if not words or words[0].startswith("-"):
        return tyro.extras.subcommand_cli_from_dict(
            COMMANDS, prog="nobi", description=DESCRIPTION, args=words or ["--help"], config=style
        )
    name = words[0]
    if name not in COMMANDS:
        raise NobiError(f"There is no command {name!r}; {choices(COMMANDS)}.")
    command, unknown = tyro.cli(
        COMMANDS[name], prog=f"nobi {name}", args=words[1:], return_unknown_args=True, config=style
    )
    if unknown:
        inner = getattr(command, "command", command)  # 'nobi data' has commands of its own
        path = words[:1] if inner is command or words[1].startswith("-") else words[:2]
        text = io.StringIO()
        with redirect_stdout(text), suppress(SystemExit):
            tyro.cli(type(inner), args=["--help"], config=style)
        raise NobiError(_unknown(" ".join(["nobi", *path]), unknown[0], text.getvalue()))
    return command


def _unknown(command: str, word: str, text: str) -> str:
    """What is wrong with a word that a command, whose help is `text`, does not take."""
    where = f"'{command} --help' tells what it takes"
    if not word.startswith("-"):
        return f"'{command}' takes no {word!r} there; {where}."
    options = re.findall(r"^\W*--([\w-]+)", text, re.MULTILINE)
    asked = word.partition("=")[0].lstrip("-")
    alike = [option for option in get_close_matches(asked, options, 1, 0.7) if option != asked]
    hint = f"did you mean --{alike[0]}? " if alike else ""
    return f"'{command}' has no option {word}; {hint}{where}."
