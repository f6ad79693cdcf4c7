"""Metrics for TensorBoard."""

from pathlib import Path
from typing import Any

from nobi.errors import NobiError


class Scalars:
    """Writes lines of metrics as scalars that TensorBoard draws, by the number of positions seen."""

    def __init__(self, folder: Path, positions: int) -> None:
        """What the folder tells of later positions than these is void: a resumed run writes it anew."""
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ModuleNotFoundError:
            raise NobiError(
                "Writing for TensorBoard needs the package tensorboard; install it with pip install 'nobi[deep]'."
            ) from None
        self._writer: Any = SummaryWriter(str(folder), purge_step=positions + 1)

    def write(self, line: dict[str, Any], speed: float) -> None:
        """Writes a line of metrics, and how many positions a second were trained on."""
        positions = line["positions"]
        for name, value in {**line, "positions_per_second": speed}.items():
            if name not in ("step", "positions"):
                part, _, rest = name.partition("_")
                tag = f"validation/{rest}" if part == "validation" else f"training/{name}"
                self._writer.add_scalar(tag, value, positions)
        self._writer.flush()

    def close(self) -> None:
        """Closes the file."""
        self._writer.close()
