"""`nobi show`, `nobi export` and the lists of games, players and models."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import tyro

from nobi import games, models, players
from nobi.cli.base import Command, Result, output_console, plain_table, table_width
from nobi.errors import NobiError, require_torch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from nobi.games.base import Game, Variant
    from nobi.players.inspection import Inspection


@dataclass(frozen=True)
class Show(Command):
    """Show the values of a network for the moves in a position, and the hidden units of its sweeps.

    For a deep network, which plays Go, the values are the probabilities of the moves. As a player it also passes after
    a pass, and does not fill its own eyes.

    The position is the one after the moves of --moves, or after --random moves, or the start of the game.
    """

    former_flags: ClassVar[Mapping[str, str]] = {"--out": "--figure"}

    model: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="MODEL", help="A model file.")] = tyro.MISSING
    game: str = ""
    """The game; by default that of the training."""
    size: Annotated[int, tyro.conf.arg(help_behavior_hint="")] = 0
    """Board size, 5 to 25; by default that of the training."""
    moves: Annotated[tuple[str, ...], tyro.conf.arg(metavar="[VERTEX …]", help="The moves to play, as in D4 C3.")] = ()
    random: int = 0
    """Play this many random moves; fewer if the game ends before."""
    figure: Path | None = None
    """Save the figure here, as PNG and SVG."""

    def execute(self) -> Result:
        self.require(0, "random")
        if self.random and self.moves:
            raise NobiError("Give either --moves or --random, not both.")
        from nobi.models.model import load_model
        from nobi.players.network import player_from_model

        file = load_model(self.model)
        variant = games.variant(self.game or file.game, self.size or file.size)
        player = player_from_model(file, variant)
        game = variant.new()
        for move in self._random_moves(variant) if self.random else self.moves:
            game.play(move)
        found = player.inspect(game)
        title = f"{file.spec}, {variant} {game.size}x{game.size}"
        report = [f"{title}, {_turn(game)}\n\n{game}\n\n{values_text(found)}\n\n{best_text(found)}"]
        if self.figure:
            self._draw(self.figure, found, file.spec, f"{variant}", game.size)
            report.append(f"The figure: {self.figure.with_suffix('.png')}")
        return Result({"model": self.model, "network": file.spec, **document_of(found)}, report)

    def _draw(self, path: Path, found: "Inspection", network: str, game: str, size: int) -> None:
        from nobi.figures.network import inside_figure
        from nobi.figures.style import in_words, title
        from nobi.storage import make_writable_folder

        make_writable_folder(path.parent)
        text = f"{in_words(network)} in a position of {in_words(game)}, {size}x{size}"
        inside_figure(found, path, title(text))

    def _random_moves(self, variant: "Variant") -> list[int]:
        from nobi.arena.play import play_games
        from nobi.players import make_player

        player = make_player("random", variant)
        played = play_games(variant, player, player, 1, seed=self.seed, threads=1, keep_moves=True)
        return played.replay(0).moves[: self.random]


def document_of(view: "Inspection") -> dict[str, Any]:
    """Return an inspection as a JSON document."""
    from nobi.board.text import vertex_name
    from nobi.games.base import COLOUR_NAMES

    game = view.game

    def names(moves: list[int]) -> list[str]:
        return [vertex_name(move, game.size) for move in moves]

    return {
        "game": game.rules_text(),
        "size": game.size,
        "moves": names(game.moves),
        "to_move": COLOUR_NAMES[game.to_move],
        "result": game.result(),
        "board": str(game).splitlines(),
        "measure": view.measure,
        "map": view.output.tolist(),
        "legal": names(view.legal),
        "best": names(view.best),
        "layers": [
            {
                "sweeps": [
                    {**asdict(sweep), "hidden": hidden.tolist()}
                    for sweep, hidden in zip(layer.sweeps, layer.hidden, strict=True)
                ]
            }
            for layer in view.layers
        ],
    }


def values_text(view: "Inspection") -> str:
    """Return the values of legal moves as a grid, with a dot for a probability below 0.05 %; elsewhere X, O or -."""
    from nobi.board.stones import BLACK, EMPTY
    from nobi.board.text import COLUMNS
    from nobi.players.inspection import colours_of

    size, output = view.game.size, view.output
    legal = view.game.legal_mask()
    spread = float(output.max() - output.min())
    digits = min(6, max(0, 2 - math.floor(math.log10(spread)))) if spread > 0 else 2
    colours = colours_of(view.game)

    def text(at: tuple[int, int]) -> str:
        if not legal[at]:
            return "-" if colours[at] == EMPTY else "XO"[int(colours[at] != BLACK)]
        if view.measure == "output":
            return f"{output[at]:.{digits}f}"
        return f"{output[at]:.1f}" if output[at] >= 0.05 else "."

    cells = [text((row, column)) for row in range(size) for column in range(size)]
    width = max(map(len, cells)) + 1
    lines = ["  " + "".join(f"{name:>{width}}" for name in COLUMNS[:size])]
    for row in range(size):
        line = "".join(f"{cell:>{width}}" for cell in cells[row * size : (row + 1) * size])
        lines.append(f"{size - row:2d}{line}")
    return "\n".join(lines)


def best_text(view: "Inspection") -> str:
    """Return a sentence with the best moves."""
    from nobi.board.stones import PASS
    from nobi.board.text import row_column, vertex_name

    size = view.game.size
    names = [vertex_name(move, size) for move in view.best]
    if not names:
        return f"The game is over: {view.game.result()}."
    if view.best[0] == PASS:
        return "The only legal move: pass."
    value = view.output[row_column(view.best[0], size)]
    worth = f"with the value {value:.4g}" if view.measure == "output" else f"with probability {value:.1f} %"
    return f"The best {'moves' if len(names) > 1 else 'move'}: {', '.join(names)}, {worth}{' each' * (len(names) > 1)}."


def _turn(game: "Game") -> str:
    from nobi.games.base import COLOUR_NAMES

    count = f"after {len(game.moves)} move{'s' * (len(game.moves) != 1)}"
    return f"{count}, the game is over" if game.is_over else f"{count}, {COLOUR_NAMES[game.to_move]} to move"


@dataclass(frozen=True)
class Export(Command):
    """Write a network as ONNX, after checking that onnxruntime computes the same values from it.

    The inputs are 'planes', float[batch, planes, n, n], and for networks with a softmax for each colour 'white',
    bool[batch]; the output is 'logits', float[batch, n·n]. The batch size is dynamic, and so is the board size if the
    network supports several; swiping networks are written for one size.
    """

    model: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="MODEL", help="A model file.")] = tyro.MISSING
    onnx: Path = tyro.MISSING
    """The file to write."""
    size: Annotated[int, tyro.conf.arg(help_behavior_hint="")] = 0
    """Board size, 5 to 25; by default that of the training."""

    def execute(self) -> Result:
        require_torch("Exporting", "deep,onnx")
        from nobi.models.export import export_onnx
        from nobi.models.model import load_model
        from nobi.storage import make_writable_folder

        model = load_model(self.model)
        if self.onnx.is_dir():
            raise NobiError(f"{str(self.onnx)!r} is a folder; give the file to write.")
        make_writable_folder(self.onnx.parent)
        network = model.module()
        found = export_onnx(network, self.onnx, self.size or model.size)
        properties = {"network": model.spec, "planes": network.planes}
        boards = "boards of any size" if found.sizes is None else f"boards of {found.sizes[0]}x{found.sizes[0]}"
        planes = f"the {found.channels} planes of {network.planes}"
        sizes = ", ".join(f"{n}x{n}" for n in found.checked)
        report = [
            f"{self.onnx}: {model.spec} for {boards}; {planes}; inputs {', '.join(found.inputs)}.",
            f"Equal under onnxruntime on {sizes} within {found.difference:.1e}.",
        ]
        return Result({"model": self.model, "onnx": self.onnx, **properties, **asdict(found)}, report)


@dataclass(frozen=True)
class ListGames(Command):
    """List the games and their settings."""

    def execute(self) -> Result:
        return _list("game", map(games.find, games.names()))


@dataclass(frozen=True)
class ListPlayers(Command):
    """List the players and their settings."""

    def execute(self) -> Result:
        return _list("player", map(players.find, players.names()))


def _list(what: str, kinds: "Iterable[Any]") -> Result:
    table = plain_table([what, "about", "setting", "default", "values"])
    entries = []
    for kind in kinds:
        settings = _settings(kind.settings_type)
        about = (kind.__doc__ or "").strip()
        entries.append({"name": kind.name, "about": about, "settings": settings})
        table.add_row(kind.name, about, *(settings[0].values() if settings else ()))
        for row in settings[1:]:
            table.add_row("", "", *row.values())
        table.add_section()
    return Result(entries, [("", table)])


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


@dataclass(frozen=True)
class ListModels(Command):
    """List the models that ship with nobi: their game, boards, size and measured strength.

    Every command accepts their names instead of a model file, as in 'nobi gtp go-main' or 'nobi match
    mcts:model=go-main "gtp:gnugo --mode gtp" --game go'. See docs/models.md.
    """

    def execute(self) -> Result:
        entries = [describe(name, path) for name, path in models.shipped().items()]
        note = "Elo: GNU Go 3.8 at level 10 is 0 for Go, the player naive is 0 for the other games."
        table = _models_table(entries, (*_COLUMNS, *_FURTHER_COLUMNS))
        console = output_console()
        if table_width(table, console) > console.width:
            table = _models_table(entries, _COLUMNS)
            note += " A wider terminal, or --json, shows more."
        return Result(entries, [("", table), note])


_SHOWN_BOARDS = ("9x9", "19x19")
"""The boards whose Elo is shown in the list; the JSON document has all."""
_COLUMNS = ("model", "game", "weights", *(f"Elo {board}" for board in _SHOWN_BOARDS))
_FURTHER_COLUMNS = ("file", "boards", "network", "measured")
"""Columns that are left out if the terminal is too narrow."""
_NUMBERS = ("weights", "file", "Elo")


def _models_table(entries: list[dict[str, Any]], columns: tuple[str, ...]) -> "Table":
    table = plain_table([])
    for name in columns:
        table.add_column(name, justify="right" if name.startswith(_NUMBERS) else "left", no_wrap=True)
    for entry in entries:
        size = entry["bytes"]
        cells = {
            **{key: entry[key] for key in ("game", "boards", "network", "measured")},
            "model": entry["name"],
            "weights": f"{entry['weights']:,}",
            "file": f"{size / 1e6:.2f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB",
            **{f"Elo {board}": elo for board, elo in entry["elo"].items()},
        }
        table.add_row(*(cells.get(name, "") for name in columns))
    return table


def _short_elo(elo: dict[str, float | None]) -> str:
    """Return an Elo difference such as `+35`, or `>+600` if every game was won."""
    if elo["value"] is not None:
        return f"{elo['value']:+.0f}"
    return f">{elo['low']:+.0f}" if elo["low"] is not None else f"<{elo['high'] or 0:+.0f}"


def describe(name: str, path: Path) -> dict[str, Any]:
    """Describe a shipped model: its network, size and measured results."""
    from nobi.models.model import load_model

    file = load_model(path)
    found = models.results().get(name, {})
    return {
        "name": name,
        "game": file.game,
        "boards": found.get("boards", "5x5 to 25x25"),
        "network": file.spec,
        "weights": file.weight_count,
        "bytes": path.stat().st_size,
        "measured": found.get("summary", ""),
        "elo": {
            f"{match['board']}x{match['board']}": _short_elo(match["elo"])
            for match in found.get("matches", [])
            if match.get("playouts") == 0
        },
        "results": found,
        "provenance": file.provenance,
    }
