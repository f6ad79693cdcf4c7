"""The functions of the public interface, `import nobi`.

They accept specs such as `"heuristic:e=0.2"` as well as objects, settings as keyword arguments, and show a progress bar
on a terminal or in a notebook unless `progress=False`.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import nobi.games
from nobi.errors import require_torch
from nobi.games.base import Game, Variant
from nobi.spec import settings_with

if TYPE_CHECKING:
    from nobi.arena.results import PlayedGames
    from nobi.evolution.coevolution import CoevolutionRun
    from nobi.evolution.run import EvolutionRun
    from nobi.evolution.settings import CoevolutionSettings, EvolutionSettings
    from nobi.evolution.transfer import TransferReport
    from nobi.imitation.metrics import Prediction
    from nobi.imitation.run import ImitationRun
    from nobi.imitation.settings import ImitationSettings
    from nobi.matches.folder import MatchSummary
    from nobi.models.model import DeepModel, Model
    from nobi.networks.deep.base import DeepNetwork
    from nobi.nn.network import Network
    from nobi.players.base import Bot, Player
    from nobi.players.inspection import Inspection
    from nobi.records.collection import SgfRecord
    from nobi.records.dataset import Dataset
    from nobi.records.settings import ImportSettings


def game(spec: str = "atari-go", size: int = 9) -> Game:
    """A game at its start.

    >>> go = nobi.game("go:komi=7", size=5)
    >>> go.play("C3"); go.play("D3"); go.to_move == nobi.BLACK
    True
    >>> print(go)
       A B C D E
     5 . . . . .
     4 . + . + .
     3 . . X(O).
     2 . + . + .
     1 . . . . .
    """
    return variant(spec, size).new()


def variant(spec: str, size: int = 9) -> Variant:
    """A game with its rules on a board of some size, not started.

    >>> nobi.variant("gomoku", size=15)
    <Variant gomoku 15x15>
    """
    return nobi.games.variant(spec, size)


def player(spec: "str | Model | DeepModel", on: Variant | Game) -> "Player":
    """A player of a game on one size of board: a built-in player, a model, or the path or name of a model.

    >>> print(nobi.player("heuristic:e=0.2", on=nobi.variant("atari-go", 7)))
    heuristic:e=0.2
    """
    from nobi.models.model import Model
    from nobi.players import make_player
    from nobi.players.network import NetworkSettings, PolicySettings, player_from_deep, player_from_model

    where = _variant_of(on)
    if isinstance(spec, str):
        return make_player(spec, where)
    name = str(spec.network)
    if isinstance(spec, Model):
        return player_from_model(spec, name, where, NetworkSettings())
    return player_from_deep(spec, name, where, PolicySettings())


def bot(spec: "str | Model | DeepModel", on: Variant | Game, seed: int = 0) -> "Bot":
    """A player of a single game, which may use a clock, keep a search tree, resign and report its analysis.

    >>> go = nobi.game("go", size=5)
    >>> expert = nobi.bot("mcts:rollouts=200", on=go)
    >>> move = expert.choose(go)
    >>> go.is_legal(move)
    True
    """
    return player(spec, on).bot(seed)


def play_games(
    on: Variant,
    a: "str | Player | Model",
    b: "str | Player | Model",
    games: int = 1000,
    *,
    seed: int = 0,
    threads: int = 0,
    keep_moves: bool = False,
    progress: bool = True,
) -> "PlayedGames":
    """Many games between two players over all cores; A has black in the games of even number.

    The games depend on the seed alone, not on the number of threads. Ctrl-C raises `PlayInterrupted`, a
    KeyboardInterrupt that holds the finished games.

    >>> played = nobi.play_games(nobi.variant("atari-go", 5), "naive", "random", games=100, progress=False)
    >>> len(played), played.win_rate().value > 0.6
    (100, True)
    """
    from nobi.arena.play import play_games as play
    from nobi.players.base import Player

    first, second = (one if isinstance(one, Player) else player(one, on) for one in (a, b))
    with _progress_bar("games", games, progress) as tell:
        return play(on, first, second, games, seed=seed, threads=threads, keep_moves=keep_moves, progress=tell)


def match(
    a: str,
    b: str,
    on: Variant,
    games: int = 100,
    *,
    referee: str = "",
    seconds: float | None = None,
    folder: Path | str | None = None,
    parallel: int = 1,
    seed: int = 0,
    progress: bool = True,
) -> "MatchSummary":
    """A match between two players that play game by game: searches, engines (`"gtp:gnugo --mode gtp"`), models.

    With a folder the games are kept there, and a match that is there is continued.

    >>> result = nobi.match("mcts:rollouts=50", "random", on=nobi.variant("go", 5), games=2, progress=False)
    >>> result.all.wins
    2
    """
    from nobi.matches.folder import MatchFolder, summarise_match
    from nobi.matches.openings import Opening
    from nobi.matches.series import Entrant, Series, SeriesSettings, pairings, remaining, result_saver

    entrants = [Entrant(spec, on, (seed + i) % 2**63, 60.0) for i, spec in enumerate((a, b))]
    schedule = pairings(2, games)
    settings = {"a": a, "b": b, "game": str(on), "size": on.size, "referee": referee, "seconds": seconds, "seed": seed}
    with (
        Series(SeriesSettings(on, referee, seconds, parallel=parallel), entrants) as series,
        _progress_bar("games", games, progress) as tell,
    ):
        kept = MatchFolder(Path(folder), settings, resume=True) if folder else None
        records = kept.load() if kept else []
        done = result_saver(records, kept, lambda: tell(len(records)))
        series.play(remaining(schedule, records), lambda _: Opening(), done)
    return summarise_match(sorted(records, key=lambda record: record.game))


def network(spec: str, seed: int = 0) -> "Network | DeepNetwork":
    """A network without weights (`mdlstm:hidden=3`), or a deep network with random ones (`nobi-net`).

    >>> nobi.network("mdlstm:hidden=3").weight_count(9)
    93
    """
    from nobi.networks import deep, make_network, names
    from nobi.spec import parse_spec

    return make_network(spec) if parse_spec(spec)[0] in names() else deep.make_deep(spec, seed)


def load(path: Path | str) -> "Model | DeepModel":
    """The model in a file, or a shipped model by name; nothing in a file is executed.

    >>> nobi.load("go-main").size
    19
    """
    from nobi.models.model import COMPILED, deep_model_in, model_in, read_model_file

    file = read_model_file(Path(path))
    if file.format == COMPILED:
        return model_in(file)
    require_torch(f"The network {file.network}")
    return deep_model_in(file)


def save(path: Path | str, model: "Model | DeepModel") -> None:
    """Write a model to a `.safetensors` file, whole or not at all."""
    from nobi.models.model import save_model

    save_model(Path(path), model)


def evolve(
    folder: Path | str | None = None,
    settings: "EvolutionSettings | None" = None,
    *,
    resume: bool = False,
    threads: int = 0,
    progress: bool = True,
    **fields: Any,
) -> "EvolutionRun":
    """Train a network by evolution; the fields of `EvolutionSettings` are also keyword arguments.

    Without a folder the run is not kept; its champion is in memory.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=2, games=10, progress=False)
    >>> run.generation, run.champion().size
    (2, 5)
    """
    from nobi.evolution.run import EvolutionRun
    from nobi.evolution.settings import EvolutionSettings

    chosen = settings_with(settings or EvolutionSettings(), fields)
    with _run_folder(folder) as path:
        run = EvolutionRun(path, chosen, resume=resume, threads=threads)
        with _progress_bar("generations", chosen.generations, progress) as tell:
            run.train(lambda run: tell(run.generation))
    return run


def coevolve(
    folder: Path | str | None = None,
    settings: "CoevolutionSettings | None" = None,
    *,
    resume: bool = False,
    threads: int = 0,
    progress: bool = True,
    **fields: Any,
) -> "CoevolutionRun":
    """Train two populations of networks against each other (S08 section IV-C).

    >>> run = nobi.coevolve(size=5, net="mdrnn:hidden=2", generations=2, progress=False)
    >>> run.generation
    2
    """
    from nobi.evolution.coevolution import CoevolutionRun
    from nobi.evolution.settings import CoevolutionSettings

    chosen = settings_with(settings or CoevolutionSettings(), fields)
    with _run_folder(folder) as path:
        run = CoevolutionRun(path, chosen, resume=resume, threads=threads)
        with _progress_bar("generations", chosen.generations, progress) as tell:
            run.train(lambda run: tell(run.generation))
    return run


def transfer(
    models: "Model | Path | str | Sequence[Model | Path | str]",
    sizes: Sequence[int] = (5, 7, 9, 11, 15, 19),
    *,
    opponents: Sequence[str] = ("naive",),
    games: int = 400,
    game: str = "",
    seed: int = 0,
    threads: int = 0,
    progress: bool = True,
) -> "TransferReport":
    """How models play on boards of several sizes against fixed opponents.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=2, games=10, progress=False)
    >>> report = nobi.transfer(run.champion(), sizes=[5, 7], games=20, progress=False)
    >>> [row.size for row in report.sizes]
    [5, 7]
    """
    from nobi.evolution.transfer import load_models, measure_transfer
    from nobi.models.model import Model

    given = [models] if isinstance(models, (str, Path, Model)) else list(models)
    first, weights = load_models([one if isinstance(one, Model) else Path(one) for one in given])
    with _progress_bar("boards", len(sizes) * len(opponents), progress) as tell:
        chosen = game or first.game
        return measure_transfer(
            first.network, weights, chosen, sizes, opponents, games, seed, threads=threads, progress=tell
        )


def import_records(
    paths: Sequence[Path | str] | Path | str,
    out: Path | str,
    settings: "ImportSettings | None" = None,
    *,
    workers: int = 1,
    **fields: Any,
) -> "Dataset":
    """Make a dataset of game records in SGF files, folders and archives, without duplicates and damaged records."""
    from nobi.records.dataset import Dataset
    from nobi.records.importing import import_records as import_all
    from nobi.records.settings import ImportSettings

    given = [paths] if isinstance(paths, (str, Path)) else paths
    chosen = settings_with(settings or ImportSettings(), fields)
    import_all([Path(path) for path in given], Path(out), chosen, workers=workers)
    return Dataset.open(out)


def imitate(
    folder: Path | str,
    settings: "ImitationSettings | None" = None,
    *,
    resume: bool = False,
    device: str = "auto",
    progress: bool = True,
    **fields: Any,
) -> "ImitationRun":
    """Train a deep network on game records; the fields of `ImitationSettings` are also keyword arguments."""
    require_torch("Training by imitation")
    from nobi.imitation.run import ImitationRun
    from nobi.imitation.settings import ImitationSettings
    from nobi.imitation.step import join_process_group

    chosen = settings_with(settings or ImitationSettings(), fields)
    with join_process_group(device) as group:
        run = ImitationRun(Path(folder), chosen, resume=resume, group=group)
        with _progress_bar("steps", run.total, progress) as tell:
            run.train(lambda run: tell(run.step_number), lambda _: None)
    return run


def predict(
    model: Path | str,
    data: Sequence[Path | str],
    *,
    split: str = "test",
    sizes: Sequence[int] = (),
    positions: int = 0,
    average: bool = False,
    seed: int = 0,
    device: str = "auto",
    progress: bool = True,
) -> "Prediction":
    """How well a model predicts the moves of game records, with intervals over games.

    `average`: by values averaged over the eight images of each board, as a nobi-net plays.
    """
    require_torch("Predicting moves")
    from nobi.imitation.prediction import open_evaluation
    from nobi.imitation.step import choose_device

    evaluation = open_evaluation(Path(model), [str(path) for path in data], split, sizes, positions, seed)
    with _progress_bar("positions", evaluation.count, progress) as tell:
        return evaluation.measure(choose_device(device), average=average, progress=tell)


def inspect(model: "Model | DeepModel | str", game: Game) -> "Inspection":
    """What a network computes for the current position of a game: outputs, hidden units, legal and best moves.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=1, games=10, progress=False)
    >>> seen = nobi.inspect(run.champion(), nobi.game("atari-go", 7))
    >>> seen.output.shape, len(seen.layers[0].sweeps)
    ((7, 7), 4)
    """
    return cast("Inspection", player(model, game).inspect(game))


def read_sgf(path: Path | str) -> "SgfRecord":
    """The first game of an SGF file."""
    from nobi.records.sgf_reader import read_sgf as read

    return read(Path(path))


def write_sgf(game: Game, path: Path | str, **names: str) -> None:
    """Write a game as SGF; `black`, `white`, `event` and `result` are keyword arguments."""
    from nobi.records.sgf_writer import sgf_of
    from nobi.storage import atomic_write

    atomic_write(Path(path), sgf_of(game, **names))  # type: ignore[arg-type]


def run_study(
    names: str | Sequence[str],
    scale: str = "quick",
    *,
    out: Path | str,
    seed: int = 0,
    threads: int = 0,
    data: dict[str, Path] | None = None,
    engines: dict[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Measure tables and figures of the papers again; the documents are also written to `out/results`."""
    from nobi.studies import select
    from nobi.studies.runner import run_studies

    wanted = [name for one in ([names] if isinstance(names, str) else names) for name in select(one)]
    return run_studies(wanted, scale, seed, Path(out), threads, data=data, engines=engines)


def list_games() -> list[str]:
    """The names of the games, third-party ones included.

    >>> nobi.list_games()[:2]
    ['atari-go', 'go']
    """
    return nobi.games.names()


def list_players() -> list[str]:
    """The names of the players."""
    from nobi.players import names

    return names()


def list_networks() -> list[str]:
    """The names of the networks, compiled and deep."""
    from nobi.networks import deep, names

    return sorted({*names(), *deep.names()})


def list_trainers() -> list[str]:
    """The names of the trainers of `evolve`."""
    from nobi.trainers import names

    return names()


def list_models() -> list[str]:
    """The names of the models that ship with the package."""
    from nobi.models import shipped

    return list(shipped())


def list_studies() -> list[str]:
    """The names of the studies, in the order of the papers."""
    from nobi.studies import names

    return names()


def _variant_of(on: Variant | Game) -> Variant:
    return on if isinstance(on, Variant) else Variant(type(on), on.size, on.settings)


@contextmanager
def _run_folder(folder: Path | str | None) -> Iterator[Path]:
    if folder is not None:
        yield Path(folder)
        return
    with tempfile.TemporaryDirectory(prefix="nobi-run-") as temporary:
        yield Path(temporary)


@contextmanager
def _progress_bar(unit: str, total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    from nobi.cli.progress import progress_bar

    with progress_bar(unit, total, show=shown) as tell:
        yield tell
