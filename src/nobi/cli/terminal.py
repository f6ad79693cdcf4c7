"""A game in the terminal: `nobi play --terminal`."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from nobi.board.stones import BLACK, DRAW, EMPTY, PASS, WHITE, enemy_of
from nobi.board.text import COLUMNS, is_star, point_at, point_named, row_column, vertex_name
from nobi.cli.base import output_console
from nobi.errors import NobiError
from nobi.games.go import Go
from nobi.gtp.process import EngineError
from nobi.matches.series import Entrant
from nobi.players.base import RESIGN, Bot, Clock
from nobi.records.sgf_writer import sgf_of
from nobi.storage import atomic_write
from nobi.web.evaluation import evaluate_by_search
from nobi.web.session import COLOURS, GameEnd, count_board, result_by_rules

if TYPE_CHECKING:
    from nobi.games.base import Game, Variant

HELP = "A point such as D4 plays there. Others: pass, undo, hint, resign, save FILE.sgf, help, quit."
_WOOD = "on #d9ac66"
_STYLES = {BLACK: f"bold #101010 {_WOOD}", WHITE: f"bold #ffffff {_WOOD}"}
_SECONDS = 60.0


def play_in_terminal(variant: "Variant", opponent: str, *, white: bool = False, seed: int = 0) -> int:
    """Play one game against `opponent`, a player, a model or `gtp:COMMAND`; read commands from standard input."""
    console = output_console()
    bot = Entrant(opponent, variant, seed, _SECONDS).make()
    try:
        return _Game(variant, bot, opponent, WHITE if white else BLACK, console).run()
    finally:
        bot.close()


class _Game:
    def __init__(self, variant: "Variant", bot: Bot, opponent: str, human: int, console: Console) -> None:
        self.game = variant.new()
        self.bot = bot
        self.names = {human: "you", int(enemy_of(human)): opponent}
        self.human = human
        self.console = console
        self.result: GameEnd | None = None

    def run(self) -> int:
        self._print(HELP)
        shown: object = None  # an answer to a command that changes nothing stays below the board
        while True:
            if self.result is None and self.game.is_over:
                self.result = _result(self.game)
            if self.result is None and self.game.to_move != self.human:
                self._opponent_moves()
                continue
            position = (list(self.game.moves), self.result)
            if shown != position:
                shown = position
                self.console.print(board_text(self.game))
                if self.result:
                    self._print(self.result.sentence)
            try:
                words = input(f"{COLOURS[self.human]}: " if self.result is None else "save, undo or quit: ").split()
            except EOFError:
                return 0
            if words and words[0].lower() in ("quit", "exit", "q"):
                return 0
            if not words:
                shown = None
                continue
            try:
                self._command(words)
            except NobiError as error:
                self._print(str(error))

    def _opponent_moves(self) -> None:
        try:
            move = self.bot.choose(self.game, Clock())
        except EngineError as error:
            sentence = f"The engine {error}. The game has no result; 'save FILE' keeps it."
            self.result = GameEnd(DRAW, sentence, "Void")
            return
        colour = self.game.to_move
        if move == RESIGN:
            self._resign(colour)
            return
        if not self.game.is_legal(move):
            raise NobiError(f"The opponent chose {vertex_name(move, self.game.size)}, which is illegal.")
        self.game.play(move)
        self._print(f"{COLOURS[colour]}: {vertex_name(move, self.game.size)}")

    def _command(self, words: list[str]) -> None:
        name = words[0].lower()
        if name == "help":
            self._print(HELP)
        elif name == "undo":
            self._undo()
        elif name == "save":
            self._save(words[1:])
        elif self.result:
            raise NobiError("The game is over.")
        elif name == "hint":
            best = evaluate_by_search(self.game, threading.Event()).best
            self._print(f"A short search would play {best[0].name}." if best else "There is no suggestion.")
        elif name == "resign":
            self._resign(self.human)
        else:
            move = point_named(words[0], self.game.size)
            self.game.play(move)

    def _undo(self) -> None:
        resigned = self.result is not None and not self.game.is_over
        mine = self.game.to_move == self.human
        steps = 0 if resigned and mine else 2 if mine else 1
        if steps > len(self.game.moves):
            raise NobiError("There is no move to take back.")
        self.result = None
        for _ in range(steps):
            self.game.undo()

    def _resign(self, colour: int) -> None:
        winner = int(enemy_of(colour))
        sentence = f"{COLOURS[winner]} wins: {COLOURS[colour]} resigned."
        self.result = GameEnd(winner, sentence, f"{COLOURS[winner][0]}+R")

    def _save(self, names: list[str]) -> None:
        if len(names) != 1:
            raise NobiError("Give a file name, as in 'save game.sgf'.")
        path = Path(names[0]).with_suffix(".sgf")
        result = self.result.sgf if self.result else ""
        atomic_write(path, sgf_of(self.game, self.names[BLACK], self.names[WHITE], result=result))
        self._print(f"Saved as {path}.")

    def _print(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def _result(game: "Game") -> GameEnd:
    return count_board(game) if isinstance(game, Go) else result_by_rules(game)


def board_text(game: "Game") -> Text:
    """Return the board in colours, with coordinates; the latest move in brackets."""
    size = game.size
    last = game.moves[-1] if game.moves else PASS
    marked = row_column(last, size) if last != PASS else None
    names = Text("    " + " ".join(COLUMNS[:size]))
    text = Text.assemble(names, "\n")
    for row in range(size):
        text.append(f"{size - row:2d} ")
        for column in range(size):
            colour = game.colour(point_at(row, column, size))
            before = "(" if (row, column) == marked else ")" if (row, column - 1) == marked else " "
            if column or before == "(":
                text.append(before, f"#5a4123 {_WOOD}")
            else:
                text.append(" ", _WOOD)
            mark = ("+" if is_star(row, column, size) else "·") if colour == EMPTY else "●" if colour == BLACK else "○"
            text.append(mark, _STYLES.get(colour, f"#5a4123 {_WOOD}"))
        text.append(")" if marked == (row, size - 1) else " ", f"#5a4123 {_WOOD}")
        text.append(f" {size - row}\n")
    text.append_text(names)
    return text
