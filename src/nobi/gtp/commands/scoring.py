"""The end of a game of Go: which stones are dead, and who has won by how much."""

from nobi.board.vertices import vertex_name
from nobi.gtp.commands import command
from nobi.gtp.protocol import GtpError, take
from nobi.gtp.session import Session
from nobi.players.scoring import chains_of, dead_stones, final_score


@command(
    "final_score", "", "the result by the present rules, dead stones taken off: `B+3.5`, `W+0.5` or `0`", games="go"
)
def _final_score(session: Session, arguments: list[str]) -> str:  # noqa: ARG001
    score = final_score(session.go)
    return "0" if score == "Draw" else score


@command(
    "final_status_list",
    "STATUS",
    "the stones that are `alive` or `dead`, a chain a line; `seki` is not told from alive",
    games="go",
)
def _final_status_list(session: Session, arguments: list[str]) -> str:
    status = take(arguments, 1)[0].lower()
    if status not in ("alive", "dead", "seki"):
        raise GtpError("syntax error")
    if status == "seki":
        return ""
    dead = set(dead_stones(session.go))
    size = session.game.size
    chains = [chain for chain in chains_of(session.game) if (chain[0] in dead) == (status == "dead")]
    return "\n".join(" ".join(vertex_name(point, size) for point in chain) for chain in chains)
