"""Files of tensors, `.safetensors`, that are the same bytes for the same content."""

import json
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors.numpy import save

from nobi.files import write_whole

_ALIGNMENT = 8


def save_tensors(path: Path, tensors: dict[str, NDArray[Any]], texts: dict[str, str]) -> None:
    """Writes tensors, and texts into the header of the file.

    The library puts the texts in an order that changes from one process to the next; here they are sorted.
    """
    content = save(tensors, texts)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header["__metadata__"] = dict(sorted(texts.items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    write_whole(path, len(text).to_bytes(8, "little") + text + content[start:])
