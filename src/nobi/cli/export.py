"""`nobi export`: a deep network for other programs."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nobi.cli.common import CommonFlags, print_json
from nobi.errors import NobiError


@dataclass(frozen=True)
class Export(CommonFlags):
    """Write a network as ONNX, after checking that onnxruntime computes the same values from it.

    The file takes 'planes', float[batch, planes, n, n], and gives 'logits', float[batch, n·n]; a network with a softmax
    for each colour takes 'white', bool[batch], as well. The batch is free, and so is the size of board where the
    network serves many; swiping networks are written out for one size.
    """

    model: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="MODEL", help="A model file.")] = tyro.MISSING
    onnx: Path = tyro.MISSING
    """The file to write."""
    size: int = 0
    """Lines of the board, 5 to 25; by default those of the board it was trained on."""

    def run(self) -> int:
        """Exports, checks and says what was written."""
        self.check()
        try:
            from nobi.networks.deep.export import export_onnx
            from nobi.networks.deep.store import load_deep
        except ModuleNotFoundError as fault:
            if fault.name != "torch":
                raise
            raise NobiError("Exporting needs PyTorch; install it with pip install 'nobi[deep,onnx]'.") from None
        from nobi.files import ready_folder

        model = load_deep(self.model)
        if self.onnx.is_dir():
            raise NobiError(f"{str(self.onnx)!r} is a folder; name the file to write.")
        ready_folder(self.onnx.parent)
        found = export_onnx(model.network, self.onnx, self.size or model.size)
        if self.json:
            network = {"network": str(model.network), "planes": model.network.planes}
            print_json({"model": str(self.model), "onnx": str(self.onnx), **network, **asdict(found)})
        else:
            boards = "boards of any size" if found.sizes is None else f"boards of {found.sizes[0]}x{found.sizes[0]}"
            planes = f"the {found.channels} planes of {model.network.planes}"
            print(f"{self.onnx}: {model.network} for {boards}; {planes}; inputs {', '.join(found.inputs)}.")
            sizes = ", ".join(f"{n}x{n}" for n in found.checked)
            print(f"Equal under onnxruntime on {sizes} within {found.difference:.1e}.")
        return 0
