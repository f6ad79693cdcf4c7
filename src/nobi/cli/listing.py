"""`nobi games` and `nobi players`: what there is, and what can be set."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from nobi import games, players
from nobi.cli.common import CommonFlags, print_json
from nobi.cli.tables import output_console


@dataclass(frozen=True)
class ListGames(CommonFlags):
    """List the games and their settings."""

    def run(self) -> int:
        """Prints the list."""
        _print_list([games.find(name) for name in games.names()], "game", self.json)
        return 0


@dataclass(frozen=True)
class ListPlayers(CommonFlags):
    """List the players and their settings."""

    def run(self) -> int:
        """Prints the list."""
        _print_list([players.find(name) for name in players.names()], "player", self.json)
        return 0


def _print_list(kinds: list[Any], what: str, as_json: bool) -> None:
    entries = [
        {"name": kind.name, "about": (kind.__doc__ or "").strip(), "settings": _settings(kind.settings_type)}
        for kind in kinds
    ]
    if as_json:
        print_json(entries)
        return
    from rich.table import Table

    table = Table()
    for head in (what, "about", "setting", "default", "values"):
        table.add_column(head)
    for entry in entries:
        rows = entry["settings"] or [{"name": "", "default": "", "values": ""}]
        for i, row in enumerate(rows):
            first = (entry["name"], entry["about"]) if i == 0 else ("", "")
            table.add_row(*first, row["name"], row["default"], row["values"], end_section=i == len(rows) - 1)
    output_console().print(table)


def _settings(kind: Any) -> list[dict[str, str]]:
    types = get_type_hints(kind)
    return [
        {"name": field.name, "default": str(field.default).lower(), "values": _values(types[field.name])}
        for field in dataclasses.fields(kind)
    ]


def _values(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(get_args(kind))
    return {bool: "true, false", int: "a whole number", float: "a number", str: "text"}.get(kind, str(kind))
