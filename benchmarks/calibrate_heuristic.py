"""Win rates of the naive and the random player against heuristic(e): the table in docs/players.md.

The games are the same on every machine, so this script reproduces the table to the last digit.
"""

from nobi.arena.play import play_games
from nobi.arena.results import summarise
from nobi.games import variant
from nobi.players import make_player
from nobi.statistics import Interval

GAMES = 10_000
SIZES = (7, 9)
RANDOM_SHARES = ("0", "0.05", "0.2")


def cell(player: str, size: int, e: str) -> Interval:
    """The player's win rate against heuristic(e)."""
    where = variant("atari-go", size)
    played = play_games(where, make_player(player, where), make_player(f"heuristic:e={e}", where), GAMES)
    return summarise(played)["all"].win_rate


def row(player: str, size: int) -> str:
    """A line of the table."""
    rates = [cell(player, size, e) for e in RANDOM_SHARES]
    cells = [f"{100 * r.value:.2f} % ({100 * r.low:.2f}–{100 * r.high:.2f})" for r in rates]
    return f"| {player} | {size}x{size} | {' | '.join(cells)} |"


if __name__ == "__main__":
    print(f"| player | board | {' | '.join(f'e = {e}' for e in RANDOM_SHARES)} |")
    print("|---" * (2 + len(RANDOM_SHARES)) + "|")
    for player in ("random", "naive", "heuristic"):
        for size in SIZES:
            print(row(player, size))
