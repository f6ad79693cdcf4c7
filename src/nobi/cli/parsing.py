"""The command that a line of words asks for, and what is wrong with words that no command takes."""

import io
import re
from contextlib import redirect_stdout, suppress
from typing import Any

import tyro

from nobi.cli.commands import COMMANDS, DESCRIPTION
from nobi.errors import NobiError
from nobi.words import choices, closest

_STYLE = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes, tyro.conf.DisallowNone)


def parsed(words: list[str]) -> Any:
    """The command that is asked for, with its flags."""
    if not words or words[0].startswith("-"):
        return tyro.extras.subcommand_cli_from_dict(
            COMMANDS, prog="nobi", description=DESCRIPTION, args=words or ["--help"], config=_STYLE
        )
    name = words[0]
    if name not in COMMANDS:
        raise NobiError(f"There is no command {name!r}; {choices(COMMANDS, name)}.")
    command, unknown = tyro.cli(
        COMMANDS[name], prog=f"nobi {name}", args=words[1:], return_unknown_args=True, config=_STYLE
    )
    if unknown:
        inner = getattr(command, "command", command)  # 'nobi data' has commands of its own
        path = words[:1] if inner is command or words[1].startswith("-") else words[:2]
        raise NobiError(_complaint(" ".join(["nobi", *path]), unknown[0], _options_of(type(inner))))
    return command


def _options_of(command: type) -> list[str]:
    """The options that a command's help lists, without their dashes."""
    text = io.StringIO()
    with redirect_stdout(text), suppress(SystemExit):
        tyro.cli(command, args=["--help"], config=_STYLE)
    return re.findall(r"^\W*--([\w-]+)", text.getvalue(), re.MULTILINE)


def _complaint(command: str, word: str, options: list[str]) -> str:
    """What is wrong with a word that a command with these options does not take."""
    where = f"'{command} --help' tells what it takes"
    if not word.startswith("-"):
        return f"'{command}' takes no {word!r} there; {where}."
    asked = word.partition("=")[0].lstrip("-")
    guess = closest(asked, options)
    hint = f"did you mean --{guess}? " if guess and guess != asked else ""
    return f"'{command}' has no option {word}; {hint}{where}."
