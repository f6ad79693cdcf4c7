"""Parsing of the arguments of `nobi`: the table of commands, their help, plug-ins, and error messages.

Tyro creates the flags of a command from the fields of its dataclass. If it rejects the arguments, `_explain` determines
the reason from the same fields, so that every error is one sentence.
"""

import dataclasses
import importlib
import io
import os
import re
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import nobi
from nobi.errors import NobiError, sentence
from nobi.spec import choices, closest, load_file

COMMANDS = {
    "Play and look": {
        "play": ("nobi.cli.play:Play", "play in a web page, or in the terminal"),
        "gtp": ("nobi.cli.engines:Gtp", "serve a player as a GTP engine"),
        "analysis": ("nobi.cli.engines:Analysis", "serve KataGo's JSON analysis protocol"),
        "review": ("nobi.cli.review:Review", "review a game record with a network"),
        "show": ("nobi.cli.inspect:Show", "show the values of a network in a position, and its hidden units"),
        "match": ("nobi.cli.match:Match", "play many games between two players"),
        "tournament": ("nobi.cli.match:Tournament", "play games between all pairs of players, and rate them"),
        "tune": ("nobi.cli.tune:Tune", "test a change of a player by games, or optimise its settings"),
    },
    "Train and measure": {
        "evolve": ("nobi.cli.train:Evolve", "train a network by evolution against fixed opponents"),
        "coevolve": ("nobi.cli.train:Coevolve", "train two populations of networks against each other"),
        "transfer": ("nobi.cli.evaluate:Transfer", "measure how networks play on boards of other sizes"),
        "data import": ("nobi.cli.data:DataImport", "make a dataset of game records"),
        "data info": ("nobi.cli.data:DataInfo", "summarise a dataset"),
        "imitate": ("nobi.cli.train:Imitate", "train a deep network on game records"),
        "priors": ("nobi.cli.train:Priors", "train the move priors of the tree search on game records"),
        "predict": ("nobi.cli.evaluate:Predict", "measure how well networks predict experts' moves"),
        "study": ("nobi.cli.study:Study", "repeat the experiments of the papers"),
        "export": ("nobi.cli.inspect:Export", "write a deep network as ONNX"),
    },
    "Other": {
        "models": ("nobi.cli.inspect:ListModels", "list the shipped models"),
        "games": ("nobi.cli.inspect:ListGames", "list the games and their settings"),
        "players": ("nobi.cli.inspect:ListPlayers", "list the players and their settings"),
        "warm-up": ("nobi.cli.warm_up:WarmUp", "compile everything once"),
        "bench": ("nobi.cli.bench:Bench", "measure the speed of this machine"),
    },
}
"""Heading → name → (class, help)."""

_CLASSES = {name: cls for commands in COMMANDS.values() for name, (cls, _) in commands.items()}
_HELP = ("-h", "--help")


def parse(arguments: list[str]) -> Any:
    """Return the command, ready to run; or a text to print, such as the help.

    Plug-ins named by `NOBI_PLUGINS` and `--load` are executed first, so that the help includes what they register.
    """
    arguments, files = _split_off_plugins(arguments)
    if not arguments or arguments[0] in _HELP:
        return _help()
    if arguments == ["--version"]:
        return f"nobi {nobi.__version__}"
    name = _command_name(arguments)
    if name not in _CLASSES:
        return _help(f"{name} ")
    for file in files:
        load_file(Path(file))
    module, _, attribute = _CLASSES[name].partition(":")
    command = getattr(importlib.import_module(module), attribute)
    return _parse_flags(command, f"nobi {name}", command.translate(arguments[len(name.split()) :]))


def _command_name(arguments: Sequence[str]) -> str:
    """Return the name of the command, or the first word of a two-word name if the help for it is requested."""
    first = arguments[0]
    inner = [name.partition(" ")[2] for name in _CLASSES if name.startswith(f"{first} ")]
    if first in _CLASSES:
        return first
    if not inner:
        if first.startswith("-"):
            raise NobiError(f"'nobi' has no option {first}; 'nobi --help' lists the commands.")
        raise NobiError(f"There is no command {first!r}; {choices(_CLASSES, first)}.")
    second = arguments[1] if len(arguments) > 1 else ""
    if second in _HELP:
        return first
    if second not in inner:
        problem = f"has no command {second!r}" if second else "needs a command"
        raise NobiError(f"'nobi {first}' {problem}; {choices(inner, second)}.")
    return f"{first} {second}"


def _help(prefix: str = "") -> str:
    """Return the list of all commands, or of those whose names begin with the prefix."""
    lines = [f"usage: nobi {prefix}COMMAND …"]
    if not prefix:
        lines += [
            "",
            f"nobi {nobi.__version__}: networks that learn a board game on a small board and play it on any board.",
            "'nobi COMMAND --help' describes a command, 'nobi --version' prints the version.",
            "--load FILE.py, or the variable NOBI_PLUGINS, adds games, players, networks, trainers and studies.",
        ]
    for heading, commands in COMMANDS.items():
        found = {name: about for name, (_, about) in commands.items() if name.startswith(prefix)}
        if found:
            lines += ["", f"{heading}:", *(f"  {name:<12} {about}" for name, about in found.items())]
    return "\n".join(lines)


def _split_off_plugins(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return the arguments without `--load FILE`, and the files of NOBI_PLUGINS and of `--load`."""
    files = list(filter(None, os.environ.get("NOBI_PLUGINS", "").split(os.pathsep)))
    others: list[str] = []
    words = iter(arguments)
    for word in words:
        flag, equals, file = word.partition("=")
        if flag != "--load":
            others.append(word)
            continue
        file = file if equals else next(words, "")
        if not file:
            raise NobiError("--load needs the name of a Python file.")
        files.append(file)
    return others, files


def _parse_flags(command: type, prog: str, arguments: list[str]) -> Any:
    import tyro

    style = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes, tyro.conf.DisallowNone)
    _hide_empty_defaults(command)
    printed = io.StringIO()
    found: Any
    try:
        with redirect_stderr(printed):
            found, unknown = tyro.cli(command, prog=prog, args=arguments, return_unknown_args=True, config=style)
    except SystemExit as end:
        if not end.code:  # help was printed
            raise
        if isinstance(end.__context__, ValueError):  # of a settings dataclass, which names its fields in backticks
            raise NobiError(
                re.sub(r"`(\w+)`", lambda name: f"--{name[1].replace('_', '-')}", sentence(end.__context__))
            ) from None
        problem = _explain(command, prog, arguments)
    else:
        if not unknown:
            return found
        problem = _explain(command, prog, arguments)
    text = " ".join(printed.getvalue().translate(str.maketrans("╭╮╰╯│─", "      ")).split())
    raise NobiError(problem or text or f"'{prog}' does not accept {' '.join(arguments)}.")


def _hide_empty_defaults(command: type) -> None:
    """Keep the help of a command free of `(default: )`, `(default: None)` and the defaults of flags without a value."""
    import tyro

    hidden = tyro.conf.arg(help_behavior_hint="")
    hints = get_type_hints(command, include_extras=True)
    for field in dataclasses.fields(command):
        if field.default in (None, "", ()) or isinstance(field.default, bool):
            hint = hints[field.name]
            marks = hint.__metadata__ if get_origin(hint) is Annotated else ()  # these may contain another hint
            kind = get_args(hint)[0] if marks else hint
            command.__annotations__[field.name] = Annotated[(kind, hidden, *marks)]


class _Argument(NamedTuple):
    """A flag or a positional argument of a command."""

    name: str
    """`--board-size`, or the name of a positional argument in the help."""
    kind: Any
    """The type of a value; bool for flags without one."""
    values: int | None
    """How many values; None: any number."""
    required: bool
    positional: bool


def _arguments_of(command: type) -> list[_Argument]:
    """Return the arguments that Tyro creates from the fields of a command."""
    import tyro

    positional_mark = get_args(tyro.conf.Positional[int])[-1]
    hints = get_type_hints(command, include_extras=True)
    found = []
    for field in dataclasses.fields(command):
        kind, *marks = (
            get_args(hints[field.name]) if get_origin(hints[field.name]) is Annotated else [hints[field.name]]
        )
        metavar = next((mark.metavar for mark in marks if getattr(mark, "metavar", None)), field.name.upper())
        if get_origin(kind) in (Union, UnionType):
            [kind] = [part for part in get_args(kind) if part is not NoneType]
        count: int | None = 1
        if get_origin(kind) is tuple:
            parts = get_args(kind)
            kind, count = parts[0], None if parts[-1] is Ellipsis else len(parts)
        positional = positional_mark in marks
        name = metavar if positional else f"--{'no-' * (field.default is True)}{field.name.replace('_', '-')}"
        required = field.default is tyro.MISSING
        found.append(_Argument(name, kind, 0 if kind is bool else count, required, positional))
    return found


def _explain(command: type, prog: str, words: Sequence[str]) -> str | None:
    """Return the first error among the arguments of a command, in one sentence; None if there is none."""
    arguments = _arguments_of(command)
    flags = {flag.name: flag for flag in arguments if not flag.positional}
    hint = f"'{prog} --help' describes its arguments"
    others: list[str] = []
    given: set[str] = set()
    left = list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("-") or word.lstrip("-")[:1].isdigit():
            others.append(word)
            continue
        name, equals, value = word.partition("=")
        flag = flags.get(name.replace("_", "-"))
        if flag is None:
            guess = closest(name.lstrip("-"), [known.lstrip("-") for known in flags])
            return f"'{prog}' has no option {word}; {f'did you mean --{guess}? ' if guess else ''}{hint}."
        given.add(flag.name)
        values = [value] if equals else []
        while not equals and left and not left[0].startswith("--") and len(values) != flag.values:
            values.append(left.pop(0))
        if flag.values is not None and len(values) != flag.values:
            wanted = {0: "takes no value", 1: "needs a value"}.get(flag.values, f"needs {flag.values} values")
            return f"{name} {wanted}; {hint}."
        for value in values:
            if problem := _problem_of(flag.kind, value):
                return f"{name} {problem}."
    positional = [argument for argument in arguments if argument.positional]
    if all(argument.values == 1 for argument in positional) and len(others) > len(positional):
        return f"'{prog}': unexpected argument {others[len(positional)]!r}; {hint}."
    missing = [argument.name for argument in positional[len(others) :] if argument.required and argument.values == 1]
    missing += [name for name, flag in flags.items() if flag.required and flag.name not in given]
    return f"'{prog}' needs {' and '.join(missing)}; {hint}." if missing else None


def _problem_of(kind: Any, value: str) -> str | None:
    if get_origin(kind) is Literal:
        return None if value in get_args(kind) else f"cannot be {value!r}; {choices(get_args(kind), value)}"
    if kind in (int, float):
        try:
            kind(value)
        except ValueError:
            return f"must be {'a whole number' if kind is int else 'a number'}, not {value!r}"
    return None
