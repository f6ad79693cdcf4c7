"""Functions of the public interface, `import nobi`: games, players, models and records.

Those for training and experiments are in `nobi.api_training`. All accept specs such as `"heuristic:e=0.2"` as well as
objects, settings as keyword arguments, and show a progress bar on a terminal or in a notebook unless `progress=False`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import nobi.games
from nobi.errors import NobiError, require_torch
from nobi.games.base import Game, Variant
from nobi.spec import as_type, choices, parse_spec, settings_with, whole_number

if TYPE_CHECKING:
    from nobi.arena.results import PlayedGames
    from nobi.matches.folder import GameResult, MatchSummary, TournamentSummary
    from nobi.models.model import Model
    from nobi.networks.deep.base import DeepNetwork
    from nobi.nn.network import Network
    from nobi.players.base import Bot, Player
    from nobi.players.inspection import Inspection
    from nobi.records.collection import SgfRecord
    from nobi.records.dataset import Dataset
    from nobi.records.importing import Progress
    from nobi.records.settings import ImportSettings
    from nobi.workers import Executor


def game(spec: str = "atari-go", size: int = 9) -> Game:
    """Return a new game.

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
    """Return the rules of a game for a board size.

    >>> nobi.variant("gomoku", size=15)
    <Variant gomoku 15x15>
    """
    return nobi.games.variant(spec, as_type(size, int, "size"))


def player(spec: "str | Model", on: Variant | Game) -> "Player":
    """Return a player of a game on one size of board: a built-in player, a model, or the path or name of a model.

    >>> print(nobi.player("heuristic:e=0.2", on=nobi.variant("atari-go", 7)))
    heuristic:e=0.2
    """
    from nobi.models.model import Model
    from nobi.players import make_player
    from nobi.players.network import player_from_model

    given = as_type(spec, str | Model, "A player")
    return make_player(given, _variant_of(on)) if isinstance(given, str) else player_from_model(given, _variant_of(on))


def bot(spec: "str | Model", on: Variant | Game, seed: int = 0) -> "Bot":
    """Return a player of a single game, which may use a clock, keep a search tree, resign and report its analysis.

    >>> go = nobi.game("go", size=5)
    >>> expert = nobi.bot("mcts:rollouts=200", on=go)
    >>> move = expert.choose(go)
    >>> go.is_legal(move)
    True
    """
    return player(spec, on).bot(whole_number(seed, "seed"))


def play_games(
    on: Variant | Game,
    a: "str | Player | Model",
    b: "str | Player | Model",
    games: int = 1000,
    *,
    seed: int = 0,
    threads: int = 0,
    executor: "str | Executor" = "local",
    keep_moves: bool = False,
    progress: bool = True,
) -> "PlayedGames":
    """Play many games between two players on all cores; A has Black in even-numbered games.

    The games depend on the seed alone, not on the number of threads or the executor: `"local"` (threads), `"ray"`,
    `"ray://host:port"`, or an open executor, which stays open. Ctrl-C raises `PlayInterrupted`, a KeyboardInterrupt
    that holds the finished games.

    >>> played = nobi.play_games(nobi.variant("atari-go", 5), "naive", "random", games=100, progress=False)
    >>> len(played), played.win_rate().value > 0.6
    (100, True)
    """
    from nobi.arena.play import play_games as play
    from nobi.cli.progress import progress_of_workers
    from nobi.players.base import Player
    from nobi.workers import open_executor

    on, games, seed = _variant_of(on), whole_number(games, "games", 1), whole_number(seed, "seed")
    first, second = (one if isinstance(one, Player) else player(one, on) for one in (a, b))
    with (
        open_executor(executor, threads) as workers,
        progress_of_workers("games", games, workers, show=progress) as report,
    ):
        return play(on, first, second, games, seed=seed, executor=workers, keep_moves=keep_moves, progress=report)


def match(
    a: str,
    b: str,
    on: Variant | Game,
    games: int = 100,
    *,
    folder: Path | str | None = None,
    parallel: int = 1,
    executor: "str | Executor" = "local",
    progress: bool = True,
    **fields: Any,
) -> "MatchSummary":
    """Play a match between two stateful players: searches, engines (`"gtp:gnugo --mode gtp"`), models.

    The other settings of `nobi match` are keyword arguments: `seed`, `referee`, `handicap`, `openings`, `random_moves`,
    `seconds`, `main_time`, `byo_yomi`, `periods`, `stones` and `timeout`. With a folder, the games are stored there,
    and an existing match in it, such as one of `nobi match --folder`, is continued. `parallel` games are played at the
    same time in threads; another `executor` (`"ray"`, `"ray://host:port"`, or an open executor) uses all its workers.

    >>> result = nobi.match("mcts:rollouts=50", "random", on=nobi.variant("go", 5), games=2, progress=False)
    >>> result.all.wins
    2
    """
    from nobi.matches.folder import summarise_match

    results = _play_series([a, b], {"a": a, "b": b}, on, games, folder, parallel, executor, progress, fields)
    return summarise_match(results)


def tournament(
    players: Sequence[str],
    on: Variant | Game,
    games: int = 10,
    *,
    folder: Path | str | None = None,
    parallel: int = 1,
    executor: "str | Executor" = "local",
    progress: bool = True,
    **fields: Any,
) -> "TournamentSummary":
    """Play games between each pair of players and compute Elo ratings; the other arguments are those of `nobi.match`.

    >>> table = nobi.tournament(["naive", "random"], on=nobi.variant("atari-go", 5), games=6, progress=False)
    >>> table.players, float(table.points.sum()), len(table.elo)
    (('naive', 'random'), 6.0, 2)
    """
    from nobi.matches.folder import summarise_tournament
    from nobi.matches.series import check_entrants

    specs: tuple[str, ...] = as_type(players, tuple[str, ...], "a player")
    check_entrants(specs)
    stored = {"players": list(specs)}
    results = _play_series(specs, stored, on, games, folder, parallel, executor, progress, fields)
    return summarise_tournament(results, specs)


def _play_series(
    specs: Sequence[str],
    stored: dict[str, Any],
    on: Variant | Game,
    games: int,
    folder: Path | str | None,
    parallel: int,
    executor: "str | Executor",
    progress: bool,
    fields: dict[str, Any],
) -> "list[GameResult]":
    """Play `games` games between each pair of players; those in the folder are not played again.

    `stored` holds the players as they are stored in the folder, `fields` those of the settings.
    """
    from nobi.cli.progress import progress_of_workers
    from nobi.matches.series import open_series, pairings, play_series
    from nobi.matches.settings import SeriesSettings
    from nobi.workers import open_executor

    specs, on, games = as_type(specs, tuple[str, ...], "a player"), _variant_of(on), whole_number(games, "games", 1)
    settings, path = settings_with(SeriesSettings(), fields), _path(folder, "folder") if folder else None
    total = len(pairings(len(specs), games))
    with (
        open_executor(executor, parallel if executor == "local" else 0) as workers,
        open_series(settings, on, specs, workers, path, stored) as series,
        progress_of_workers("games", total, workers, show=progress) as report,
    ):
        play_series(series, len(specs), games, lambda: report(len(series.results)))
    return sorted(series.results, key=lambda result: result.game)


def network(spec: str, seed: int = 0) -> "Network | DeepNetwork":
    """Return a network without weights (`mdlstm:hidden=3`), or a deep network with random weights (`nobi-net`).

    >>> nobi.network("mdlstm:hidden=3").weight_count(9)
    93
    """
    from nobi.networks import deep, make_network, names

    name = parse_spec(spec)[0]
    if name not in list_networks():
        raise NobiError(f"There is no network {name!r}; {choices(list_networks(), name)}.")
    return make_network(spec) if name in names() else deep.make_deep(spec, whole_number(seed, "seed"))


def load(path: Path | str) -> "Model":
    """Return the model in a file, or a shipped model by name; nothing in a file is executed.

    >>> model = nobi.load("go-main")
    >>> model.game, model.size, model.sizes
    ('go', 19, None)
    """
    from nobi.models.model import load_model

    model = load_model(_path(path))
    if model.needs_torch:
        require_torch(f"The network {model.spec}")
        model.network  # noqa: B018 (raises an error if the file is inconsistent)
    return model


def save(path: Path | str, model: "Model") -> None:
    """Write a model to a `.safetensors` file atomically.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=1, games=10, progress=False)
    >>> nobi.save(folder / "model.safetensors", run.champion())
    >>> nobi.load(folder / "model.safetensors")
    <Model mdrnn:hidden=3, 21 weights, atari-go 5x5>
    """
    from nobi.models.model import Model, save_model

    given = as_type(model, Model, "model")
    save_model(_new_file(path), given)


def import_records(
    paths: Sequence[Path | str] | Path | str,
    out: Path | str,
    settings: "ImportSettings | None" = None,
    *,
    workers: int = 1,
    progress: bool = True,
    **fields: Any,
) -> "Dataset":
    """Make a dataset from the SGF records in files, folders and archives, without duplicates and damaged records.

    The fields of `ImportSettings` are also keyword arguments.

    >>> (folder / "game.sgf").write_text("(;GM[1]SZ[9];B[ee];W[cc];B[gg];W[gc])")
    37
    >>> data = nobi.import_records(folder / "game.sgf", folder / "data", shares=(100, 0, 0), progress=False)
    >>> data.sizes("train")
    {9: 1}
    """
    from nobi.cli.progress import progress_bar
    from nobi.records.dataset import Dataset
    from nobi.records.importing import import_records as import_all
    from nobi.records.settings import ImportSettings

    given = as_type(paths, tuple[str | Path, ...], "paths")
    chosen = settings_with(settings or ImportSettings(), fields)
    with progress_bar("kB read", 0, show=progress) as report:

        def show(state: "Progress") -> None:
            report(state.bytes_read // 1000, total=state.bytes // 1000)

        import_all([Path(path) for path in given], _path(out), chosen, workers=workers, progress=show)
    return Dataset.open(out)


def inspect(model: "Model | str", game: Game) -> "Inspection":
    """Return what a network computes for the current position of a game: outputs, hidden units, legal and best moves.

    >>> run = nobi.evolve(sizes=[5], net="mdrnn:hidden=3", generations=1, games=10, progress=False)
    >>> seen = nobi.inspect(run.champion(), nobi.game("atari-go", 7))
    >>> seen.output.shape, len(seen.layers[0].sweeps)
    ((7, 7), 4)
    """
    return cast("Inspection", player(model, as_type(game, Game, "game")).inspect(game))


def read_sgf(path: Path | str) -> "SgfRecord":
    """Return the first game of an SGF file.

    >>> (folder / "game.sgf").write_text("(;GM[1]SZ[9]KM[5.5];B[ee];W[cc])")
    32
    >>> record = nobi.read_sgf(folder / "game.sgf")
    >>> record.size, record.komi, len(record.moves)
    (9, 5.5, 2)
    """
    from nobi.records.sgf_reader import read_sgf as read

    return read(_path(path))


def write_sgf(
    game: Game, path: Path | str, *, black: str = "", white: str = "", event: str = "", result: str = ""
) -> None:
    """Write a game as SGF, with the names of the players and of the event; the result is by default that of the game.

    >>> go = nobi.game("go", size=9)
    >>> go.play("E5")
    >>> nobi.write_sgf(go, folder / "new.sgf", black="Ann", white="Bob")
    >>> (folder / "new.sgf").read_text().count(";B[ee]")
    1
    """
    from nobi.records.sgf_writer import sgf_of
    from nobi.storage import atomic_write

    texts = {"black": black, "white": white, "event": event, "result": result}
    names = {name: as_type(text, str, name) for name, text in texts.items()}
    atomic_write(_new_file(path), sgf_of(as_type(game, Game, "game"), **names))


def list_games() -> list[str]:
    """Return the names of the games, third-party ones included.

    >>> nobi.list_games()[:2]
    ['atari-go', 'go']
    """
    return nobi.games.names()


def list_players() -> list[str]:
    """Return the names of the players.

    >>> "mcts" in nobi.list_players()
    True
    """
    from nobi.players import names

    return names()


def list_networks() -> list[str]:
    """Return the names of the networks, compiled and deep.

    >>> {"mdlstm", "nobi-net"} <= set(nobi.list_networks())
    True
    """
    from nobi.networks import deep, names

    return sorted({*names(), *deep.names()})


def list_trainers() -> list[str]:
    """Return the names of the trainers of `evolve`.

    >>> "cmaes" in nobi.list_trainers()
    True
    """
    from nobi.trainers import names

    return names()


def list_models() -> list[str]:
    """Return the names of the models that ship with the package.

    >>> "go-main" in nobi.list_models()
    True
    """
    from nobi.models import shipped

    return list(shipped())


def list_studies() -> list[str]:
    """Return the names of the studies, in the order of the papers.

    >>> nobi.list_studies()[0]
    's08-fig2'
    """
    from nobi.studies import names

    return names()


def _path(path: Path | str, name: str = "path") -> Path:
    return Path(as_type(path, str | Path, name))


def _new_file(path: Path | str) -> Path:
    """Return the path of a file to write, in a folder that exists."""
    from nobi.storage import make_writable_folder

    found = _path(path)
    if found.is_dir():
        raise NobiError(f"{str(found)!r} is a folder; give the file to write.")
    make_writable_folder(found.parent)
    return found


def _variant_of(on: Variant | Game) -> Variant:
    given = as_type(on, Variant | Game, "on")
    return given if isinstance(given, Variant) else Variant(type(given), given.size, given.settings)
