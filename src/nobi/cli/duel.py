"""A match between two bots, game by game: what `nobi match` does where the arena cannot."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from nobi.cli.common import print_json
from nobi.cli.series import elo_numbers, elo_text, fault_lines, play
from nobi.cli.tables import output_console, plain_table, print_table
from nobi.errors import NobiError

if TYPE_CHECKING:
    from rich.table import Table

    from nobi.cli.match import Match
    from nobi.matches.records import GameRecord
    from nobi.matches.statistics import MatchSummary


def duel(match: "Match") -> int:
    """Plays the match and reports."""
    if match.sgf:
        raise NobiError("Where games are played one by one, --folder saves them as SGF; leave --sgf out.")
    if match.show:
        raise NobiError("Where games are played one by one, there is no --show; --folder saves them as SGF.")
    from nobi.matches.statistics import summarise_match

    words = [match.a, match.b]
    count = match.games or 100
    records, total = play(match, words, match.game, match.size, count, lambda some: _table(summarise_match(some)))
    summary = summarise_match(records)
    if match.json:
        given = asdict(match) | {"games": count}
        settings = {key: str(value) if isinstance(value, Path) else value for key, value in given.items()}
        results = asdict(summary)
        for part in ("black", "white", "all"):
            results[part]["elo"] = elo_numbers(results[part]["elo"])
        print_json({"settings": settings, "results": results, "games": records})
    else:
        _report(match, records, summary)
    return 0 if len(records) == total else 130


def _report(match: "Match", records: "list[GameRecord]", summary: "MatchSummary") -> None:
    from nobi.matches.records import without_repetitions

    console = output_console()
    title = f"A = {match.a} against B = {match.b}: {match.game}, {match.size}x{match.size}"
    print_table(console, title, _table(summary))
    lines = [f"Elo of A less that of B: {elo_text(summary.all.elo)}, 95 % interval."]
    if summary.repeated:
        lines.append(f"Left out, because they repeat an earlier game: {summary.repeated} of {len(records)} games.")
    lines += fault_lines(without_repetitions(records)[0], "AB")
    if match.folder:
        lines.append(f"The games are in {match.folder}.")
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def _table(summary: "MatchSummary") -> "Table":
    table = plain_table(["A is"], ["games", "won", "drawn", "lost", "win rate (95 %)", "moves"])
    for label, tally in (("black", summary.black), ("white", summary.white), ("both", summary.all)):
        rate = tally.win_rate
        table.add_row(
            label,
            *(f"{number:,}" for number in (tally.games, tally.wins, tally.draws, tally.losses)),
            f"{100 * rate.value:.1f} % ({100 * rate.low:.1f}–{100 * rate.high:.1f})" if tally.games else "",
            f"{tally.length.value:.1f}" if tally.games else "",
            end_section=label == "white",
        )
    return table
