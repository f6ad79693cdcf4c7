"""`nobi review`: what a network or a search thinks of every move of a game."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi import models
from nobi.cli.base import UNSET, CommonFlags, announce_compiling, output_console, plain_table, print_json, print_table
from nobi.cli.progress import progress_bar
from nobi.errors import NobiError

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.web.review import Review as Found
    from nobi.web.review import ReviewedMove


@dataclass(frozen=True)
class Review(CommonFlags):
    """Review a game record: the opinion of a network at every move, and the moves that lost most.

    Go is reviewed by the shipped network, other games by a search; --model and --playouts choose otherwise. The loss of
    a move is how much of the mover's chance to win it gave away, in percentage points.
    """

    game: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="GAME.sgf", help="The game record.")] = (
        tyro.MISSING
    )
    model: str = ""
    """The network that reviews, a model file or the name of a shipped model; 'none' for a search without one."""
    playouts: int = 200
    """Playouts of the search at every position; 0 for the network alone."""
    figure: Annotated[Path | None, UNSET] = None
    """Save the chance to win over the game here, as PNG and SVG."""
    annotate: Annotated[Path | None, UNSET] = None
    """Save the game with comments and variations here, as SGF."""
    all: bool = False
    """Print every move, not only the largest losses."""

    def run(self) -> int:
        """Reviews the game and prints what was found."""
        self.check()
        from nobi.web.review import (
            annotated_sgf,
            begin_review,
            carry_out,
            check_playouts,
            default_reviewer,
            reviewer_name,
        )

        check_playouts(self.playouts)
        content = _content_of(self.game)
        announce_compiling()
        from nobi.models.model import read_model_file
        from nobi.storage import atomic_write, make_writable_folder

        session, review = begin_review(content, "")
        name = self.model or default_reviewer(models.shipped(), session.setup.game)
        file = read_model_file(Path(name)) if name not in ("", "none") else None
        review.reviewer = reviewer_name(Path(name).stem if file else "", self.playouts)
        with progress_bar("moves", review.total) as progress:
            carry_out(session, review, file, self.playouts, progress=lambda found: progress(len(found.moves)))
        if self.annotate:
            make_writable_folder(self.annotate.parent)
            atomic_write(self.annotate, annotated_sgf(session, review))
        if self.figure:
            from nobi.figures.review import review_figure

            make_writable_folder(self.figure.parent)
            marks = [(one.number, one.move, one.loss or 0.0) for one in review.blunders()]
            title = f"{review.black} against {review.white}, {review.title}"
            review_figure(review.chances(), marks, self.figure, title)
        if self.json:
            print_json(review.document())
        else:
            self._print(review)
        return 0

    def _print(self, review: "Found") -> None:
        console = output_console()
        console.print(
            f"{review.black} (Black) against {review.white} (White): {review.title}, {review.total} moves.",
            highlight=False,
        )
        if not review.moves:
            console.print("There is no move to review.")
            return
        shares = {name: review.agreement(colour) for name, colour in (("Black", "Black"), ("White", "White"))}
        both = review.agreement()
        if both is not None:
            parts = [f"{name} {100 * share:.0f} %" for name, share in shares.items() if share is not None]
            text = f"{review.reviewer} would have played {100 * both:.0f} % of the moves ({', '.join(parts)})."
            console.print(text, highlight=False)
        if self.all:
            print_table(console, "Every move", _table(review.moves))
        found = review.blunders()
        if found:
            unit = "percentage points of the chance to win"
            if review.loss_measure == "preference":
                unit = "percentage points of preference; this network does not tell who is winning"
            print_table(console, f"The largest losses, in {unit}", _table(found))
        for what, path in (("annotated game", self.annotate), ("figure", self.figure)):
            if path:
                console.print(f"The {what}: {path}", highlight=False, soft_wrap=True)


def _content_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise NobiError(f"{str(path)!r} cannot be read: {fault.strerror}.") from None


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
