"""`nobi show`: what a network makes of a position.

MERGED cli/export.py: `nobi export`: a deep network for other programs.

MERGED cli/listing.py: `nobi games` and `nobi players`: what there is, and what can be set.

MERGED cli/models.py: `nobi models`: the networks that ship with nobi, and what each can do.
"""

import dataclasses
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import tyro

from nobi import games, models, players
from nobi.cli.base import UNSET, CommonFlags, announce_compiling, output_console, plain_table, print_json
from nobi.errors import NobiError, require_torch

if TYPE_CHECKING:
    from nobi.games.base import Game, Variant
    from nobi.players.inspection import Inspection


@dataclass(frozen=True)
class Show(CommonFlags):
    """Look inside a network: its values for the moves in a position, and what the hidden units of its sweeps say.

    Of a deep network, which plays Go, the chances that it gives to the moves. As a player it also passes after a pass,
    and fills no eye of its own.

    The position is that after the moves of --moves, or after --random moves; else the start of the game.
    """

    model: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="MODEL", help="A model file.")] = tyro.MISSING
    game: str = ""
    """The game; by default that of the training."""
    size: int = 0
    """Lines of the board, 5 to 25; by default those of the board it was trained on."""
    moves: Annotated[tuple[str, ...], tyro.conf.arg(metavar="[VERTEX …]", help="The moves to play, as in D4 C3.")] = ()
    random: int = 0
    """Play so many random moves; fewer if the game ends before."""
    out: Annotated[Path | None, UNSET] = None
    """Save the figure here, as PNG and SVG."""

    def run(self) -> int:
        """Plays the moves, shows the position to the network and prints what it says."""
        self.check()
        if self.random < 0:
            raise NobiError(f"--random must be 0 or more, not {self.random}.")
        if self.random and self.moves:
            raise NobiError("Give either --moves or --random, not both.")
        announce_compiling()
        from nobi.models.model import read_model_file
        from nobi.players.network import player_from_file
        from nobi.storage import make_writable_folder

        file = read_model_file(self.model)
        variant = games.variant(self.game or file.game, self.size or file.size)
        player = player_from_file(file, variant)
        game = variant.new()
        for move in self._random_moves(variant) if self.random else self.moves:
            game.play(move)
        found = player.inspect(game)
        title = f"{file.network}, {variant} {game.size}x{game.size}"
        if self.out:
            from nobi.figures.network import inside_figure
            from nobi.figures.style import in_words
            from nobi.figures.style import title as in_one_title

            make_writable_folder(self.out.parent)
            where = f"{in_words(str(variant))}, {game.size}x{game.size}"
            inside_figure(
                found, self.out, in_one_title(f"What {in_words(file.network)} makes of a position of {where}")
            )
        if self.json:
            print_json({"model": str(self.model), "network": file.network, **document_of(found)})
        else:
            print(f"{title}, {_turn(game)}\n\n{game}\n\n{values_text(found)}\n\n{best_text(found)}")
            if self.out:
                print(f"The figure: {self.out.with_suffix('.png')}")
        return 0

    def _random_moves(self, variant: "Variant") -> list[int]:
        from nobi.arena.play import play_games
        from nobi.players import make_player

        player = make_player("random", variant)
        played = play_games(variant, player, player, 1, seed=self.seed, threads=1, keep_moves=True)
        return played.replay(0).moves[: self.random]


def document_of(view: "Inspection") -> dict[str, Any]:
    """All there is to know of a view, for JSON."""
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
    """The values of the legal moves as a grid, a dot for next to no chance; elsewhere the stones, or - where empty."""
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
    """The best move in a sentence."""
    from nobi.board.stones import PASS
    from nobi.board.text import row_column, vertex_name

    size = view.game.size
    names = [vertex_name(move, size) for move in view.best]
    if not names:
        return f"The game is over: {view.game.result()}."
    if view.best[0] == PASS:
        return "The only legal move: pass."
    value = view.output[row_column(view.best[0], size)]
    worth = f"with the value {value:.4g}" if view.measure == "output" else f"with a chance of {value:.1f} %"
    return f"The best {'moves' if len(names) > 1 else 'move'}: {', '.join(names)}, {worth}{' each' * (len(names) > 1)}."


def _turn(game: "Game") -> str:
    from nobi.games.base import COLOUR_NAMES

    count = f"after {len(game.moves)} move{'s' * (len(game.moves) != 1)}"
    return f"{count}, the game is over" if game.is_over else f"{count}, {COLOUR_NAMES[game.to_move]} to move"


@dataclass(frozen=True)
class Export(CommonFlags):
    """Write a network as ONNX, after checking that onnxruntime computes the same values from it.

    The file takes 'planes', float[batch, planes, n, n], and gives 'logits', float[batch, n·n]; a network with a softmax
    for each colour takes 'white', bool[batch], as well. The batch is free, and so is the size of board where the
    network serves many; swiping networks are written out for one size.
    """

    model: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="MODEL", help="A model file.")] = tyro.MISSING
    onnx: Path = tyro.MISSING
    """The file to write."""
    size: int = 0
    """Lines of the board, 5 to 25; by default those of the board it was trained on."""

    def run(self) -> int:
        """Exports, checks and says what was written."""
        self.check()
        require_torch("Exporting", "deep,onnx")
        from nobi.models.export import export_onnx
        from nobi.models.model import load_deep
        from nobi.storage import make_writable_folder

        model = load_deep(self.model)
        if self.onnx.is_dir():
            raise NobiError(f"{str(self.onnx)!r} is a folder; name the file to write.")
        make_writable_folder(self.onnx.parent)
        found = export_onnx(model.network, self.onnx, self.size or model.size)
        if self.json:
            network = {"network": str(model.network), "planes": model.network.planes}
            print_json({"model": str(self.model), "onnx": str(self.onnx), **network, **asdict(found)})
        else:
            boards = "boards of any size" if found.sizes is None else f"boards of {found.sizes[0]}x{found.sizes[0]}"
            planes = f"the {found.channels} planes of {model.network.planes}"
            print(f"{self.onnx}: {model.network} for {boards}; {planes}; inputs {', '.join(found.inputs)}.")
            sizes = ", ".join(f"{n}x{n}" for n in found.checked)
            print(f"Equal under onnxruntime on {sizes} within {found.difference:.1e}.")
        return 0


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


@dataclass(frozen=True)
class ListModels(CommonFlags):
    """List the models that ship with nobi: their game, boards, size and measured strength.

    Every command takes their names in place of a model file, as in 'nobi gtp go-main' or
    'nobi match mcts:model=go-main "gtp:gnugo --mode gtp" --game go'. See docs/models.md.
    """

    def run(self) -> int:
        """Prints the list."""
        entries = [describe(name, path) for name, path in models.shipped().items()]
        if self.json:
            print_json(entries)
            return 0
        table = plain_table(["model", "game", "boards", "network"], ["weights", "file", "measured", "Elo"])
        for entry in entries:
            table.add_row(
                entry["name"],
                entry["game"],
                entry["boards"],
                entry["network"],
                f"{entry['weights']:,}",
                f"{entry['bytes'] / 1e6:.2f} MB",
                entry["measured"],
                "  ".join(f"{board} {elo:+.0f}" for board, elo in entry["elo"].items()),
            )
        output_console().print(table)
        output_console().print("Elo: GNU Go 3.8 at level 10 is 0 for Go, the player naive is 0 for the other games.")
        return 0


def describe(name: str, path: Path) -> dict[str, Any]:
    """What is known of a shipped model."""
    from nobi.models.model import read_model_file

    file = read_model_file(path)
    found = models.results().get(name, {})
    return {
        "name": name,
        "game": file.game,
        "boards": found.get("boards", "5x5 to 25x25"),
        "network": file.network,
        "weights": sum(tensor.size for tensor in file.tensors.values()),
        "bytes": path.stat().st_size,
        "measured": found.get("summary", ""),
        "elo": found.get("elo", {}),
        "results": found,
        "provenance": file.provenance,
    }
