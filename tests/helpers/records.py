"""Collections of records made by the tests themselves."""

import numpy as np

from nobi.arena.play import play_games
from nobi.board.stones import BLACK, PASS, WHITE
from nobi.board.text import row_column
from nobi.games import variant
from nobi.players import make_player
from nobi.records.collection import PASS_CODE, WHITE_BIT, Collection


def code_of(colour, point, size):
    """A move as collections keep it; the point is (row, column), None for a pass."""
    return (PASS_CODE if point is None else point[0] * size + point[1]) | (WHITE_BIT if colour == WHITE else 0)


def collection_of(records):
    """A collection of records: dicts of size, moves and setup as (colour, point), ranks (black's, white's), result."""
    moves, setups = (
        [np.array([code_of(*move, r["size"]) for move in r.get(key, ())], np.uint16) for r in records]
        for key in ("moves", "setup")
    )
    ranks = np.array([r.get("ranks", (0, 0)) for r in records], np.int8)
    none = np.zeros(len(records))
    return Collection(
        size=np.array([r["size"] for r in records], np.uint8),
        start=np.cumsum([0, *map(len, moves)]).astype(np.int64),
        moves=np.concatenate(moves),
        setup_start=np.cumsum([0, *map(len, setups)]).astype(np.int64),
        setup=np.concatenate(setups),
        black_rank=ranks[:, 0],
        white_rank=ranks[:, 1],
        komi=np.full(len(records), np.nan, np.float32),
        handicap=none.astype(np.uint8),
        result=np.array([r.get("result", 0) for r in records], np.int8),
        year=none.astype(np.int16),
    )


def random_records(size, games, seed, most=10_000, player="playout"):
    """Records of games between two players who mostly play at random."""
    where = variant("go:ko=simple", size)
    someone = make_player(player, where)
    played = play_games(where, someone, someone, games, seed=seed, threads=1, keep_moves=True)
    records = []
    for i in range(games):
        moves = [
            ((BLACK, WHITE)[ply % 2], None if move == PASS else row_column(int(move), size))
            for ply, move in enumerate(played.moves[i, : min(most, played.length[i])])
        ]
        records.append({"size": size, "moves": moves, "ranks": (i % 12 - 1, 3)})
    return records
