"""`nobi predict`: how well networks predict the moves of experts."""

import math
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.common import CommonFlags, announce_compiling, print_json, progress_bar
from nobi.cli.tables import plain_table, print_table
from nobi.errors import NobiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from nobi.arena.summary import Interval
    from nobi.imitate.evaluation import Evaluation
    from nobi.imitate.metrics import Prediction, Quality

_GUESSES = (1, 2, 3, 5, 10, 20, 50)


@dataclass(frozen=True)
class Predict(CommonFlags):
    """Measure how well networks predict the moves of experts, with 95 % intervals.

    Accuracy, mean rank and mean probability of the expert's move, its negative log likelihood, how often it is among
    the best n, and all of it by move number, rank of the player and size of board. Positions of one game resemble each
    other; the intervals heed that.
    """

    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="MODEL", help="Model files.", help_behavior_hint="(required)"),
    ] = tyro.MISSING
    data: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="DATASET", help="Datasets, made by 'nobi data import'.")
    ] = ()
    split: str = "test"
    """The part of the datasets: train, validation or test."""
    sizes: tuple[int, ...] = ()
    """The board sizes to take; all unless given."""
    positions: int = 0
    """Measure a random sample of about so many positions, chosen by the seed; 0 for all."""
    legal: bool = False
    """Compare legal moves only, also for networks that were trained on all points."""
    figures: Path | None = None
    """Draw the figures into this folder."""
    device: str = "auto"
    """Where to compute: cpu, cuda, cuda:1, or auto for a graphics card where there is one."""

    def run(self) -> int:
        """Measures and reports."""
        self.check()
        if not self.models:
            raise NobiError("Name at least one model file.")
        if len(set(self.models)) < len(self.models):
            raise NobiError("A model file is named twice; name each once.")
        if not self.data:
            raise NobiError("Name at least one dataset with --data; 'nobi data import' makes datasets.")
        if self.positions < 0:
            raise NobiError(f"--positions must be 0 or more, not {self.positions}.")
        announce_compiling()
        try:
            from nobi.imitate.team import choose_device, use_threads
        except ModuleNotFoundError as fault:
            if fault.name != "torch":
                raise
            raise NobiError("Predicting moves needs PyTorch; install it with pip install 'nobi[deep]'.") from None
        from nobi.arena.play import usable_threads
        from nobi.files import ready_folder
        from nobi.imitate.evaluation import open_evaluation

        use_threads(self.threads, usable_threads())
        if self.figures:
            ready_folder(self.figures)
        device = choose_device(self.device)
        work = [
            open_evaluation(model, self.data, self.split, self.sizes, self.positions, self.seed)
            for model in self.models
        ]
        found: dict[str, Prediction] = {}
        with progress_bar("positions", sum(one.count for one in work)) as progress:
            for i, (model, one) in enumerate(zip(self.models, work, strict=True)):
                before = sum(earlier.count for earlier in work[:i])
                found[str(model)] = one.measure(device, legal=self.legal, progress=partial(_add_to, before, progress))
        if self.figures:
            self._draw(self.figures, found, work)
        if self.json:
            settings = asdict(self) | {
                "models": [str(model) for model in self.models],
                "figures": str(self.figures) if self.figures else None,
            }
            networks = {str(model): str(one.model.network) for model, one in zip(self.models, work, strict=True)}
            print_json({"settings": settings, "networks": networks, "predictions": found})
        else:
            self._print(found)
        return 0

    def _draw(self, figures: Path, found: "dict[str, Prediction]", work: "list[Evaluation]") -> None:
        from nobi.figures.prediction import accuracy_by_group, filter_figure, moves_curve, top_curve

        names = {name: Path(name).parent.name or Path(name).stem for name in found}
        labels = names if len(set(names.values())) == len(names) else {name: name for name in found}
        labelled = {labels[name]: prediction for name, prediction in found.items()}
        top_curve({label: p.top for label, p in labelled.items()}, figures / "top.png", "Moves within n guesses")
        moves_curve({label: p.by_move for label, p in labelled.items()}, figures / "moves.png")
        for key, names_of, what in (("rank", _rank, "rank of the player"), ("size", _board, "board")):
            groups = {
                label: {names_of(value): quality.accuracy for value, quality in getattr(p, f"by_{key}").items()}
                for label, p in labelled.items()
            }
            accuracy_by_group(groups, figures / f"{key}s.png", what)
        for number, (name, one) in enumerate(zip(found, work, strict=True)):
            filters = one.filters()
            if filters is not None:
                end = f"-{number + 1}" if len(found) > 1 else ""
                filter_figure(filters, figures / f"filters{end}.png", f"Filters of {labels[name]}", seed=self.seed)

    def _print(self, found: "dict[str, Prediction]") -> None:
        from rich.console import Console

        console = Console()
        table = _table("model")
        for name, prediction in found.items():
            _add(table, name, prediction.all)
        print_table(console, f"The {self.split} part of {', '.join(self.data)}", table)
        guesses = plain_table(["n"], [str(n) for n in _GUESSES])
        for name, prediction in found.items():
            cells = (_percent(prediction.top[n - 1]) if n <= len(prediction.top) else "" for n in _GUESSES)
            guesses.add_row(name, *cells)
        print_table(console, "Expert's move among the best n", guesses)
        for name, prediction in found.items():
            for title, head, groups in (
                ("by board", "board", {_board(k): q for k, q in prediction.by_size.items()}),
                ("by rank of the player", "rank", {_rank(k): q for k, q in prediction.by_rank.items()}),
                ("by move number", "moves", {_moves(k): q for k, q in prediction.by_move.items()}),
            ):
                part = _table(head)
                for key, quality in groups.items():
                    _add(part, key, quality)
                print_table(console, f"{name} {title}", part)
        if self.figures:
            console.print(f"Figures: {self.figures}", highlight=False)


def _add_to(before: int, progress: "Callable[..., None]", done: int) -> None:
    progress(before + done)


def _rank(rank: int) -> str:
    from nobi.datasets.values import rank_name

    return rank_name(rank)


def _board(size: int) -> str:
    return f"{size}x{size}"


def _moves(first: int) -> str:
    from nobi.imitate.metrics import MOVES_A_GROUP

    return f"{first + 1}–{first + MOVES_A_GROUP}"


def _table(head: str) -> "Table":
    return plain_table([head], ["positions", "games", "accuracy, %", "rank", "prob., %", "loss"])


def _add(table: "Table", name: str, quality: "Quality") -> None:
    table.add_row(
        name,
        f"{quality.positions:,}",
        f"{quality.games:,}",
        _with_bounds(quality.accuracy, 100, 1),
        _with_bounds(quality.rank, 1, 2),
        _with_bounds(quality.probability, 100, 1),
        _with_bounds(quality.loss, 1, 3),
    )


def _with_bounds(value: "Interval", factor: float, digits: int) -> str:
    """The value, and how far the further bound of its 95 % interval is away; of one game, the value alone."""
    spread = max(value.high - value.value, value.value - value.low)
    if spread == math.inf:
        return f"{factor * value.value:.{digits}f}"
    return f"{factor * value.value:.{digits}f} ± {factor * spread:.{digits}f}"


def _percent(value: "Interval") -> str:
    return f"{100 * value.value:.1f} %"
