"""Statistics of the playouts through each move at the root: results and scores.

Every thread adds its playouts to row i of its own arrays, where i is the index of the first move among the children of
the root; playouts without a first move are added to the last row. The cost is a few additions per playout. In games
without a score, the columns of the score stay 0.
"""

from nobi.compiling import inlined
from nobi.search.state import ROOT_MOVE, Workspace

PLAYOUTS, WINS, SCORED, SCORE, SQUARES = range(5)
"""Columns of `Workspace.results`: playouts, Black's wins; playouts with a score, their scores and squares for Black."""


@inlined
def note_result(workspace: Workspace, black: float) -> None:
    """Count a playout with Black's result."""
    row = workspace.counts[ROOT_MOVE]
    workspace.results[row, PLAYOUTS] += 1.0
    workspace.results[row, WINS] += black


@inlined
def note_score(workspace: Workspace, score: float) -> None:
    """Count the score of a playout: Black's points minus White's, komi included."""
    row = workspace.counts[ROOT_MOVE]
    workspace.results[row, SCORED] += 1.0
    workspace.results[row, SCORE] += score
    workspace.results[row, SQUARES] += score * score
