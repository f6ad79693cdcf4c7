"""`nobi transfer` and `nobi predict`: play of networks on other boards, and prediction of experts' moves."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from nobi.cli.base import Command, ExecutorFlags, Result, plain_table
from nobi.cli.progress import progress_bar, progress_of_workers
from nobi.errors import NobiError, require_torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from nobi.evolution.transfer import TransferReport
    from nobi.imitation.metrics import Prediction, PredictionMetrics
    from nobi.imitation.prediction import Evaluation


@dataclass(frozen=True)
class Transfer(ExecutorFlags):
    """Measure how one or more models play on boards of several sizes.

    For one model: the fitness with its 95 % interval on every size. For three or more, such as the champions of a run
    folder, also how performance on a small board predicts that on a larger one: the correlation, and the share p of
    models with higher fitness on the larger board.
    """

    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="MODEL", help="Model files, or run folders for their champions."),
    ] = tyro.MISSING
    game: str = ""
    """The game; by default that of the training."""
    sizes: tuple[int, ...] = (5, 7, 9, 11, 15, 19)
    """The board sizes to play on."""
    opponents: tuple[str, ...] = ("naive",)
    """The players to play against."""
    games: int = 400
    """Games of every model on every board against every opponent; half with each colour."""
    measure: str = "points"
    """What counts: points (the mean outcome) or score (which rewards short games)."""
    figure: Path | None = None
    """Save the figure to this path, as PNG and SVG."""

    def execute(self) -> Result:
        from nobi.evolution.fitness import MEASURES
        from nobi.evolution.transfer import load_models, measure_transfer
        from nobi.spec import choices
        from nobi.storage import make_writable_folder

        if self.games < 2 or self.games % 2:
            raise NobiError(f"--games must be an even number, half for each colour, not {self.games}.")
        if self.figure:
            make_writable_folder(self.figure.parent)
        if self.measure not in MEASURES:
            raise NobiError(f"There is no measure {self.measure!r}; {choices(MEASURES, self.measure)}.")
        model, weights = load_models(self.models)
        game = self.game or model.game
        boards = len(self.sizes) * len(self.opponents)
        with self.new_executor() as executor, progress_of_workers("boards", boards, executor) as progress:
            found = measure_transfer(
                model.network,
                weights,
                game,
                self.sizes,
                self.opponents,
                self.games,
                self.seed,
                measure=self.measure,
                executor=executor,
                progress=progress,
            )
        network, count = str(model.network), len(weights)
        document = {"network": network, "game": game, "models": count, **asdict(found)}
        title = f"{network}, {count} model{'s' * (count > 1)}: {game}"
        report: list[str | tuple[str, Table]] = list(_transfer_tables(found, title, count))
        if self.figure:
            from nobi.figures.comparison import size_curve
            from nobi.figures.style import in_words
            from nobi.figures.style import title as figure_title

            trained = model.size if model.provenance.get("training") else None
            many = "" if count == 1 else f", {count} models"
            text = figure_title(f"How {in_words(network)} plays {in_words(game)} on boards of different sizes{many}")
            size_curve(found, self.figure, text, trained)
            report.append(f"The figure: {self.figure.with_suffix('.png')}")
        return Result(document, report)


def _transfer_tables(found: "TransferReport", title: str, models: int) -> "list[tuple[str, Table]]":
    table = plain_table(["board", "against", f"fitness (95 % over {'games' if models == 1 else 'models'})"])
    for row in found.sizes:
        table.add_row(f"{row.size}x{row.size}", row.opponent, row.fitness.text("+.3f"))
    pairs = plain_table(["boards", "against", "correlation (95 %)", "p, better on the larger (95 %)"])
    for pair in found.pairs:
        boards = f"{pair.small}x{pair.small} → {pair.large}x{pair.large}"
        pairs.add_row(boards, pair.opponent, pair.transfer.correlation.text("+.3f"), pair.transfer.higher.text(".3f"))
    return [(title, table), *([("", pairs)] if found.pairs else [])]


_GUESSES = (1, 2, 3, 5, 10, 20, 50)


@dataclass(frozen=True)
class Predict(Command):
    """Measure how well networks predict the moves of experts, with 95 % intervals.

    Accuracy, mean rank and mean probability of the expert's move, its negative log likelihood, how often it is among
    the best n, and all of it by move number, rank of the player and board size. Positions of one game are correlated;
    the intervals take this into account.
    """

    models: Annotated[
        tyro.conf.Positional[tuple[Path, ...]],
        tyro.conf.arg(metavar="MODEL", help="Model files.", help_behavior_hint="(required)"),
    ] = tyro.MISSING
    data: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="DATASET", help="Datasets, made by 'nobi data import'.")
    ] = ()
    split: str = "test"
    """The split of the datasets: train, validation or test."""
    sizes: tuple[int, ...] = ()
    """The board sizes to use; default: all."""
    positions: int = 0
    """Measure a random sample of about this many positions; 0: all."""
    legal: bool = False
    """Compare legal moves only, also for networks that were trained on all points."""
    average: bool = False
    """Average the network's values over the eight images of each board, as a nobi-net does when it plays."""
    figures: Path | None = None
    """Draw the figures into this folder."""
    device: str = "auto"
    """The device: cpu, cuda, cuda:1, or auto: a GPU if there is one."""

    def execute(self) -> Result:
        if not self.models:
            raise NobiError("Give at least one model file.")
        if len(set(self.models)) < len(self.models):
            raise NobiError("A model file is given twice; give each one once.")
        if not self.data:
            raise NobiError("Give at least one dataset with --data; 'nobi data import' makes datasets.")
        self.require(0, "positions")
        require_torch("Predicting moves")
        from nobi.imitation.prediction import open_evaluation
        from nobi.imitation.step import choose_device, use_threads
        from nobi.storage import make_writable_folder
        from nobi.workers import usable_threads

        use_threads(self.threads, usable_threads())
        if self.figures:
            make_writable_folder(self.figures)
        device = choose_device(self.device)
        evaluations = {
            str(model): open_evaluation(model, self.data, self.split, self.sizes, self.positions, self.seed)
            for model in self.models
        }
        found: dict[str, Prediction] = {}
        done = 0
        with progress_bar("positions", sum(one.count for one in evaluations.values())) as progress:
            for model, one in evaluations.items():

                def add(count: int, before: int = done) -> None:
                    progress(before + count)

                found[model] = one.measure(device, legal=self.legal, average=self.average, progress=add)
                done += one.count
        networks = {model: one.network for model, one in evaluations.items()}
        among_legal = {model: self.legal or network.masked for model, network in networks.items()}
        document = {
            "settings": asdict(self),
            "networks": {model: str(network) for model, network in networks.items()},
            "among_legal_moves": among_legal,
            "predictions": found,
        }
        labels = _labels(list(found))
        labelled = {labels[model]: one for model, one in found.items()}
        report: list[str | tuple[str, Table]] = [*self._tables(labelled)]
        if len(set(among_legal.values())) > 1:
            others = ", ".join(labels[model] for model, legal in among_legal.items() if not legal)
            report.append(
                f"Trained on all points and therefore measured on all points: {others}; the others on legal moves. "
                "--legal measures all models on legal moves."
            )
        report += [f"{label}: {model}" for model, label in labels.items() if model != label]
        if self.figures:
            _draw(self.figures, labelled, list(evaluations.values()), self.seed)
            report.append(f"Figures: {self.figures}")
        return Result(document, report)

    def _tables(self, found: "dict[str, Prediction]") -> "list[tuple[str, Table]]":
        everything = {label: prediction.all for label, prediction in found.items()}
        guesses = plain_table(["n"], [str(n) for n in _GUESSES])
        for label, prediction in found.items():
            top = prediction.top
            guesses.add_row(label, *(f"{100 * top[n - 1].value:.1f} %" if n <= len(top) else "" for n in _GUESSES))
        tables = [
            (f"The {self.split} split of {', '.join(self.data)}", _metrics_table("model", everything)),
            ("Expert's move among the best n", guesses),
        ]
        for label, prediction in found.items():
            by_size = {_board(size): metrics for size, metrics in prediction.by_size.items()}
            by_rank = {_rank(rank): metrics for rank, metrics in prediction.by_rank.items()}
            by_move = {_moves(first): metrics for first, metrics in prediction.by_move.items()}
            tables += [
                (f"{label} by board", _metrics_table("board", by_size)),
                (f"{label} by rank of the player", _metrics_table("rank", by_rank)),
                (f"{label} by move number", _metrics_table("moves", by_move)),
            ]
        return tables


def _draw(folder: Path, found: "dict[str, Prediction]", evaluations: "list[Evaluation]", seed: int) -> None:
    from nobi.figures.training import accuracy_by_group, filter_figure, moves_curve, plane_names, top_curve
    from nobi.imitation.metrics import large_enough
    from nobi.imitation.prediction import first_filters

    top = {label: prediction.top for label, prediction in found.items()}
    top_curve(top, folder / "top.png", "The expert's move within n guesses")
    moves_curve({label: prediction.by_move for label, prediction in found.items()}, folder / "moves.png")
    for key, name_of, what in (("rank", _rank, "rank of the player"), ("size", _board, "board")):
        accuracies = {
            label: {
                name_of(value): metrics.accuracy
                for value, metrics in large_enough(getattr(prediction, f"by_{key}")).items()
            }
            for label, prediction in found.items()
        }
        accuracy_by_group(accuracies, folder / f"{key}s.png", what)
    for number, (label, one) in enumerate(zip(found, evaluations, strict=True), 1):
        network = one.network
        filters = first_filters(network)
        if filters is not None:
            file = folder / f"filters{f'-{number}' if len(found) > 1 else ''}.png"
            names = plane_names(network.planes, network.settings)
            filter_figure(filters, file, f"Filters of the first layer of {label}", names, seed=seed)


def _labels(models: list[str]) -> dict[str, str]:
    """Return the labels of model files in tables and figures: their folders if these differ, else their paths."""
    names = {model: Path(model).parent.name or Path(model).stem for model in models}
    return names if len(set(names.values())) == len(names) else {model: model for model in models}


def _rank(rank: int) -> str:
    from nobi.records.properties import rank_name

    return rank_name(rank)


def _board(size: int) -> str:
    return f"{size}x{size}"


def _moves(first: int) -> str:
    from nobi.imitation.metrics import MOVES_A_GROUP

    return f"{first + 1}–{first + MOVES_A_GROUP}"


def _metrics_table(head: str, groups: "Mapping[str, PredictionMetrics]") -> "Table":
    table = plain_table([head], ["positions", "games", "accuracy, %", "rank", "prob., %", "loss"])
    for name, metrics in groups.items():
        cells = (
            (100 * metrics.accuracy, 1),
            (metrics.rank, 2),
            (100 * metrics.probability, 1),
            (metrics.loss, 3),
        )
        values = (
            interval.plus_minus(digits) if metrics.games > 1 else f"{interval.value:.{digits}f}"
            for interval, digits in cells
        )
        table.add_row(name, f"{metrics.positions:,}", f"{metrics.games:,}", *values)
    return table
