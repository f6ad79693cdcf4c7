"""Pages about studies, and the cells of their tables: pure functions of what `runner` wrote."""

from collections.abc import Sequence
from typing import Any

from nobi.studies import ENGINES, ROLES, names

Document = dict[str, Any]

PAGES = {
    "s08-random": "Random networks (Schaul & Schmidhuber 2008)",
    "s08-evolution": "Evolution against the naive player (Schaul & Schmidhuber 2008)",
    "s08-coevolution": "Coevolution (Schaul & Schmidhuber 2008)",
    "s08-trained": "Trained networks on larger boards (Schaul & Schmidhuber 2008)",
    "s09-random": "Random networks (Schaul & Schmidhuber 2009)",
    "s09-training": "Training against naive and heuristic players (Schaul & Schmidhuber 2009)",
    "s09-transfer": "Trained networks on larger boards (Schaul & Schmidhuber 2009)",
    "c14-ablation": "What each idea is worth (Clark & Storkey 2014)",
    "c14-prediction": "Predicting experts' moves (Clark & Storkey 2014)",
    "c14-games": "Networks that play against engines (Clark & Storkey 2014)",
    "m15-prediction": "Predicting experts' moves (Maddison et al. 2015)",
    "m15-games": "Networks that play against engines (Maddison et al. 2015)",
    "m15-search": "Tree search, without and with a network (Maddison et al. 2015)",
    "size-transfer": "Networks trained by gradient, on boards of other sizes",
    "beyond": "Beyond the papers",
}
"""group → the title of its page."""

AGREES = {"yes": "✓ inside", "direction": "≈ direction", "no": "✗ no", "": ""}
"""What `Row.agrees` says → what a reader sees."""
AGREES_MEANS = (
    "*✓ inside*: the paper's figure lies inside our 95 % interval. *≈ direction*: it does not, but both lie on the "
    "same side of the value that would mean nothing, such as a correlation of 0. *✗ no*: neither."
)
HOLDS = {True: "✓", False: "✗", None: "?"}
HOLDS_MEANS = "*✓*: it is so here as well. *✗*: it is not. *?*: our sample cannot tell."
WRITTEN_BY = "Written by `python docs/studies/make_pages.py` from the files in `results`; no figure is typed by hand."
DATA_TEXT = (
    "Studies that learn from game records (C14, M15, size-transfer) want datasets of yours, which `nobi data import` "
    "makes ([datasets](../datasets.md)): `nobi study c14-table1 --data pro=DATASET`. The roles: "
    + "; ".join(f"`{role}`, {what}" for role, what in ROLES.items())
    + ". What was trained is found again by a digest of the games, wherever the dataset lies."
)
ENGINES_TEXT = (
    "Studies that play against other programs (c14-table4, c14-table5, m15-depth-wins, m15-opponents, m15-search) "
    "find GNU Go where it is installed; others are named as in "
    "`nobi study m15-opponents --engine pachi=COMMAND`. Engines: "
    + ", ".join(f"`{name}`" for name in ENGINES)
    + ". What an engine calls itself is noted, and rows that need one that was not given are left out."
)
SCALES_TEXT = (
    "Scales: `tiny` takes seconds and decides nothing, `quick` up to three minutes, `paper` is at least the paper's "
    "numbers. For studies that learn from records that means a graphics card, which is used where there is one; they "
    "also have `day`, what two cores do in one to three hours, with far fewer positions than the papers saw. The same "
    "command gives the same rows; where CMA-ES or torch trains, on the same kind of processor, and where torch "
    "trains, with as many threads ([reproducibility](../reproducibility.md))."
)


def in_order(documents: Sequence[Document]) -> list[Document]:
    """The documents in the order of the list of studies."""
    places = {name: place for place, name in enumerate(names())}
    return sorted(documents, key=lambda document: places[document["study"]])


def group_page(documents: Sequence[Document], discussions: dict[str, str]) -> str:
    """The page of a group.

    Args:
        documents: its studies.
        discussions: study → a paragraph or more on what was found, if there is one.
    """
    group = documents[0]["group"]
    parts = [f"# {PAGES[group]}", f"[All studies](README.md). {WRITTEN_BY}"]
    if any(row["paper"] is not None for document in documents for row in _rows(document)):
        parts.append(AGREES_MEANS)
    if any(document["claims"] for document in documents):
        parts.append(f"Of what the paper says, {HOLDS_MEANS[0].lower()}{HOLDS_MEANS[1:]}")
    for document in in_order(documents):
        parts += _study(document, discussions.get(document["study"], ""))
    return "\n\n".join(parts) + "\n"


def index_page(documents: Sequence[Document]) -> str:
    """The page with all studies."""
    documents = in_order(documents)
    heads = [
        "study",
        "what",
        "scale",
        "✓ inside",
        "≈ direction",
        "✗ no",
        "claims ✓",
        "✗",
        "?",
        "seconds",
        "CPU seconds",
    ]
    rows = []
    for document in documents:
        count = outcomes(document)
        link = f"[{document['study']}]({document['group']}.md#{document['study']})"
        rows.append([link, _title(document), document["scale"], *map(str, count.values()), *_times(document["spent"])])
    counts = [outcomes(document) for document in documents]
    sums = [str(sum(count[key] for count in counts)) for key in outcomes({"tables": [], "claims": []})]
    rows.append(["**all**", "work that studies share counted once", "", *sums, *_times(spent_in_all(documents))])
    parts = [
        "# Studies",
        "Every table and figure of Schaul & Schmidhuber 2008 (S08) and 2009 (S09), what Clark & Storkey 2014 (C14) and "
        "Maddison et al. 2015 (M15) tell of predicting moves, measured again, and questions beyond them. "
        "`nobi study list` names the studies, `nobi study NAME --scale paper` runs one.",
        DATA_TEXT,
        ENGINES_TEXT,
        SCALES_TEXT,
        WRITTEN_BY,
        f"How many rows of the tables agree with the paper: {AGREES_MEANS}",
        f"How many of its claims hold: {HOLDS_MEANS}",
        "Seconds are those of the clock, pauses and other work of the machine included; CPU seconds, of all threads "
        "together, tell the work itself.",
        _table(heads, rows, figures=8),
        "Pages: " + ", ".join(f"[{PAGES[group]}]({group}.md)" for group in _groups(documents)) + ".",
    ]
    return "\n\n".join(parts) + "\n"


def outcomes(document: Document) -> dict[str, int]:
    """How many rows are inside, in the same direction, or neither; how many claims hold, do not, or cannot be told."""
    agrees = [row["agrees"] for row in _rows(document)]
    holds = [claim["holds"] for claim in document["claims"]]
    return {
        "inside": agrees.count("yes"),
        "direction": agrees.count("direction"),
        "no": agrees.count("no"),
        "held": holds.count(True),
        "refuted": holds.count(False),
        "open": holds.count(None),
    }


def spent_in_all(documents: Sequence[Document]) -> dict[str, float]:
    """How long studies took together, `seconds` and `cpu`; a piece of work that several share counts once."""
    jobs = {name: spent for document in documents for name, spent in document["pieces"].items()}
    return {key: sum(spent[key] for spent in jobs.values()) for key in ("seconds", "cpu")}


def table_cells(table: Document) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of a table: which case, what is measured, paper, ours and whether they agree.

    Where the paper has no figures at all, its columns are left out.
    """
    labels = list(dict.fromkeys(label for row in table["rows"] for label in row["labels"]))
    beside = any(row["paper"] is not None for row in table["rows"])
    heads = [
        *labels,
        "measure",
        *(["paper"] if beside else []),
        "ours [95 %]",
        *(["agrees?"] if beside else []),
    ]
    rows = []
    for row in table["rows"]:
        paper = ["" if row["paper"] is None else f"{row['paper']:g}"] if beside else []
        agrees = [AGREES[row["agrees"]]] if beside else []
        case = [row["labels"].get(label, "") for label in labels]
        rows.append([*case, row["measure"], *paper, ours_text(row["ours"]), *agrees])
    return heads, rows


def ours_text(ours: Document) -> str:
    """An interval as text; a bound that there is too little data for is a question mark."""
    if ours["value"] is None:
        return "undefined"
    sizes = [abs(number) for number in ours.values() if number is not None]
    digits = 2 if max(sizes) < 10 else 1 if max(sizes) < 1000 else 0
    value, low, high = ("?" if ours[key] is None else f"{ours[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def time_text(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _study(document: Document, discussion: str) -> list[str]:
    """The parts of a page that tell of one study."""
    name, spent = document["study"], document["spent"]
    seconds, cpu = _times(spent)
    command = f"nobi study {name} --scale {document['scale']} --seed {document['seed']}"
    if document.get("data"):
        command += " --data " + " ".join(f"{role}=DATASET" for role in document["data"])
    command += "".join(f" --engine {name}=COMMAND" for name in document.get("engines", {}) if name != "gnugo")
    title = _title(document)
    source = f" In the paper: {document['paper']}." if document["paper"] and document["paper"] not in title else ""
    parts = [
        f"## {name}",
        f"**{title}{'' if title.endswith('?') else '.'}**{source}",
        f"`{command}`, nobi {document['nobi']}: {seconds} seconds on {_threads(document)}, "
        f"{cpu} CPU seconds, work that it shares with other studies included.",
    ]
    if discussion.strip():
        parts.append(discussion.strip())
    if document["claims"]:
        claims = [f"- {HOLDS[one['holds']]} **{one['text']}** {one['evidence']}" for one in document["claims"]]
        parts.append("\n".join(claims))
    for table in document["tables"]:
        heads, rows = table_cells(table)
        parts += [f"### {table['title']}", _table(heads, rows)]
    parts += [_picture(picture) for picture in document["pictures"]]
    parts += document.get("notes", [])
    parts += ["### Conditions", _table(["what", "how"], [[key, text] for key, text in document["conditions"].items()])]
    return parts


def _picture(picture: Document) -> str:
    file, caption = picture["file"], picture["caption"]
    if not file.endswith(".png"):
        return f"[{file}](results/{file}): {caption}"
    svg = file.removesuffix(".png") + ".svg"
    return f"![{caption}](results/{file})\n\n*{caption}* ([SVG](results/{svg}))"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], figures: int = 0) -> str:
    """A Markdown table, whose last `figures` columns stand at the right."""
    lines = ["---"] * (len(heads) - figures) + ["--:"] * figures
    cells = [heads, *rows]
    texts = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]
    return "\n".join([texts[0], f"|{'|'.join(lines)}|", *texts[1:]])


def _rows(document: Document) -> list[Document]:
    return [row for table in document["tables"] for row in table["rows"]]


def _groups(documents: Sequence[Document]) -> list[str]:
    return list(dict.fromkeys(document["group"] for document in documents))


def _threads(document: Document) -> str:
    return "1 thread" if document["threads"] == 1 else f"{document['threads']} threads"


def _title(document: Document) -> str:
    return document["title"][0].upper() + document["title"][1:]


def _times(spent: dict[str, float]) -> list[str]:
    return [f"{seconds:,.{0 if seconds >= 10 else 1}f}" for seconds in (spent["seconds"], spent["cpu"])]
