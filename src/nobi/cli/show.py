"""`nobi show`: what a network makes of a position."""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from nobi import games
from nobi.cli.common import UNSET, CommonFlags, announce_compiling, print_json
from nobi.errors import NobiError

if TYPE_CHECKING:
    from nobi.games.base import Game, Variant
    from nobi.players.view import View


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
        from nobi.files import ready_folder
        from nobi.networks.modelfile import read_model_file
        from nobi.players.loading import player_in
        from nobi.players.view import view_of

        file = read_model_file(self.model)
        variant = games.variant(self.game or file.game, self.size or file.size)
        player = player_in(file, variant)
        game = variant.new()
        for move in self._random_moves(variant) if self.random else self.moves:
            game.play(move)
        found = view_of(player, game)
        title = f"{file.network}, {variant} {game.size}x{game.size}"
        if self.out:
            from nobi.figures.inside import inside_figure
            from nobi.figures.titles import in_words
            from nobi.figures.titles import title as in_one_title

            ready_folder(self.out.parent)
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


def document_of(view: "View") -> dict[str, Any]:
    """All there is to know of a view, for JSON."""
    from nobi.board.vertices import vertex_name
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
        "map": view.inside.output.tolist(),
        "legal": names(view.legal),
        "best": names(view.best),
        "layers": [
            {
                "sweeps": [
                    {**asdict(sweep), "hidden": hidden.tolist()}
                    for sweep, hidden in zip(layer.sweeps, layer.hidden, strict=True)
                ]
            }
            for layer in view.inside.layers
        ],
    }


def values_text(view: "View") -> str:
    """The values of the legal moves as a grid, a dot for next to no chance; elsewhere the stones, or - where empty."""
    from nobi.board.stones import BLACK, EMPTY, PASS
    from nobi.board.vertices import COLUMNS, row_column
    from nobi.players.view import colours_of

    size, output = view.game.size, view.inside.output
    legal = {row_column(move, size) for move in view.legal if move != PASS}
    spread = float(output.max() - output.min())
    digits = min(6, max(0, 2 - math.floor(math.log10(spread)))) if spread > 0 else 2
    colours = colours_of(view.game)

    def text(at: tuple[int, int]) -> str:
        if at not in legal:
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


def best_text(view: "View") -> str:
    """The best move in a sentence."""
    from nobi.board.stones import PASS
    from nobi.board.vertices import row_column, vertex_name

    size = view.game.size
    names = [vertex_name(move, size) for move in view.best]
    if not names:
        return f"The game is over: {view.game.result()}."
    if view.best[0] == PASS:
        return "The only legal move: pass."
    value = view.inside.output[row_column(view.best[0], size)]
    worth = f"with the value {value:.4g}" if view.measure == "output" else f"with a chance of {value:.1f} %"
    return f"The best {'moves' if len(names) > 1 else 'move'}: {', '.join(names)}, {worth}{' each' * (len(names) > 1)}."


def _turn(game: "Game") -> str:
    from nobi.games.base import COLOUR_NAMES

    count = f"after {len(game.moves)} move{'s' * (len(game.moves) != 1)}"
    return f"{count}, the game is over" if game.is_over else f"{count}, {COLOUR_NAMES[game.to_move]} to move"
