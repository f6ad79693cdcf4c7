"""Write docs/speed.md from reference.json, which `nobi bench --json > benchmarks/reference.json` made."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent

HEADER = """# Speed

Written by `python benchmarks/page.py` from `reference.json`, which `nobi bench --json` made on the reference machine:
{machine}, {cores} cores, Python {python}, Numba {numba}. Figures are for one core unless they say otherwise, with
everything compiled before; the median of several repeats, and the best. Peers marked "this run" were measured in the
same run.
"""


def number(value: float | None) -> str:
    """A figure with as many digits as it deserves."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def render(document: dict) -> str:  # type: ignore[type-arg]
    """The page."""
    parts = [HEADER.format(**document["conditions"])]
    for section in document["sections"]:
        parts.append(f"## {section['name']}: {section['about']}\n")
        parts.append("| what | median | best | unit | to reach | aim | beside it |\n|---|--:|--:|---|--:|--:|---|")
        for row in section["figures"]:
            cells = [number(row[key]) for key in ("value", "best", "at_least", "aim")]
            missed = " (missed)" if row["reached"] is False else ""
            cells = [row["what"], cells[0] + missed, cells[1], row["unit"], cells[2], cells[3], row["peer"]]
            parts.append(f"| {' | '.join(cells)} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    page = render(json.loads((FOLDER / "reference.json").read_text()))
    (FOLDER.parent / "docs" / "speed.md").write_text(page)
