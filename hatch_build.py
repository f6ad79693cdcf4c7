"""Builds the package: its description out of README.md, and the results of the studies that the page shows.

An index has no files beside the text: links and pictures with a path inside the repository would lead nowhere. Where
pyproject.toml names the address of the files (`[project.urls]`, `Files`), they are made absolute; else a picture
becomes its caption and a link its words.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
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


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the results of the studies into the wheel, where the page of an installed package finds them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds tables, game records and figures. SVG, not PNG: they are sharp, and a wheel compresses them."""
        if version == "editable":  # the page reads them from the checkout
            return
        results = Path(self.root) / "docs" / "studies" / "results"
        for path in sorted(results.iterdir()):
            if path.suffix in (".json", ".svg", ".sgf"):
                build_data["force_include"][str(path)] = f"nobi/studies/results/{path.name}"
