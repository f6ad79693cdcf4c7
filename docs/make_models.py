"""Writes models.md from the headers of the shipped models and the measurements in src/nobi/models/results.json."""

import math
from pathlib import Path
from typing import Any

from nobi.cli.inspect import describe
from nobi.models import results, shipped
from nobi.web.opponents import PLAYOUTS

PAGE = Path(__file__).parent / "models.md"
GAMES = {"atari-go": "Atari-Go", "gomoku": "Gomoku", "pente": "Pente", "go": "Go"}
BOARDS = ("7x7", "9x9", "11x11", "15x15", "19x19")
PAPER = {"KGS, dan players, 19x19": "44.4 %", "professionals, 19x19": "41.1 %"}
"""The accuracies of Clark & Storkey 2014 on their collections."""
DATA = "--data kgs pro fox ogs9 small --weights 1 0.455 0.93 2.96 18"

INTRODUCTION = """# Shipped models

*This page is made by `docs/make_models.py` from the headers of the files and from `src/nobi/models/results.json`, which
`benchmarks/measure_models.py` writes.*

`nobi models` lists the models that are part of nobi. Every command accepts their names in place of a model file:

```
nobi gtp mcts:model=go-main                                  a GTP engine for Sabaki, GoGui and other programs
nobi match go-main playout --game go --size 9 --games 20     the network alone, without search
nobi match atari-go-mdlstm naive --size 19                   93 weights, trained on 7x7, on 19x19
nobi show go-main --moves Q16 D4 --size 19                   the probabilities of its moves
```

Playing with a nobi-net or a swiping network does not require PyTorch. All intervals are 95 % intervals.
"""

TRIED = """## What was tried for the Go networks

Short trainings with a prototype of the training step, one seed each, on KGS dan games: Muon or AdamW with a cosine to
0 and a warm-up of 3 %, batches of 64, 10,000 validation positions of other games. The standard error of one accuracy
is 0.5 points, that of a difference about 0.4; the loss is the sharper figure.

| network | optimiser, peak rate | positions | accuracy | loss |
| --- | --- | --- | --- | --- |
| nobi-net-v1, 48x4, batches of 128 | AdamW 0.002 | 35,584 | 27.1 % | 3.149 |
| residual 64x6 | AdamW 0.002 | 48,640 | 36.4 % | 2.613 |
| residual 64x6 | Muon 0.004 | 38,208 | 36.9 % | 2.593 |
| residual 64x6 | Muon 0.010 | 38,208 | 36.0 % | 2.677 |
| residual 64x6, batch normalisation | AdamW 0.002 | 38,208 | 35.6 % | 2.597 |
| residual 64x6, batch normalisation | Muon 0.004 | 38,208 | 37.7 % | 2.507 |
| residual 64x6, batch normalisation | Muon 0.008 | 38,208 | 37.3 % | 2.502 |
| the same with an output for the opponent's next move | Muon 0.004 | 38,208 | 37.2 % | 2.491 |
| residual 96x6, batch normalisation | Muon 0.004 | 20,032 | 34.9 % | 2.660 |
| residual 64x6, batch normalisation, next move | Muon 0.006 | 160,448 | 41.4 % | 2.231 |
| residual 96x6, the same | Muon 0.006 | 83,328 | 39.9 % | 2.334 |
| residual 64x6, the same | Muon 0.006 | 600,000 | 44.0 % | 2.052 |

Kept: Muon (2.1 points over AdamW with batch normalisation), batch normalisation (0.9 points with Muon), the output
for the next move (a lower loss at equal accuracy), 64 channels (at equal time 1.5 points over 96). `go-main` has ten
blocks since its six were trained on 2.5 million positions: four blocks that first added nothing were appended, and
after 1.1 million further positions the network predicts 0.9 points more of the KGS moves. How much of this is due to
the blocks was not measured. Dropped: averaged
weights (never better by more than 0.1 points), `torch.compile` (0.6 to 1.0 times the speed of eager mode), bfloat16
on processors without such arithmetic (15 times slower), ConvNeXt blocks (slow depthwise gradients), KataGo's
bottleneck blocks (no faster per operation). Not compared: 64x8 at equal time, batches of 128 against 64, the mixture
of collections, rank planes, a plane for ladder escapes, a constant rate with a final decay against the cosine.
"""

PROVENANCE = """## Licence and provenance

The weights are part of nobi and licensed under its licence (MIT). They were trained from scratch by the commands above;
those for Go on public game records, which are not part of nobi. The header of each file contains the settings of its
training.
"""


def percent(interval: dict[str, float]) -> str:
    """`45.2 % [44.1, 46.3]`."""
    return f"{100 * interval['value']:.1f} % [{100 * interval['low']:.1f}, {100 * interval['high']:.1f}]"


def elo_text(elo: dict[str, float | None]) -> str:
    """`+35 [−10, +81]`."""

    def signed(value: float | None, missing: str) -> str:
        return missing if value is None else f"{value:+.0f}".replace("-", "−")

    won = elo["high"] is None
    return f"{signed(elo['value'], '∞' if won else '−∞')} [{signed(elo['low'], '−∞')}, {signed(elo['high'], '∞')}]"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows]) + "\n"


def overview(entries: list[dict[str, Any]]) -> str:
    """All models in one table."""
    rows = [
        [
            f"`{entry['name']}`",
            GAMES[entry["game"]],
            f"`{entry['network']}`",
            f"{entry['weights']:,}",
            f"{entry['bytes'] / 1000:,.0f} kB",
            entry["measured"],
        ]
        for entry in entries
    ]
    return table(["model", "game", "network", "weights", "file", "measured"], rows)


def matches_text(found: dict[str, Any]) -> str:
    """The matches of a model or of the search."""
    rows = []
    for match in found.get("matches", []):
        limit = (
            f"{match['seconds']:g} s per move" if match.get("seconds") else f"{match['playouts']:,} playouts per move"
        )
        how = limit if match.get("seconds") or match["playouts"] else "the network alone"
        how += " (earlier version)" if match.get("earlier") else ""
        counted = f"{match['wins']:g} of {match['games']}"
        rows.append(
            [f"{match['board']}x{match['board']}", how, counted, percent(match["win_rate"]), elo_text(match["elo"])]
        )
    return table(["board", "player", "won", "win rate", "Elo difference"], rows)


def deep(entry: dict[str, Any]) -> str:
    """The section of a model for Go."""
    name, found, provenance = entry["name"], entry["results"], entry["provenance"]
    training = provenance["training"]
    phases = [*provenance.get("earlier", []), provenance]
    seen = sum(phase["positions"] for phase in phases)
    decay = sum(phase["positions"] for phase in phases if "decay=0" not in phase["training"]["schedule"])
    text = [f"## {name}\n"]
    facts = [
        ["network", f"`{entry['network']}`, {entry['weights']:,} weights, one file for every board from 5x5 to 25x25"],
        [
            "positions seen",
            f"{seen:,}: {seen - decay:,} at a constant learning rate, {decay:,} in runs that end with a decay to 0",
        ],
        ["optimiser", f"{training['optimiser'].capitalize()}, batches of {training['batch']}, two processes"],
        [
            "data",
            "KGS dan games 45 %, professionals 30 %, Fox 9 dan 12 %, OGS 9x9 10 %, professionals on 9x9 and 13x13 3 %",
        ],
    ]
    if provenance.get("hours"):
        facts.insert(2, ["hours of two cores", f"{provenance['hours']:.1f}"])
    if found.get("milliseconds"):
        times = ", ".join(f"{size} {value:g} ms" for size, value in found["milliseconds"].items())
        facts.append(["a move of the network, one core", times])
    text.append(table(["", ""], facts))
    text.append(
        "Accuracy, the fraction of positions in which the network ranks the expert's move first, on test games (95 %\n"
        "intervals over games). The papers used other collections of games, so small differences between the columns\n"
        "are not meaningful. *Averaged*: by the mean of the values of the eight images of the board under its\n"
        "symmetries, as the network plays.\n"
    )
    rows = [
        [
            title,
            percent(value),
            percent(value["averaged"]) if "averaged" in value else "",
            f"{value['positions']:,}",
            f"{value['games']:,}",
            PAPER.get(title, ""),
        ]
        for title, value in found.get("accuracy", {}).items()
    ]
    text.append(table(["test games", "accuracy", "averaged", "positions", "games", "Clark & Storkey 2014"], rows))
    by_move = {
        title: value["by_move"]
        for title, value in found.get("accuracy", {}).items()
        if value.get("by_move") and "19x19" in title
    }
    if by_move:
        moves = sorted({int(move) for groups in by_move.values() for move in groups})
        step = moves[1] - moves[0] if len(moves) > 1 else 0
        rows = [
            [f"{move + 1} to {move + step}"]
            + [percent(groups[str(move)]) if str(move) in groups else "" for groups in by_move.values()]
            for move in moves
            if any(groups.get(str(move), {}).get("positions", 0) >= 100 for groups in by_move.values())
        ]
        text += ["By move number:\n", table(["moves", *by_move], rows)]
    if found.get("matches"):
        text.append(
            "Matches against GNU Go 3.8 at level 10 (Chinese rules, komi 7.5, GNU Go scores, colours alternate).\n"
            "Those of an *earlier version* were played by earlier weights and an earlier version of the search:\n"
        )
        text.append(matches_text(found))
    else:
        text.append("The playing strength has not been measured yet.\n")
    text.append(f"![Accuracy during the training](images/{name}-curve.png)\n" if found.get("curve") else "")
    text.append(commands_of(phases))
    return "\n".join(text)


def commands_of(phases: list[dict[str, Any]]) -> str:
    """The commands that train a model for Go again, each run starting from the one before."""
    lines = ["To train it again, with datasets made by `nobi data import`:\n", "```"]
    for number, phase in enumerate(phases, 1):
        training = phase["training"]
        start = f"--start runs/part{number - 1} " if number > 1 else ""
        frozen = f"--frozen {training['frozen']:g} " if training["frozen"] else ""
        lines.append(
            f"nobi imitate runs/part{number} {start}{DATA} \\\n"
            f"    --net {training['net']} --batch {training['batch']} --optimiser {training['optimiser']} "
            f"--threads 1 --processes 2 \\\n"
            f"    --steps {training['steps']} --schedule {training['schedule']} {frozen}--seed {training['seed']}"
        )
        made = math.ceil(phase["positions"] / training["batch"])
        if made < training["steps"]:
            lines[-1] += f"    # stopped after {made:,} steps"
    return "\n".join([*lines, "```", ""])


def outcomes(entries: list[dict[str, Any]], key: str) -> list[list[str]]:
    """Rows of mean outcomes on each board, of those models that have them."""
    rows = []
    for entry in entries:
        found = entry["results"].get(key, {})
        cells = [
            f"{found[b]['value']:+.3f} [{found[b]['low']:+.3f}, {found[b]['high']:+.3f}]" if b in found else ""
            for b in BOARDS
        ]
        rows += [[f"`{entry['name']}`", *cells]] if found else []
    return rows


def ratings(entries: list[dict[str, Any]]) -> str:
    """The section of the search in games against naive."""
    rows = []
    for name, found in [("no network", results().get("mcts", {})), *((e["name"], e["results"]) for e in entries)]:
        boards = dict.fromkeys((rating["game"], rating["board"]) for rating in found.get("ratings", []))
        for game, board in boards:
            elo = {r["playouts"]: r["elo"] for r in found["ratings"] if (r["game"], r["board"]) == (game, board)}
            label = name if name == "no network" else f"`{name}`"
            rows.append([GAMES[game], f"{board}x{board}", label, *(elo_text(elo[playouts]) for playouts in PLAYOUTS)])
    if not rows:
        return ""
    return "\n".join(
        [
            "## The search in the other games\n",
            "Elo difference to `naive` by playouts per move, from one fit of ratings to games of each step with its\n"
            "neighbours (60 games per pair in Pente, else 100; two random opening moves;\n"
            "`benchmarks/measure_models.py ladder`):\n",
            table(["game", "board", "network", *(f"{playouts:,}" for playouts in PLAYOUTS)], sorted(rows)),
        ]
    )


def evolved(entries: list[dict[str, Any]]) -> str:
    """The section of the networks that evolution has trained."""
    if not entries:
        return ""
    text = [
        "## Evolved networks\n",
        "Trained on 7x7 only and never on any other board. The mean outcome (1: every game won, −1: every game lost)\n"
        "against the player `naive`, half of the games with each colour. The champion of several runs was selected by\n"
        "other games than these.\n",
    ]
    text.append(table(["model", *BOARDS], outcomes(entries, "fitness")))
    games = {value["games"] for entry in entries for value in entry["results"].get("fitness", {}).values()}
    text.append(f"{' or '.join(f'{count:,}' for count in sorted(games))} games on each board.\n" if games else "")
    if any(outcomes(entries, "fitness_heuristic")):
        text.append(
            "Against the player `heuristic` without random moves, the model trained against it by a curriculum:\n"
        )
        text.append(table(["model", *BOARDS], outcomes(entries, "fitness_heuristic")))
    games_shown = dict.fromkeys(entry["game"] for entry in entries)
    text += [f"![{GAMES[game]}: mean outcome by board size](images/models-{game}.png)\n" for game in games_shown]
    text += ["To train them again:\n", "```"]
    for entry in entries:
        t = entry["provenance"]["training"]
        against = f"--curriculum {t['curriculum']}" if t["curriculum"] else f"--opponents {' '.join(t['opponents'])}"
        text.append(
            f"nobi evolve runs/{entry['name']} --game {t['game']} --sizes {' '.join(map(str, t['sizes']))} "
            f"--net {t['net']} {against} "
            f"--generations {t['generations']} --seed {t['seed']}"
        )
    text += ["```", ""]
    return "\n".join(text)


def render() -> str:
    """The page."""
    entries = [describe(name, path) for name, path in shipped().items()]
    networks = [entry for entry in entries if entry["game"] != "go"]
    sections = [INTRODUCTION, overview(entries)]
    sections += [deep(entry) for entry in entries if entry["game"] == "go"]
    search = results().get("mcts", {})
    if search.get("matches"):
        sections.append(
            "## The search without a network\n\nAgainst GNU Go 3.8 at level 10, as above:\n\n" + matches_text(search)
        )
    sections += [evolved(networks), ratings(networks), TRIED, PROVENANCE]
    return "\n".join(section for section in sections if section)


def draw(folder: Path) -> None:
    """Write the figures of the page."""
    from nobi.figures.comparison import size_lines
    from nobi.figures.training import validation_curves
    from nobi.statistics import Interval

    lines: dict[str, dict[str, list[Interval]]] = {}
    for name, path in shipped().items():
        found = results().get(name, {})
        if found.get("curve"):
            validation_curves({name: found["curve"]}, folder / f"{name}-curve.png", f"The training of {name}")
        if found.get("fitness"):
            values = [found["fitness"][board] for board in BOARDS]
            line = [Interval(value["value"], value["low"], value["high"]) for value in values]
            lines.setdefault(describe(name, path)["game"], {})[name] = line
    sizes = [int(board.split("x")[0]) for board in BOARDS]
    for game, curves in lines.items():
        size_lines(curves, sizes, folder / f"models-{game}.png", f"{GAMES[game]}: trained on 7x7, against naive", 7)


if __name__ == "__main__":
    PAGE.write_text(render())
    draw(PAGE.parent / "images")
    for path in (PAGE.parent / "images").glob("*.svg"):  # the page shows the PNG files
        path.unlink()
