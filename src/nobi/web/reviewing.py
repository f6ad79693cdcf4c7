"""The review requested by a visitor: the game, the reviewer and the progress."""

import threading

from nobi.errors import NobiError
from nobi.models.model import best_model
from nobi.web.jobs import Jobs, Report, Task
from nobi.web.opponents import Catalogue
from nobi.web.review import (
    GameReview,
    ReviewedMove,
    annotated_sgf,
    begin_review,
    carry_out,
    reviewer_name,
)
from nobi.web.session import GameSession, cell_of

SEARCH = "search"
"""Id of the reviewer without a network."""
PLAYOUTS = {
    0: "the network alone",
    100: "100 playouts per move",
    200: "200 playouts per move",
    1000: "1,000 playouts per move",
}


class ReviewState:
    """The state of the review panel: the review of one game at a time."""

    def __init__(self, visitor: str, tab: str, catalogue: Catalogue, jobs: Jobs) -> None:
        self.catalogue = catalogue
        self._task = Task(jobs, visitor, f"review {tab}")
        self._content = b""
        self.session: GameSession | None = None
        self.review: GameReview | None = None
        self.reviewer = SEARCH
        self.playouts = 200
        self.version = 0
        self._seen = -1

    @property
    def busy(self) -> bool:
        """Whether a review is running."""
        return self._task.busy

    @property
    def failed(self) -> str:
        """Why the review failed; empty if it did not."""
        return self._task.failed

    @property
    def progress(self) -> float:
        """Reviewed part of the game, 0 to 1."""
        review = self.review
        return len(review.moves) / review.total if review and review.total else 0.0

    def open(self, content: bytes) -> None:
        """Open a game without reviewing it."""
        session, review = begin_review(content, "")
        if not review.total:
            raise NobiError("There is no move to review in this file.")
        self._task.cancel()
        self._content, self.session, self.review = content, session, review
        session.show(0)
        game, able = session.setup.game, self.reviewers()
        shipped = f"model-{best_model(game, session.size)}"
        best = self.catalogue.first_for(game, session.size)
        self.reviewer = next((key for key in (shipped, best) if key in able), SEARCH)
        self.version += 1

    def reviewers(self) -> dict[str, str]:
        """Available reviewers by id: networks that play this game, and a search without a network."""
        setup = self.session.setup if self.session else None
        able = [one for one in self.catalogue.models() if setup and not one.refusal(setup.game, setup.size)]
        return {one.id: one.title for one in able} | {SEARCH: "Search without a network"}

    def choose(self, reviewer: str, playouts: int) -> None:
        """Change the reviewer."""
        if reviewer not in self.reviewers() or playouts not in PLAYOUTS:
            raise NobiError("There is no such reviewer.")
        self.reviewer, self.playouts = reviewer, playouts

    def start(self) -> None:
        """Start the review."""
        if self.session is None:
            raise NobiError("Open a game first.")
        file = None if self.reviewer == SEARCH else self.catalogue[self.reviewer].network_file
        title = "" if file is None else self.catalogue[self.reviewer].title
        session, review = begin_review(self._content, reviewer_name(title, self.playouts))
        session.show(self.session.shown)
        self.session, self.review = session, review
        other = GameSession.from_plain(session.plain())  # the thread gets its own copy of the game

        def work(stop: threading.Event, report: Report) -> GameReview:
            return carry_out(
                other,
                review,
                file,
                self.playouts,
                stop=stop,
                progress=lambda found: report(len(found.moves) / max(1, found.total)),
            )

        self._task.start(work)
        self.version += 1

    def stop(self) -> None:
        """Stop the review and keep the reviewed moves."""
        self._task.stop()

    def show(self, moves: int) -> None:
        """Show the position after this number of moves."""
        if self.session:
            self.session.show(moves)
            self.version += 1

    def poll(self) -> None:
        """Take the progress of the review."""
        done = len(self.review.moves) if self.review else 0
        self._task.poll()
        if done != self._seen:
            self._seen = done
            self.version += 1

    def move_at(self, number: int) -> ReviewedMove | None:
        """Return the review of a move, or None."""
        moves = self.review.moves if self.review else []
        return moves[number - 1] if 1 <= number <= len(moves) else None

    def cell_of_move(self, number: int) -> int:
        """Return the cell of a move."""
        if self.session is None or not 1 <= number <= len(self.session.game.moves):
            return -1
        return cell_of(self.session.game.moves[number - 1], self.session.size)

    def annotated(self) -> bytes:
        """Return the game with comments."""
        if self.session is None or self.review is None or not self.review.moves:
            raise NobiError("There is no review to save yet.")
        return annotated_sgf(self.session, self.review)
