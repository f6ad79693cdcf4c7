"""Small datasets of games that the tests play themselves."""

import lzma

from nobi.arena.play import play_games
from nobi.games import variant
from nobi.players import make_player
from nobi.records.importing import import_records
from nobi.records.settings import ImportSettings
from nobi.records.sgf_writer import sgf_of


def played_lines(size, games, seed=0, most=40):
    """Games between two players who fill the board at random, as records of one line with ranks."""
    where = variant("go:ko=simple", size)
    someone = make_player("playout", where)
    played = play_games(where, someone, someone, games, seed=seed, threads=1, keep_moves=True)
    lines = []
    for i in range(games):
        whole = played.replay(i)
        game = where.new()
        for move in whole.moves[:most]:
            game.play(move)
        ranks = f"BR[{1 + i % 9}d]WR[{1 + i % 3}k]".encode()
        lines.append(sgf_of(game).replace(b"\n", b"").replace(b"SZ[", ranks + b"SZ[", 1))
    return lines


def make_dataset(folder, sizes=(5,), games=40, seed=0, shares=(60, 20, 20), most=40):
    """A dataset of so many games on each size of board; returns its path as text."""
    lines = [line for size in sizes for line in played_lines(size, games, seed, most)]
    records = folder.parent / f"{folder.name}.sgfl.xz"
    records.write_bytes(lzma.compress(b"\n".join(lines) + b"\n"))
    import_records([records], folder, ImportSettings(shares=shares, seed=seed))
    return str(folder)
