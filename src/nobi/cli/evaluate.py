"""`nobi transfer`: how networks play on boards they were not trained on.

MERGED cli/predict.py: `nobi predict`: how well networks predict the moves of experts.
"""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.base import (
    UNSET,
    CommonFlags,
    announce_compiling,
    output_console,
    plain_table,
    print_json,
    print_table,
    progress_bar,
)
from nobi.errors import NobiError, require_torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from nobi.evolution.transfer import TransferReport
    from nobi.imitation.prediction import Evaluation, Prediction, PredictionMetrics
    from nobi.statistics import Interval


@dataclass(frozen=True)
class Transfer(CommonFlags):
    """Measure how one model, or many, play on boards of several sizes.

    Of one model the fitness and its 95 % interval on every size; of several, such as the champions of a run folder,
    also how well performance on a small board tells that on a large one: correlation, and the share p that does
    better there.
    """

    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="MODEL", help="Model files, or run folders for their champions."),
    ] = tyro.MISSING
    game: str = ""
    """The game; by default that of the training."""
    sizes: tuple[int, ...] = (5, 7, 9, 11, 15, 19)
    """The boards to play on."""
    opponents: tuple[str, ...] = ("naive",)
    """The players to play against."""
    games: int = 400
    """Games of every model on every board against every opponent; half with each colour."""
    measure: str = "points"
    """What counts: points (the mean outcome) or score (which rewards speed)."""
    figure: Annotated[Path | None, UNSET] = None
    """Save the figure here, as PNG and SVG."""

    def run(self) -> int:
        """Plays and prints."""
        self.check()
        announce_compiling()
        from nobi.evolution.fitness import MEASURES
        from nobi.evolution.transfer import load_models, measure_transfer
        from nobi.models.model import load_model
        from nobi.spec import choices

        if not self.models:
            raise NobiError("Name at least one model file or run folder.")
        if self.games < 2 or self.games % 2:
            raise NobiError(f"--games must be an even number, half for each colour, not {self.games}.")
        if self.measure not in MEASURES:
            raise NobiError(f"There is no measure {self.measure!r}; {choices(MEASURES, self.measure)}.")
        network, weights = load_models(self.models)
        first = self.models[0] / "champion.safetensors" if self.models[0].is_dir() else self.models[0]
        model = load_model(first)
        game = self.game or model.game
        with progress_bar("boards", len(self.sizes) * len(self.opponents)) as progress:
            report = measure_transfer(
                network, weights, game, self.sizes, self.opponents, self.games, self.seed,
                measure=self.measure, threads=self.threads, progress=progress,
            )  # fmt: skip
        if self.figure:
            from nobi.figures.comparison import size_curve
            from nobi.figures.style import in_words, title

            trained = model.size if model.provenance.get("training") else None
            many = "" if len(weights) == 1 else f", {len(weights)} models"
            text = title(f"How {in_words(str(network))} plays {in_words(game)} on boards of different sizes{many}")
            size_curve(report, self.figure, text, trained)
        if self.json:
            print_json({"network": str(network), "game": game, "models": len(weights), **asdict(report)})
        else:
            self._print(report, f"{network}, {len(weights)} model{'s' * (len(weights) > 1)}: {game}", len(weights))
        return 0

    def _print(self, report: "TransferReport", title: str, models: int) -> None:
        console = output_console()
        over = "games" if models == 1 else "models"
        table = plain_table(["board", "against", f"fitness (95 % over {over})"])
        for row in report.sizes:
            table.add_row(f"{row.size}x{row.size}", row.opponent, _interval(row.fitness))
        print_table(console, title, table)
        if report.pairs:
            table = plain_table(["boards", "against", "correlation (95 %)", "p, better on the larger (95 %)"])
            for pair in report.pairs:
                found = pair.transfer
                boards = f"{pair.small}x{pair.small} → {pair.large}x{pair.large}"
                table.add_row(boards, pair.opponent, _interval(found.correlation), _interval(found.higher))
            console.print(table)
        if self.figure:
            console.print(f"The figure: {self.figure.with_suffix('.png')}", highlight=False)


def _interval(interval: "Interval") -> str:
    return f"{interval.value:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"


_GUESSES = (1, 2, 3, 5, 10, 20, 50)
_LOPSIDED = 1.25
"""How much further one bound of an interval may be away than the other if one number is to stand for both."""


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
    figures: Annotated[Path | None, UNSET] = None
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
        require_torch("Predicting moves")
        from nobi.imitation.prediction import open_evaluation
        from nobi.imitation.step import choose_device, use_threads
        from nobi.storage import make_writable_folder
        from nobi.workers import usable_threads

        use_threads(self.threads, usable_threads())
        if self.figures:
            make_writable_folder(self.figures)
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
        labels = _labels(list(found))
        networks = {str(model): one.model.network for model, one in zip(self.models, work, strict=True)}
        among_legal = {name: self.legal or network.masked for name, network in networks.items()}
        if self.figures:
            self._draw(self.figures, {labels[name]: one for name, one in found.items()}, work)
        if self.json:
            settings = asdict(self) | {
                "models": [str(model) for model in self.models],
                "figures": str(self.figures) if self.figures else None,
            }
            print_json(
                {
                    "settings": settings,
                    "networks": {name: str(network) for name, network in networks.items()},
                    "among_legal_moves": among_legal,
                    "predictions": found,
                }
            )
        else:
            self._print({labels[name]: one for name, one in found.items()})
            if len(set(among_legal.values())) > 1:
                others = [labels[name] for name, legal in among_legal.items() if not legal]
                print(f"Trained on all points, and so measured among all of them: {', '.join(others)}; the others "
                      "among legal moves. --legal measures all among legal moves.")  # fmt: skip
            for name, label in labels.items():
                if name != label:
                    print(f"{label}: {name}")
            if self.figures:
                print(f"Figures: {self.figures}")
        return 0

    def _draw(self, figures: Path, found: "dict[str, Prediction]", work: "list[Evaluation]") -> None:
        from nobi.figures.training import accuracy_by_group, filter_figure, moves_curve, plane_names, top_curve
        from nobi.imitation.prediction import large_enough

        top_curve(
            {label: p.top for label, p in found.items()}, figures / "top.png", "The expert's move within n guesses"
        )
        moves_curve({label: p.by_move for label, p in found.items()}, figures / "moves.png")
        for key, names_of, what in (("rank", _rank, "rank of the player"), ("size", _board, "board")):
            groups = {label: large_enough(getattr(p, f"by_{key}")) for label, p in found.items()}
            named = {
                label: {names_of(value): quality.accuracy for value, quality in group.items()}
                for label, group in groups.items()
            }
            accuracy_by_group(named, figures / f"{key}s.png", what)
        for number, (label, one) in enumerate(zip(found, work, strict=True)):
            filters = one.filters()
            if filters is not None:
                end = f"-{number + 1}" if len(found) > 1 else ""
                network = one.model.network
                names = plane_names(network.planes, network.settings)
                title = f"Filters of the first layer of {label}"
                filter_figure(filters, figures / f"filters{end}.png", title, names, seed=self.seed)

    def _print(self, found: "dict[str, Prediction]") -> None:
        console = output_console()
        table = _table("model")
        for label, prediction in found.items():
            _add(table, label, prediction.all)
        print_table(console, f"The {self.split} part of {', '.join(self.data)}", table)
        guesses = plain_table(["n"], [str(n) for n in _GUESSES])
        for label, prediction in found.items():
            cells = (_percent(prediction.top[n - 1]) if n <= len(prediction.top) else "" for n in _GUESSES)
            guesses.add_row(label, *cells)
        print_table(console, "Expert's move among the best n", guesses)
        for label, prediction in found.items():
            for title, head, groups in (
                ("by board", "board", {_board(k): q for k, q in prediction.by_size.items()}),
                ("by rank of the player", "rank", {_rank(k): q for k, q in prediction.by_rank.items()}),
                ("by move number", "moves", {_moves(k): q for k, q in prediction.by_move.items()}),
            ):
                part = _table(head)
                for key, quality in groups.items():
                    _add(part, key, quality)
                print_table(console, f"{label} {title}", part)


def _add_to(before: int, progress: "Callable[..., None]", done: int) -> None:
    progress(before + done)


def _labels(models: list[str]) -> dict[str, str]:
    """What each model file is called in tables and figures: its folder if that tells all apart, else its path."""
    names = {model: Path(model).parent.name or Path(model).stem for model in models}
    return names if len(set(names.values())) == len(names) else {model: model for model in models}


def _rank(rank: int) -> str:
    from nobi.records.properties import rank_name

    return rank_name(rank)


def _board(size: int) -> str:
    return f"{size}x{size}"


def _moves(first: int) -> str:
    from nobi.imitation.prediction import MOVES_A_GROUP

    return f"{first + 1}–{first + MOVES_A_GROUP}"


def _table(head: str) -> "Table":
    return plain_table([head], ["positions", "games", "accuracy, %", "rank", "prob., %", "loss"])


def _add(table: "Table", name: str, quality: "PredictionMetrics") -> None:
    table.add_row(
        name,
        f"{quality.positions:,}",
        f"{quality.games:,}",
        *(
            _value(interval, factor, digits, bounds=quality.games > 1)
            for interval, factor, digits in (
                (quality.accuracy, 100, 1),
                (quality.rank, 1, 2),
                (quality.probability, 100, 1),
                (quality.loss, 1, 3),
            )
        ),
    )


def _value(interval: "Interval", factor: float, digits: int, *, bounds: bool) -> str:
    """The value with its 95 % interval: `44.2 ± 0.7`, or `5.0 (1–24)` where it is lopsided."""
    value = f"{factor * interval.value:.{digits}f}"
    if not bounds:
        return value
    below, above = interval.value - interval.low, interval.high - interval.value
    if max(below, above) > _LOPSIDED * min(below, above):
        rough = max(0, digits - 2)
        return f"{value} ({factor * interval.low:.{rough}f}–{factor * interval.high:.{rough}f})"
    return f"{value} ± {factor * max(below, above):.{digits}f}"


def _percent(value: "Interval") -> str:
    return f"{100 * value.value:.1f} %"
