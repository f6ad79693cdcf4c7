"""Writes the pages of this folder from results/*.json.

`nobi study schaul beyond --scale paper` and `nobi study imitation --scale day --data …` made these.
"""

import json
from pathlib import Path

from nobi.studies.pages import PAGES, group_page, index_page

FOLDER = Path(__file__).parent


def render(folder: Path = FOLDER) -> dict[str, str]:
    """The name of every page → its text; none if there are no results."""
    documents = [json.loads(path.read_text()) for path in sorted((folder / "results").glob("*.json"))]
    if not documents:
        return {}
    discussions = {path.stem: path.read_text() for path in (folder / "discussion").glob("*.md")}
    pages = {"README.md": index_page(documents)}
    for group in PAGES:
        chosen = [document for document in documents if document["group"] == group]
        if chosen:
            pages[f"{group}.md"] = group_page(chosen, discussions)
    return pages


if __name__ == "__main__":
    for name, text in render().items():
        (FOLDER / name).write_text(text)
