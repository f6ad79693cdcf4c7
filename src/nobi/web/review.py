"""Review of a game: a network or a search evaluates every move. The page and `nobi review` share it.

The evaluation of a position gives the move that the reviewer would play, the share of the played move and, if known,
Black's chance to win. The loss of a move is the decrease of the mover's chance to win, in percentage points. If no
chance is known, the loss is the share of the reviewer's best move minus the share of the played move.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sgfmill import sgf

from nobi.board.stones import BLACK, DRAW, PASS, WHITE
from nobi.board.text import vertex_name
from nobi.errors import NobiError
from nobi.games.base import Game, Variant
from nobi.games.go import Go
from nobi.models.model import Model
from nobi.players.mcts import MctsBot, MctsPlayer
from nobi.players.network import player_from_model
from nobi.records.sgf_writer import sgf_of
from nobi.search.settings import SearchSettings
from nobi.web.evaluation import PositionEvaluation, evaluate_by_player, evaluation_of_search, expected_score
from nobi.web.session import COLOURS, GameSession, cell_of
from nobi.web.setup import Setup

BLUNDERS = 5
"""Number of largest losses that are listed."""
DOUBTFUL, MISTAKE = 5.0, 15.0
"""Minimum losses, in percentage points, of a doubtful move and of a mistake."""
PLAYOUTS = 200
"""Default number of playouts per position."""
_TREE_MEGABYTES = 32


@dataclass(frozen=True)
class ReviewedMove:
    """One move of the game and its evaluation."""

    number: int
    colour: str
    move: str
    best: str
    """The move that the reviewer would play; empty if it has none."""
    best_share: float
    """0 to 1"""
    share: float
    """The share of the played move, 0 to 1; 0 if the reviewer did not consider it."""
    rank: int | None
    """1 if the reviewer would play the same move, None if it did not consider the move."""
    black_chance: float | None
    """Black's chance to win before the move, 0 to 1."""
    black_score: float | None
    """Black's lead in points before the move, estimated by playouts (Go only)."""
    loss: float | None
    """In percentage points; None if unknown."""

    @property
    def judgement(self) -> str:
        """`good`, `doubtful` or `mistake`; empty if the loss is unknown."""
        if self.loss is None:
            return ""
        return "mistake" if self.loss >= MISTAKE else "doubtful" if self.loss >= DOUBTFUL else "good"


@dataclass
class GameReview:
    """The review of a whole game; moves are added during the review."""

    title: str
    black: str
    white: str
    reviewer: str
    measure: str = ""
    """Type of the shares: probability, preference or playouts."""
    loss_measure: str = "chance to win"
    """Quantity of the losses: `chance to win`, or `preference` if no chance is known."""
    moves: list[ReviewedMove] = field(default_factory=list)
    evaluations: list[PositionEvaluation | None] = field(default_factory=list)
    """[number of previous moves] evaluation shown on the board."""
    total: int = 0
    """Number of moves of the game."""
    last_chance: float | None = None
    """Black's chance after the last move."""
    properties: dict[str, Any] = field(default_factory=dict)
    """Properties of the record that the annotated game keeps, such as the result and the rules."""

    @property
    def finished(self) -> bool:
        """Whether all moves have been reviewed."""
        return len(self.moves) == self.total

    def agreement(self, colour: str = "") -> float | None:
        """Return the share of moves, of one colour or both, that the reviewer would have played; None without moves."""
        mine = [one for one in self.moves if one.rank is not None or one.best]
        mine = [one for one in mine if not colour or one.colour == colour]
        return sum(one.rank == 1 for one in mine) / len(mine) if mine else None

    def blunders(self) -> list[ReviewedMove]:
        """Return the BLUNDERS moves with the largest losses in descending order; equal losses in the order of moves.

        Moves that the reviewer would have played as well are excluded.
        """
        known = [one for one in self.moves if one.loss and one.rank != 1]
        return sorted(known, key=lambda one: (-(one.loss or 0), one.number))[:BLUNDERS]

    def chances(self) -> dict[int, float]:
        """Return Black's known chances to win, by the number of moves."""
        found = {one.number - 1: one.black_chance for one in self.moves if one.black_chance is not None}
        if self.last_chance is not None:
            found[len(self.moves)] = self.last_chance
        return found

    def scores(self) -> dict[int, float]:
        """Return Black's known leads in points, by the number of moves."""
        return {one.number - 1: one.black_score for one in self.moves if one.black_score is not None}

    def document(self) -> dict[str, Any]:
        """Return the review as plain data for JSON."""
        return {
            "game": self.title,
            "black": self.black,
            "white": self.white,
            "reviewer": self.reviewer,
            "measure": self.measure,
            "loss_measure": self.loss_measure,
            "agreement": {
                "both": self.agreement(),
                "black": self.agreement("Black"),
                "white": self.agreement("White"),
            },
            "blunders": [_rounded(one) for one in self.blunders()],
            "moves": [_rounded(one) for one in self.moves],
        }


def _rounded(one: ReviewedMove) -> dict[str, Any]:
    def short(value: float | None, digits: int) -> float | None:
        return None if value is None else round(value, digits)

    return {
        "number": one.number,
        "colour": one.colour,
        "move": one.move,
        "best": one.best,
        "best_share": short(one.best_share, 4),
        "share": short(one.share, 4),
        "rank": one.rank,
        "black_chance": short(one.black_chance, 4),
        "black_score": short(one.black_score, 1),
        "loss": short(one.loss, 2),
        "judgement": one.judgement,
    }


class _Evaluator:
    """Evaluates the positions of one game."""

    def __init__(self, file: Model | None, variant: Variant, playouts: int) -> None:
        self._player = None
        self._bot: MctsBot | None = None
        if file is None or playouts:
            # synchronous: the same game gets the same review every time
            settings = SearchSettings(
                rollouts=playouts or PLAYOUTS,
                memory=_TREE_MEGABYTES,
                model=str(file.path) if file else "",
                mode="synchronous",
                batch=1,
                wait=0.0,
            )
            self._bot = MctsBot(MctsPlayer(variant, settings))
        else:
            self._player = player_from_model(file, variant)

    def evaluate(self, game: Game, stop: threading.Event) -> PositionEvaluation:
        if self._bot:
            search = self._bot.search
            search.set_game(game)
            search.run(self._bot.settings.rollouts, stop=stop)
            return evaluation_of_search(search, game)
        assert self._player is not None  # noqa: S101
        return evaluate_by_player(self._player, game)

    def close(self) -> None:
        if self._bot:
            self._bot.close()


def begin_review(content: bytes, reviewer: str) -> tuple[GameSession, GameReview]:
    """Return the game of an SGF file and its empty review; raise a NobiError for an invalid file."""
    session = GameSession.from_sgf(content, Setup())
    black, white = player_names(content)
    review = GameReview(session.setup.title, black, white, reviewer, total=len(session.game.moves))
    review.properties = kept_properties(content)
    return session, review


def carry_out(
    session: GameSession,
    review: GameReview,
    file: Model | None,
    playouts: int = PLAYOUTS,
    *,
    stop: threading.Event | None = None,
    progress: Callable[[GameReview], None] = lambda _: None,
) -> GameReview:
    """Review every move of a game; `stop` ends it early with a partial result.

    Args:
        session: the game, which is not changed.
        review: the result of `begin_review`; its moves are filled in.
        file: the network that reviews; None for a search without a network.
        playouts: number for each position; 0 for the network alone, or the default number without a network.
        stop: ends the review.
        progress: called after every move.
    """
    stop = stop or threading.Event()
    game = _start_of(session)
    evaluator = _Evaluator(file, Variant(type(game), game.size, game.settings), playouts)
    try:
        before = evaluator.evaluate(game, stop) if review.total else None
        for move in session.game.moves:
            score = expected_score(game)
            played = _judged(game, move, before, score)
            game.play(move)
            if stop.is_set():
                break
            after = None if game.is_over else evaluator.evaluate(game, stop)
            if stop.is_set():
                break
            chance = after.black_chance if after else _chance_at_end(game)
            review.measure = before.measure if before else review.measure
            review.evaluations.append(before)
            review.moves.append(_with_loss(played, before, chance))
            review.last_chance = chance
            before = after
            progress(review)
    finally:
        evaluator.close()
    if review.moves and all(one.black_chance is None for one in review.moves):
        review.loss_measure = "preference"
        review.moves = [replace(one, loss=max(0.0, 100 * (one.best_share - one.share))) for one in review.moves]
    return review


def _start_of(session: GameSession) -> Game:
    shown = session.shown
    session.show(0)
    game = session.position().copy()
    session.show(shown)
    return game


def _judged(game: Game, move: int, evaluation: PositionEvaluation | None, score: float | None) -> ReviewedMove:
    """Return the evaluation of a move before it is played."""
    size = game.size
    number, colour, name = len(game.moves) + 1, COLOURS[game.to_move], vertex_name(move, size)
    if evaluation is None or not evaluation.best:
        return ReviewedMove(number, colour, name, "", 0.0, 0.0, None, None, score, None)
    best = evaluation.best[0]
    if move == PASS:
        share = next((one.share for one in evaluation.best if one.move == PASS), 0.0)
    else:
        share = evaluation.shares[cell_of(move, size)]
    better = sum(other > share for other in evaluation.shares)
    rank = 1 if move == best.move else better + 1 + (best.move == PASS) if share > 0 else None
    return ReviewedMove(number, colour, name, best.name, best.share, share, rank, evaluation.black_chance, score, None)


def _with_loss(played: ReviewedMove, before: PositionEvaluation | None, after: float | None) -> ReviewedMove:
    """Return the move with its loss, if the chance is known before and after it."""
    if before is None or before.black_chance is None or after is None:
        return played
    sign = 1 if played.colour == "Black" else -1
    return replace(played, loss=max(0.0, 100 * sign * (before.black_chance - after)))


def _chance_at_end(game: Game) -> float | None:
    """Return Black's chance after the end of the game; None for Go, whose board must be counted."""
    if isinstance(game, Go) or game.outcome not in (BLACK, WHITE, DRAW):
        return None
    return {BLACK: 1.0, WHITE: 0.0, DRAW: 0.5}[game.outcome]


def player_names(content: bytes) -> tuple[str, str]:
    """Return the names of Black and White in an SGF file, if given."""
    names = ["Black", "White"]
    with suppress(ValueError, RecursionError, LookupError):
        record = sgf.Sgf_game.from_bytes(content)
        for i, letter in enumerate("bw"):
            names[i] = (record.get_player_name(letter) or names[i])[:60]
    return names[0], names[1]


_KEPT = ("RE", "RU", "BR", "WR", "DT", "EV", "RO", "PC", "TM", "OT")


def kept_properties(content: bytes) -> dict[str, Any]:
    """The properties of an SGF file that describe the game and are not changed by a review."""
    found = {}
    with suppress(ValueError, RecursionError, LookupError):
        root = sgf.Sgf_game.from_bytes(content).get_root()
        for key in _KEPT:
            with suppress(ValueError, LookupError):
                found[key] = root.get(key)
    return found


def annotated_sgf(session: GameSession, review: GameReview) -> bytes:
    """Return the game as SGF, with a comment on every reviewed move and the reviewer's choice as a variation."""
    result = session.result.sgf if session.result else ""
    content = sgf_of(session.game, review.black, review.white, review.title, result)
    record = sgf.Sgf_game.from_bytes(content)
    nodes = record.get_main_sequence()
    if isinstance(session.game, Go) and session.result is None and nodes[0].has_property("RE"):
        nodes[0].unset("RE")  # it counts dead stones as alive
    for key, value in review.properties.items():
        nodes[0].set(key, value)
    text = [f"Reviewer: {review.reviewer}."]
    if (share := review.agreement()) is not None:
        text.append(f"It would have played {100 * share:.0f} % of the moves.")
    nodes[0].set("C", " ".join(text))
    for one, parent, node in zip(review.moves, nodes, nodes[1:], strict=False):
        node.set("C", comment_on(one, review))
        if one.judgement == "mistake" and review.loss_measure == "chance to win":
            node.set("BM", 1)
        if one.best and one.best != one.move:
            variation = parent.new_child()
            variation.set_move("b" if one.colour == "Black" else "w", _sgf_point(one.best))
            variation.set("C", f"{review.reviewer} would play {one.best} ({100 * one.best_share:.0f} %).")
    serialised: bytes = record.serialise()
    return serialised


def comment_on(one: ReviewedMove, review: GameReview) -> str:
    """Return the evaluation of a move as text."""
    parts = []
    if one.black_chance is not None:
        parts.append(f"Black's chance to win before this move: {100 * one.black_chance:.0f} %.")
    if one.rank == 1:
        parts.append(f"{review.reviewer} would play {one.move} as well.")
    elif one.best:
        place = f", its choice number {one.rank}" if one.rank else ""
        parts.append(f"{review.reviewer} would play {one.best} ({100 * one.best_share:.0f} %)"
                     f" rather than {one.move} ({100 * one.share:.0f} %{place}).")  # fmt: skip
    if one.loss is not None and one.judgement != "good":
        of = "of the chance to win" if review.loss_measure == "chance to win" else "of preference"
        parts.append(f"It loses {one.loss:.1f} percentage points {of}: {_WORDS[one.judgement]}.")
    return " ".join(parts)


_WORDS = {"good": "good", "doubtful": "doubtful", "mistake": "a mistake"}


def _sgf_point(name: str) -> tuple[int, int] | None:
    """Return the row (0 at the bottom) and column of a point such as D4, as in the SGF library; None for a pass."""
    if name.lower() == "pass":
        return None
    column = "ABCDEFGHJKLMNOPQRSTUVWXYZ".index(name[0].upper())
    return int(name[1:]) - 1, column


def reviewer_name(model: str, playouts: int) -> str:
    """Return the display name of a reviewer: a network, a search with a network or a search without one."""
    search = f"search with {playouts or PLAYOUTS:,} playouts"
    if not model:
        return f"A {search}"
    return f"{model} and a {search}" if playouts else model


def check_playouts(playouts: int) -> None:
    """Check the number of playouts."""
    if not 0 <= playouts <= 100_000:
        raise NobiError(f"--playouts must be 0 to 100,000, not {playouts}.")
