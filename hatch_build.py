"""Makes the package's description out of README.md, so that a package index can show it.

An index has no files beside the text: links and pictures with a path inside the repository would lead nowhere. Where
pyproject.toml names the address of the files (`[project.urls]`, `Files`), they are made absolute; else a picture
becomes its caption and a link its words.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)\s]+)\)")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")


def description(readme: str, files: str = "") -> str:
    """The text of the README for a package index; `files` is the address below which the repository's files are."""
    if files:
        base = files.rstrip("/")
        readme = _PICTURE.sub(rf"![\1]({base}/\2)", readme)
        return _LINK.sub(rf"[\1]({base}/\2)", readme)
    return _LINK.sub(r"\1", _PICTURE.sub(r"*Figure: \1.*", readme))


class CustomMetadataHook(MetadataHookInterface):
    """Called by hatchling when the package is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets the description."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        files = metadata.get("urls", {}).get("Files", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(text, files)}
