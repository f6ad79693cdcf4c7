"""`nobi review`: the evaluation of every move of a game by a network or a search."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.base import Command, Result, plain_table
from nobi.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from nobi.web.review import GameReview, ReviewedMove


@dataclass(frozen=True)
class Review(Command):
    """Review a game record: the evaluation of every move, and the moves with the largest losses.

    By default Go is reviewed by the shipped network, other games by a search; see --model and --playouts. The loss of a
    move is the decrease of its player's probability to win, in percentage points.
    """

    game: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="GAME.sgf", help="The game record.")] = (
        tyro.MISSING
    )
    model: str = ""
    """The network, a model file or the name of a shipped model; 'none': a search without a network."""
    playouts: int = 200
    """Playouts of the search at every position; 0: the network alone."""
    figure: Path | None = None
    """Save a figure of the probability to win to this path, as PNG and SVG."""
    annotate: Path | None = None
    """Save the game with comments and variations to this path, as SGF."""
    all: bool = False
    """Print every move, not only the largest losses."""

    def execute(self) -> Result:
        from nobi.models.model import best_model, load_model
        from nobi.storage import atomic_write, make_writable_folder, read_content
        from nobi.web.review import (
            annotated_sgf,
            begin_review,
            carry_out,
            check_playouts,
            reviewer_name,
        )

        check_playouts(self.playouts)
        for path in filter(None, (self.annotate, self.figure)):
            make_writable_folder(path.parent)
        session, review = begin_review(read_content(self.game), "")
        name = self.model or best_model(session.setup.game, session.size)
        file = load_model(name) if name not in ("", "none") else None
        review.reviewer = reviewer_name(Path(name).stem if file else "", self.playouts)
        with progress_bar("moves", review.total) as progress:
            carry_out(session, review, file, self.playouts, progress=lambda found: progress(len(found.moves)))
        if self.annotate:
            atomic_write(self.annotate, annotated_sgf(session, review))
        if self.figure:
            from nobi.figures.board import review_figure

            marks = [(one.number, one.move, one.loss or 0.0) for one in review.blunders()]
            title = f"{review.black} against {review.white}, {review.title}"
            review_figure(review.chances(), marks, self.figure, title)
        return Result(review.document(), list(self._report(review)))

    def _report(self, review: "GameReview") -> "Iterator[str | tuple[str, Table]]":
        yield f"{review.black} (Black) against {review.white} (White): {review.title}, {review.total} moves."
        if not review.moves:
            yield "There is no move to review."
            return
        both = review.agreement()
        if both is not None:
            shares = {colour: review.agreement(colour) for colour in ("Black", "White")}
            parts = [f"{colour} {100 * share:.0f} %" for colour, share in shares.items() if share is not None]
            yield f"{review.reviewer} would have played {100 * both:.0f} % of the moves ({', '.join(parts)})."
        if self.all:
            yield "Every move", _table(review.moves)
        found = review.blunders()
        if found:
            unit = "percentage points of the probability to win"
            if review.loss_measure == "preference":
                unit = "percentage points of preference; this network does not predict the winner"
            yield f"The largest losses, in {unit}", _table(found)
        for what, path in (("annotated game", self.annotate), ("figure", self.figure)):
            if path:
                yield f"The {what}: {path}"


def _table(moves: "list[ReviewedMove]") -> "Table":
    table = plain_table(["move", "played", "would play"], ["share", "rank", "Black's chance", "loss", ""])
    for one in moves:
        table.add_row(
            f"{one.number} {one.colour}",
            one.move,
            f"{one.best} ({100 * one.best_share:.0f} %)" if one.best else "",
            f"{100 * one.share:.0f} %",
            str(one.rank or ""),
            "" if one.black_chance is None else f"{100 * one.black_chance:.0f} %",
            "" if one.loss is None else f"{one.loss:.1f}",
            one.judgement,
        )
    return table
