"""Who the engine is and what it knows."""

import nobi
from nobi.gtp.commands import command, served
from nobi.gtp.protocol import take
from nobi.gtp.session import Session


@command("protocol_version", "", "2")
def _protocol_version(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return "2"


@command("name", "", "`nobi` and the player's word")
def _name(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return f"nobi {session.bot.name}"


@command("version", "", "the version of nobi")
def _version(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return nobi.__version__


@command("known_command", "NAME", "`true` or `false`")
def _known_command(session: Session, arguments: list[str]) -> str:
    [name] = take(arguments, 1)
    return "true" if name in {entry.name for entry in served(session.variant.game.name)} else "false"


@command("list_commands", "", "all commands, one a line")
def _list_commands(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return "\n".join(sorted(entry.name for entry in served(session.variant.game.name)))


@command("quit", "", "ends the engine")
def _quit(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    session.is_over = True
    return ""


@command("stop", "", "ends an analysis, as any input does")
def _stop(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    return ""
