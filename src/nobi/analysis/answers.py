"""Results of searches as KataGo's JSON objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobi.analysis.query import Query
from nobi.analysis.settings import SIDE_TO_MOVE
from nobi.board.stones import BLACK, cell_tables
from nobi.board.text import vertex_name
from nobi.games.go import Go
from nobi.gtp.analysis import owners_stdev
from nobi.search.report import MoveReport, Score
from nobi.search.search import Search

_DIGITS = 6
_MAP_DIGITS = 4


def result_of(query: Query, turn: int, game: Go, search: Search, policy: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return the result of a search so far, without `isDuringSearch`.

    Args:
        query: the query.
        turn: the turn of the query that is searched.
        game: the position of the turn.
        search: the search.
        policy: [n·n + 1] for `includePolicy`.
    """
    perspective = query.defaults.perspective
    same = perspective in (SIDE_TO_MOVE, game.to_move)
    black = perspective == BLACK or (perspective == SIDE_TO_MOVE and game.to_move == BLACK)
    owners = bool(query.flags & {"includeMovesOwnership", "includeMovesOwnershipStdev"})
    root = search.report(length=query.defaults.variation + 1, owners=owners)
    forbidden = _forbidden(query, game)
    moves = [one for one in root.moves if one.move not in forbidden]
    answer: dict[str, Any] = {
        "id": query.id,
        "turnNumber": turn,
        "moveInfos": [_move_info(i, one, query, same, black) for i, one in enumerate(moves)],
        "rootInfo": {
            "visits": root.visits,
            "weight": float(root.visits),
            "currentPlayer": "B" if game.to_move == BLACK else "W",
            **_values(root.winrate, root.score, same),
        },
    }
    expected = search.expected_result
    if expected is not None:
        answer["rootInfo"]["rawWinrate"] = round(expected if same else 1 - expected, _DIGITS)
    answer |= _owners(query, search.ownership(), "includeOwnership", "includeOwnershipStdev", black)
    if policy is not None and "includePolicy" in query.flags:
        answer["policy"] = [round(float(value), _DIGITS) for value in policy]
    return answer


def _forbidden(query: Query, game: Go) -> set[int]:
    """Return the moves at the root that are searched only because no other move is left."""
    found: set[int] = set()
    for one in query.restrictions:
        if one.colour == game.to_move:
            found |= set(game.legal_moves()) - set(one.moves) if one.allow else set(one.moves)
    return found


def _move_info(order: int, one: MoveReport, query: Query, same: bool, black: bool) -> dict[str, Any]:
    size = query.variant.size
    info: dict[str, Any] = {
        "move": vertex_name(one.move, size),
        "visits": one.visits,
        "edgeVisits": one.visits,
        "weight": float(one.visits),
        "edgeWeight": float(one.visits),
        "prior": round(one.prior, _DIGITS),
        "order": order,
        "playSelectionValue": float(one.visits),
        "lcb": round(one.lcb if same else 1 - one.lcb, _DIGITS),
        "pv": [vertex_name(move, size) for move in one.variation],
        **_values(one.winrate, one.score, same),
    }
    if one.score and one.utility_lcb is not None:
        info["scoreMean"] = info["scoreLead"]
        info["utilityLcb"] = round(one.utility_lcb if same else -one.utility_lcb, _DIGITS)
    if "includePVVisits" in query.flags:
        info["pvVisits"] = info["pvEdgeVisits"] = one.variation_visits
    if "includeNoResultValue" in query.flags:
        info["noResultValue"] = 0.0
    if one.ownership is not None:
        info |= _owners(query, one.ownership, "includeMovesOwnership", "includeMovesOwnershipStdev", black)
    return info


def _values(winrate: float, score: Score | None, same: bool) -> dict[str, float]:
    """Return the values from the perspective of the player to move (`same`), or of the opponent."""
    values = {"winrate": round(winrate if same else 1 - winrate, _DIGITS)}
    if score:
        sign = 1 if same else -1
        lead = round(sign * score.lead, _DIGITS)
        values |= {"scoreLead": lead, "scoreSelfplay": lead, "scoreStdev": round(score.stdev, _DIGITS)}
        values["utility"] = round(sign * score.utility, _DIGITS)
    return values


def _owners(query: Query, owned: NDArray[np.float64], mean: str, stdev: str, black: bool) -> dict[str, list[float]]:
    """Return the ownership, +1 for the colour of the perspective, if it is requested."""
    found = {}
    if mean in query.flags:
        found["ownership"] = _rounded(owned if black else -owned)
    if stdev in query.flags:
        found["ownershipStdev"] = _rounded(owners_stdev(owned))
    return found


def _rounded(values: NDArray[np.float64]) -> list[float]:
    found: list[float] = (np.round(values.ravel(), _MAP_DIGITS) + 0.0).tolist()
    return found


def policy_of(game: Go, search: Search, power: float) -> NDArray[np.float64]:
    """Return the root policy, [n·n + 1]: −1 for illegal moves, the pass last; uniform without a network.

    `power` is the power to which the search has raised the policy; it is undone here.
    """
    size = game.size
    legal = game.legal_mask().ravel()
    weights = np.zeros(size * size + 1)
    if search.policy is None:
        weights[:-1][legal] = 1.0
        weights[-1] = 1.0
    else:
        tree = search.tree
        first, count = int(tree.first[0]), max(0, int(tree.children[0]))
        moves = tree.move[first : first + count]
        cells = np.where(moves == 0, size * size, cell_tables(size).cell_of[moves])
        weights[cells] = tree.policy[first : first + count].astype(np.float64) ** (1 / power)
    total = weights.sum()
    if total <= 0:
        weights[-1] = total = 1.0
    weights /= total
    weights[:-1][~legal] = -1.0
    return weights
