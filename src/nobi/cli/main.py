"""The commands by name.

MERGED cli/parsing.py: The command that a line of words asks for, and what is wrong with words that no command takes.
"""

import dataclasses
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro

import nobi
from nobi.cli.bench import Bench
from nobi.cli.data import Data
from nobi.cli.evaluate import Predict, Transfer
from nobi.cli.gtp import Gtp
from nobi.cli.imitate import Imitate
from nobi.cli.inspect import Export, ListGames, ListModels, ListPlayers, Show
from nobi.cli.match import Match, Tournament
from nobi.cli.play import Play
from nobi.cli.review import Review
from nobi.cli.study import Study
from nobi.cli.train import Coevolve, Evolve
from nobi.cli.warm_up import WarmUp
from nobi.errors import NobiError
from nobi.spec import choices, closest

DESCRIPTION = (
    f"nobi {nobi.__version__}: neural networks that learn a board game on a small board and play it on any board. "
    "'nobi COMMAND --help' tells what a command takes, 'nobi --version' which nobi it is."
)

COMMANDS: dict[str, Any] = {
    "play": Play,
    "review": Review,
    "evolve": Evolve,
    "coevolve": Coevolve,
    "transfer": Transfer,
    "study": Study,
    "match": Match,
    "data": Data,
    "imitate": Imitate,
    "predict": Predict,
    "tournament": Tournament,
    "gtp": Gtp,
    "show": Show,
    "export": Export,
    "models": ListModels,
    "games": ListGames,
    "players": ListPlayers,
    "warm-up": WarmUp,
    "bench": Bench,
}


_POSITIONAL = get_args(tyro.conf.Positional[int])[-1]
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


def _options_of(command: Any) -> list[str]:
    """The options of a command, without their dashes: its fields but for positional arguments and commands inside."""
    hints = get_type_hints(command, include_extras=True)
    found = []
    for field in dataclasses.fields(command):
        hint = hints[field.name]
        commands = [part for part in get_args(hint) if dataclasses.is_dataclass(_plain_type(part))]
        if _POSITIONAL not in get_args(hint) and not commands:
            found.append(f"{'no-' if field.default is True else ''}{field.name.replace('_', '-')}")
    return found


def _plain_type(hint: Any) -> Any:
    """The type without what is said of it besides; None for what is no type."""
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return kind if isinstance(kind, type) else None


def _complaint(command: str, spec: str, options: list[str]) -> str:
    """What is wrong with a word that a command with these options does not take."""
    where = f"'{command} --help' tells what it takes"
    if not spec.startswith("-"):
        return f"'{command}' takes no {spec!r} there; {where}."
    asked = spec.partition("=")[0].lstrip("-")
    guess = closest(asked, options)
    hint = f"did you mean --{guess}? " if guess and guess != asked else ""
    return f"'{command}' has no option {spec}; {hint}{where}."
