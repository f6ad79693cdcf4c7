"""Write the pages of this folder from results/*.json.

The results are those of `nobi study schaul beyond --scale paper`, of `nobi study imitation --scale day --data …`, and
of `nobi study beyond-bootstrap --scale day`.
"""

import json
from pathlib import Path

from nobi.studies.pages import group_page, index_page

FOLDER = Path(__file__).parent


def render(folder: Path = FOLDER) -> dict[str, str]:
    """The name of every page → its text; empty if there are no results."""
    documents = [json.loads(path.read_text()) for path in sorted((folder / "results").glob("*.json"))]
    if not documents:
        return {}
    discussions = {path.stem: path.read_text() for path in (folder / "discussion").glob("*.md")}
    pages = {"README.md": index_page(documents)}
    for page in dict.fromkeys(document["group"] for document in documents):
        chosen = [document for document in documents if document["group"] == page]
        pages[f"{page}.md"] = group_page(chosen, discussions)
    return pages


if __name__ == "__main__":
    for name, text in render().items():
        (FOLDER / name).write_text(text)
