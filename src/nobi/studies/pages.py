"""The documentation pages of studies, and the cells of their tables, as functions of the documents of `runner`."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from nobi.statistics import Interval
from nobi.studies import ENGINES, PAGES, ROLES, find, names
from nobi.studies.study import AGREES, DIFFERS, DIRECTION, RANGES, WIDE, compare

Document = dict[str, Any]

OUTCOMES = {AGREES: "✓ agrees", DIRECTION: "≈ same direction", DIFFERS: "✗ differs", WIDE: "? too wide to tell", "": ""}
OUTCOMES_MEAN = {
    AGREES: "our number and the paper's do not differ significantly, and both 95 % intervals are narrow: at most a "
    "quarter of the possible values, or half of the paper's number where these have no bounds",
    DIRECTION: "they differ significantly, but our whole interval is on the paper's side of the null value, such as a "
    "correlation of 0, from which the paper's number is itself significantly different",
    DIFFERS: "they differ significantly, and not only in size",
    WIDE: "they do not differ significantly, but our interval or the paper's is too wide to say that they agree",
}
COMPARISON = (
    "; ".join(f"*{OUTCOMES[outcome]}*: {meaning}" for outcome, meaning in OUTCOMES_MEAN.items())
    + ". A paper's number has an interval where the paper states an error or the size of its sample, which the "
    "comparison includes; otherwise it counts as exact."
)
HOLDS = {True: "✓", False: "✗", None: "?"}
HOLDS_MEANS = "Claims: *✓* reproduced, *✗* not reproduced, *?* inconclusive."
WRITTEN_BY = "Written by `python docs/studies/make_pages.py` from the files in `results`; no number is typed by hand."
INDEX = f"""# Studies

The tables and figures with results of Schaul & Schmidhuber 2008 (S08) and 2009 (S09), the results of Clark & Storkey
2014 (C14) and Maddison et al. 2015 (M15) on predicting moves, measured again, and questions beyond them. `nobi study
list` shows the studies, `nobi study NAME --scale paper` runs one; [the papers' scale](../paper-scale.md) of C14 and M15
needs a GPU.

Studies that learn from game records (C14, M15, size-transfer) need datasets, which `nobi data import` makes
([datasets](../datasets.md)): `nobi study c14-table1 --data pro=DATASET`. The roles:
{"; ".join(f"`{role}`, {what}" for role, what in ROLES.items())}. Trained networks are found again by a digest of the
games, wherever the dataset is.

Studies that play against other programs find GNU Go if it is installed; other commands are given as in
`nobi study m15-opponents --engine pachi=COMMAND`. Engines: {", ".join(f"`{name}`" for name in ENGINES)}. Name and
version of an engine are recorded, and rows against engines that are not given are left out.

Scales: `tiny` takes seconds and decides nothing, `quick` takes up to three minutes, `paper` has at least the paper's
sample sizes. For studies that learn from records the paper scale needs a GPU; they also have `day`, up to three hours
on two cores, with far fewer positions than in the papers, and so do some studies of evolution. The same command gives
the same rows; with torch, on the same kind of processor and for the same number of threads
([reproducibility](../reproducibility.md)).

{WRITTEN_BY}

How rows compare with the paper: {COMPARISON}

{HOLDS_MEANS}

Seconds are wall-clock time on a machine with other load; CPU seconds are those of all threads."""


def group_page(documents: Sequence[Document], discussions: dict[str, str]) -> str:
    """Return the page of several studies.

    Args:
        documents: the studies of the page.
        discussions: study → text on its results.
    """
    page = documents[0]["group"]
    parts = [f"# {PAGES.get(page, page)}", f"[All studies](README.md). {WRITTEN_BY}"]
    if any(row["paper"] is not None for document in documents for row in _rows(document)):
        parts.append("[How rows compare with the paper](README.md).")
    if any(document["claims"] for document in documents):
        parts.append(HOLDS_MEANS)
    for document in in_order(documents):
        parts += _study(document, discussions.get(document["study"], ""))
    return "\n\n".join(parts) + "\n"


def index_page(documents: Sequence[Document]) -> str:
    """Return the page with all studies."""
    documents = in_order(documents)
    heads = ["study", "what", "scale", *(text for text in OUTCOMES.values() if text)]
    heads += ["claims ✓", "✗", "?", "seconds", "CPU seconds"]
    rows = []
    for document in documents:
        link = f"[{document['study']}]({document['group']}.md#{document['study']})"
        counts = map(str, count_outcomes([document]).values())
        rows.append([link, _title(document), document["scale"], *counts, *_times(document["spent"])])
    totals = map(str, count_outcomes(documents).values())
    rows.append(["**all**", "shared jobs counted once", "", *totals, *_times(total_spent(documents))])
    pages = dict.fromkeys(document["group"] for document in documents)
    links = "Pages: " + ", ".join(f"[{PAGES.get(page, page)}]({page}.md)" for page in pages) + "."
    recorded = {document["study"] for document in documents}
    missing = [f"- **{name}**, {unrecorded(name)}" for name in names() if name not in recorded]
    more = ["Studies without recorded results:", "\n".join(missing)] if missing else []
    return "\n\n".join([INDEX, _table(heads, rows, right=9), links, *more]) + "\n"


def unrecorded(name: str) -> str:
    """Return the title of a study, the command that runs it at the papers' scale, and its requirements."""
    study = find(name)
    command = f"nobi study {name} --scale paper"
    if study.roles:
        command += " --data " + " ".join(f"{role}=DATASET" for role in study.roles)
    command += "".join(f" --engine {engine}=COMMAND" for engine in study.plays_against if engine != "gnugo")
    needs = " or ".join(ENGINES[engine] for engine in study.plays_against)
    return f"{study.title}: `{command}`" + (f"; needs {needs}" if needs else "")


def in_order(documents: Sequence[Document]) -> list[Document]:
    """Return the documents in the order of the list of studies."""
    order = names()
    return sorted(documents, key=lambda document: order.index(document["study"]))


def count_outcomes(documents: Iterable[Document]) -> dict[str, int]:
    """Return the number of rows with each outcome, and of claims reproduced, not reproduced and inconclusive."""
    documents = list(documents)
    outcomes = [outcome_of(row) for document in documents for row in _rows(document)]
    holds = [claim["holds"] for document in documents for claim in document["claims"]]
    return {
        **{outcome: outcomes.count(outcome) for outcome in OUTCOMES_MEAN},
        "reproduced": holds.count(True),
        "not reproduced": holds.count(False),
        "inconclusive": holds.count(None),
    }


def total_spent(documents: Sequence[Document]) -> dict[str, float]:
    """Return the time of several studies, `seconds` and `cpu`; shared jobs count once."""
    # older files have `pieces` instead of `jobs`
    jobs = {
        name: spent for document in documents for name, spent in (document.get("jobs") or document["pieces"]).items()
    }
    return {key: sum(spent[key] for spent in jobs.values()) for key in ("seconds", "cpu")}


def table_cells(table: Document) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a table: case, measure, paper, ours, outcome, single runs; without empty columns."""
    labels = list(dict.fromkeys(label for row in table["rows"] for label in row["labels"]))
    has_paper = any(row["paper"] is not None for row in table["rows"])
    has_runs = any(row.get("each") for row in table["rows"])
    heads = [*labels, "measure", *(["paper"] if has_paper else []), "ours [95 %]"]
    heads += (["single runs"] if has_runs else []) + (["outcome"] if has_paper else [])
    rows = [
        [
            *(row["labels"].get(label, "") for label in labels),
            row["measure"],
            *([paper_text(row)] if has_paper else []),
            interval_text(row["ours"]) if row.get("measured", True) else "not measured",
            *([" ".join(f"{value:.2f}" for value in row.get("each", []))] if has_runs else []),
            *([OUTCOMES[outcome_of(row)]] if has_paper else []),
        ]
        for row in table["rows"]
    ]
    return heads, rows


def outcome_of(row: Document) -> str:
    """Return the outcome of a row, computed from its numbers, so that the same rules apply to older files."""
    numbers = [row["ours"][key] for key in ("value", "low", "high")]
    if row["paper"] is None or numbers[0] is None:
        return ""
    bounds = row.get("paper_interval") or [row["paper"], row["paper"]]
    value, low, high = numbers
    ours = Interval(value, -math.inf if low is None else low, math.inf if high is None else high)
    return compare(ours, Interval(row["paper"], *bounds), row["neutral"], RANGES.get(row["measure"]))


def paper_text(row: Document) -> str:
    """Return the paper's number, with its interval if it is known."""
    if row["paper"] is None:
        return ""
    if not row.get("paper_interval"):
        return f"{row['paper']:g}"
    low, high = row["paper_interval"]
    return f"{row['paper']:g} [{low:.3g}, {high:.3g}]"


def interval_text(ours: Document) -> str:
    """Return an interval of a document as text; an infinite bound is a question mark."""
    largest = max((abs(number) for number in ours.values() if number is not None), default=0.0)
    digits = 2 if largest < 10 else 1 if largest < 1000 else 0
    numbers = [math.nan if ours[key] is None else ours[key] for key in ("value", "low", "high")]
    return format(Interval(*numbers), f".{digits}f")


def time_text(seconds: float) -> str:
    """Format a time as `12.3 s`, `2 min 5 s` or `2 h 1 min`."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _study(document: Document, discussion: str) -> list[str]:
    name, title = document["study"], _title(document)
    seconds, cpu = _times(document["spent"])
    command = f"nobi study {name} --scale {document['scale']} --seed {document['seed']}"
    if document.get("data"):
        command += " --data " + " ".join(f"{role}=DATASET" for role in document["data"])
    command += "".join(f" --engine {engine}=COMMAND" for engine in document.get("engines", {}) if engine != "gnugo")
    threads = "1 thread" if document["threads"] == 1 else f"{document['threads']} threads"
    source = f" In the paper: {document['paper']}." if document["paper"] and document["paper"] not in title else ""
    parts = [
        f"## {name}",
        f"**{title}{'' if title.endswith('?') else '.'}**{source}",
        f"`{command}`, nobi {document['nobi']}: {seconds} seconds on {threads}, {cpu} CPU seconds, including jobs "
        "shared with other studies.",
        *(f"Computed with {describe(one)}." for one in document.get("environments", [])),
    ]
    if discussion.strip():
        parts.append(discussion.strip())
    if document["claims"]:
        claims = [f"- {HOLDS[one['holds']]} **{one['text']}** {one['evidence']}" for one in document["claims"]]
        parts.append("\n".join(claims))
    for table in document["tables"]:
        parts += [f"### {table['title']}", _table(*table_cells(table))]
    parts += [_picture(picture) for picture in document["pictures"]]
    parts += document.get("notes", [])
    parts += ["### Conditions", _table(["what", "how"], [[key, text] for key, text in document["conditions"].items()])]
    return parts


def describe(environment: Document) -> str:
    """Return commit, processor and versions in one line."""
    names = {
        "commit": "commit",
        "python": "Python",
        "numpy": "NumPy",
        "numba": "Numba",
        "scipy": "SciPy",
        "torch": "torch",
    }
    parts = [f"{title} {environment[name]}" for name, title in names.items() if name in environment]
    return f"nobi {environment['nobi']} ({', '.join(parts)}) on {environment['processor']}"


def _picture(picture: Document) -> str:
    file, caption = picture["file"], picture["caption"]
    if not file.endswith(".png"):
        return f"[{file}](results/{file}): {caption}"
    svg = file.removesuffix(".png") + ".svg"
    return f"![{caption}](results/{file})\n\n*{caption}* ([SVG](results/{svg}))"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: int = 0) -> str:
    """Return a Markdown table; the last `right` columns are right-aligned."""
    rule = ["---"] * (len(heads) - right) + ["--:"] * right
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (heads, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def _rows(document: Document) -> list[Document]:
    return [row for table in document["tables"] for row in table["rows"]]


def _title(document: Document) -> str:
    title: str = document["title"]
    return title[0].upper() + title[1:]


def _times(spent: dict[str, float]) -> list[str]:
    return [f"{seconds:,.{0 if seconds >= 10 else 1}f}" for seconds in (spent["seconds"], spent["cpu"])]
