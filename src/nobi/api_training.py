"""Training and experiments in the public interface, `import nobi`; see `nobi.api`."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nobi.errors import require_torch
from nobi.spec import as_type, natural, settings_with

if TYPE_CHECKING:
    from nobi.evolution.coevolution import CoevolutionRun
    from nobi.evolution.run import EvolutionRun, TrainingRun
    from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
    from nobi.evolution.transfer import TransferReport
    from nobi.imitation.metrics import Prediction
    from nobi.imitation.run import ImitationRun
    from nobi.imitation.settings import ImitationSettings
    from nobi.models.model import Model
    from nobi.workers import Executor


def evolve(
    folder: Path | str | None = None,
    settings: "EvolutionSettings | None" = None,
    *,
    resume: bool = False,
    threads: int = 0,
    executor: "str | Executor" = "local",
    progress: bool = True,
    **fields: Any,
) -> "EvolutionRun":
    """Train a network by evolution; the fields of `EvolutionSettings` are also keyword arguments.

    Without a folder the run is not stored; its champion is in memory. Games are played by the `executor`: `"local"`
    (threads), `"ray"`, `"ray://host:port"`, or an open executor, which stays open. The results do not depend on it.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=2, games=10, progress=False)
    >>> run.generation, run.champion().size
    (2, 5)
    """
    from nobi.evolution.run import EvolutionRun
    from nobi.evolution.settings import EvolutionSettings

    chosen = settings_with(settings or EvolutionSettings(), fields)
    with _training(folder, executor, threads) as (path, workers):
        run = EvolutionRun(path, chosen, resume=resume, executor=workers)
        _train(run, workers, progress)
    return run


def coevolve(
    folder: Path | str | None = None,
    settings: "CoevolutionSettings | None" = None,
    *,
    resume: bool = False,
    threads: int = 0,
    executor: "str | Executor" = "local",
    progress: bool = True,
    **fields: Any,
) -> "CoevolutionRun":
    """Train two populations of networks against each other (S08 section IV-C); `executor` as for `nobi.evolve`.

    >>> run = nobi.coevolve(size=5, net="mdrnn:hidden=2", generations=2, progress=False)
    >>> run.generation
    2
    """
    from nobi.evolution.coevolution import CoevolutionRun
    from nobi.evolution.settings import CoevolutionSettings

    chosen = settings_with(settings or CoevolutionSettings(), fields)
    with _training(folder, executor, threads) as (path, workers):
        run = CoevolutionRun(path, chosen, resume=resume, executor=workers)
        _train(run, workers, progress)
    return run


def transfer(
    models: "Model | Path | str | Sequence[Model | Path | str]",
    sizes: Sequence[int] | int = (5, 7, 9, 11, 15, 19),
    *,
    opponents: Sequence[str] | str = ("naive",),
    games: int = 400,
    game: str = "",
    seed: int = 0,
    threads: int = 0,
    executor: "str | Executor" = "local",
    progress: bool = True,
) -> "TransferReport":
    """Measure how models play on several board sizes against fixed opponents; `executor` as for `nobi.evolve`.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=2, games=10, progress=False)
    >>> report = nobi.transfer(run.champion(), sizes=[5, 7], games=20, progress=False)
    >>> [row.size for row in report.sizes]
    [5, 7]
    """
    from nobi.cli.progress import progress_of_workers
    from nobi.evolution.transfer import load_models, measure_transfer
    from nobi.models.model import Model
    from nobi.workers import open_executor

    given = as_type(models, tuple[Model | str | Path, ...], "models")
    on: tuple[int, ...] = as_type(sizes, tuple[int, ...], "sizes")
    against: tuple[str, ...] = as_type(opponents, tuple[str, ...], "opponents")
    first, weights = load_models([one if isinstance(one, Model) else Path(one) for one in given])
    boards = len(on) * len(against)
    with (
        open_executor(executor, threads) as workers,
        progress_of_workers("boards", boards, workers, show=progress) as report,
    ):
        chosen = game or first.game
        return measure_transfer(
            first.network,
            weights,
            chosen,
            on,
            against,
            natural(games, "games"),
            as_type(seed, int, "seed"),
            executor=workers,
            progress=report,
        )


def imitate(
    folder: Path | str,
    settings: "ImitationSettings | None" = None,
    *,
    resume: bool = False,
    device: str = "auto",
    progress: bool = True,
    **fields: Any,
) -> "ImitationRun":
    """Train a deep network on game records; the fields of `ImitationSettings` are also keyword arguments.

    >>> small = {"net": "nobi-net:width=16,blocks=1", "steps": 2, "batch": 8, "validation": 0}
    >>> run = nobi.imitate(folder / "imitation", data=[dataset], progress=False, **small)
    >>> run.model()
    <Model nobi-net:width=16,blocks=1, 11,587 weights, go 5x5>
    """
    require_torch("Training by imitation")
    from nobi.cli.progress import progress_bar
    from nobi.imitation.run import ImitationRun
    from nobi.imitation.settings import ImitationSettings
    from nobi.imitation.step import join_process_group

    chosen, folder = settings_with(settings or ImitationSettings(), fields), as_type(folder, str | Path, "folder")
    with join_process_group(device) as group:
        run = ImitationRun(Path(folder), chosen, resume=resume, group=group)
        with progress_bar("steps", run.total, show=progress) as report:
            run.train(lambda run: report(run.step_number), lambda _: None)
    return run


def predict(
    model: "Model | Path | str",
    data: Sequence[Path | str] | Path | str,
    *,
    split: str = "test",
    sizes: Sequence[int] | int = (),
    positions: int = 0,
    average: bool = False,
    seed: int = 0,
    device: str = "auto",
    progress: bool = True,
) -> "Prediction":
    """Measure how well a model predicts the moves of game records, with intervals over games.

    With `average`, values are averaged over the eight symmetric images of each board, as a nobi-net does in play.

    >>> found = nobi.predict("go-main", dataset, positions=20, progress=False)
    >>> found.all.positions
    20
    """
    require_torch("Predicting moves")
    from nobi.cli.progress import progress_bar
    from nobi.imitation.prediction import open_evaluation
    from nobi.imitation.step import choose_device
    from nobi.models.model import Model

    given, paths = as_type(model, Model | str | Path, "model"), as_type(data, tuple[str, ...], "data")
    boards = as_type(sizes, tuple[int, ...], "sizes")
    evaluation = open_evaluation(given, paths, split, boards, as_type(positions, int, "positions"), seed)
    with progress_bar("positions", evaluation.count, show=progress) as report:
        return evaluation.measure(choose_device(device), average=average, progress=report)


def run_study(
    names: str | Sequence[str],
    scale: str = "quick",
    *,
    out: Path | str,
    seed: int = 0,
    threads: int = 0,
    executor: "str | Executor" = "local",
    data: dict[str, Path] | None = None,
    engines: dict[str, str] | None = None,
    progress: bool = True,
) -> list[dict[str, Any]]:
    """Reproduce tables and figures of the papers; the result documents are also written to `out/results`.

    `executor` as for `nobi.evolve`.

    >>> [document] = nobi.run_study("s08-fig5", "tiny", out=folder / "study", progress=False)
    >>> document["title"]
    'S08 figure 5: the same random networks on 5x5 and 9x9'
    """
    from nobi.cli.progress import progress_bar
    from nobi.studies import select
    from nobi.studies.runner import run_studies
    from nobi.workers import open_executor

    wanted = [name for one in as_type(names, tuple[str, ...], "names") for name in select(one)]
    path = Path(as_type(out, str | Path, "out"))
    with open_executor(executor, threads) as workers, progress_bar("work", 0, share=True, show=progress) as report:

        def show(done: float, total: float, _: str) -> None:
            report(done, total=total)

        return run_studies(
            wanted, scale, seed, path, threads, progress=show, data=data, engines=engines, executor=workers
        )


@contextmanager
def _training(folder: Path | str | None, executor: "str | Executor", threads: int) -> "Iterator[tuple[Path, Executor]]":
    """Yield the folder of a run, by default a temporary one, and the executor of its games."""
    from nobi.workers import open_executor

    with ExitStack() as stack:
        if folder is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="nobi-run-"))
        yield Path(as_type(folder, str | Path, "folder")), stack.enter_context(open_executor(executor, threads))


def _train(run: "TrainingRun", workers: "Executor", progress: bool) -> None:
    """Train to the last generation, with a progress bar."""
    from nobi.cli.progress import progress_of_workers

    with progress_of_workers("generations", run.settings.generations, workers, show=progress) as report:
        run.train(lambda run: report(run.generation))
