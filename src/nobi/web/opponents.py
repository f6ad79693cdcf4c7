"""The opponents of a visitor: built-in players, search, models and the engines of the command line; cards of models.

The browser names an opponent by its id; files and commands are known only to the server.
"""

import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from nobi import models
from nobi.errors import NobiError
from nobi.games.base import Variant
from nobi.gtp.client import GtpBot
from nobi.models.model import Model, load_model
from nobi.players import make_bot
from nobi.players.base import Bot
from nobi.players.mcts import MctsPlayer
from nobi.players.network import player_from_model
from nobi.search.settings import SearchSettings
from nobi.storage import atomic_write, make_writable_folder
from nobi.web.evaluation import evaluate_by_model
from nobi.web.setup import GAME_TITLES, Setup

STEP_NAMES = {100: "Quick look", 300: "Short search", 1000: "Search", 3000: "Long search", 10_000: "Deep search"}
"""The steps of the strength slider: playouts per move and their names."""
PLAYOUTS = tuple(STEP_NAMES)
WITHOUT_SEARCH = "No search"
"""Name of the step without search."""
_TREE_MEGABYTES = 32
"""Enough for a tree of 10,000 playouts; many visitors may search at once."""
_ENGINE_SECONDS = 60.0

Kind = Literal["player", "search", "model", "engine"]
Origin = Literal["built-in", "given", "shipped", "saved", "run", "drawn"]
"""Origin of an opponent: a built-in player, the command line, the package, a saved champion, a run, random weights."""

MOST_SAVED = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")

_BUILT_IN = {
    "random": ("Random", "plays random legal moves"),
    "naive": ("Naive", "takes an immediate win, avoids an immediate loss, else plays random moves"),
    "heuristic": ("Heuristic", "reads ladders and nets"),
    "playout": ("Playout", "plays random moves but never fills its own eyes"),
}
_GAMES_OF = {"heuristic": ("atari-go",), "playout": ("go",)}


@dataclass(frozen=True)
class Opponent:
    """An opponent of the visitor."""

    id: str
    title: str
    kind: Kind
    note: str
    """A short description."""
    games: tuple[str, ...] = ()
    """The games it plays; empty for all."""
    only_size: int = 0
    """The only board it plays on, or 0 for every board."""
    command: str = ""
    file: Model | None = None
    origin: Origin = "built-in"

    @property
    def shipped(self) -> bool:
        """Whether it is a model that ships with nobi."""
        return self.origin == "shipped"

    @property
    def steps(self) -> list[str]:
        """Names of its strength steps; empty if there is no choice."""
        count = {"model": len(PLAYOUTS) + 1, "search": len(PLAYOUTS)}.get(self.kind, 0)
        return [STEP_NAMES.get(self.playouts(step), WITHOUT_SEARCH) for step in range(count)]

    def step_detail(self, game: str, size: int, strength: int) -> str:
        """Description of a strength step, with its Elo rating if measured."""
        playouts = self.playouts(strength)
        text = f"{playouts:,} playouts per move" if playouts else "the network alone"
        known = self.title if self.shipped else self.id if self.id == "mcts" else ""
        measured = models.measured_elo(known, size, playouts, game) if known else None
        if not measured:
            return text
        where = "" if measured.board == size else f" on {measured.board}×{measured.board}"
        return f"{text} · {measured}{where}, with {measured.opponent} at 0"

    def playouts(self, strength: int) -> int:
        """Return the playouts per move at a strength step; 0: no search."""
        if self.kind == "search":
            return PLAYOUTS[min(strength, len(PLAYOUTS) - 1)]
        return PLAYOUTS[min(strength, len(PLAYOUTS)) - 1] if self.kind == "model" and strength else 0

    @property
    def network_file(self) -> Model:
        """The file of its network; raises a NobiError if it has none."""
        if self.file is None:
            raise NobiError(f"{self.title} is not a network.")
        return self.file

    @property
    def weight_count(self) -> int:
        """Number of weights of its network."""
        return self.network_file.weight_count

    def refusal(self, game: str, size: int) -> str:
        """Why it cannot play this game on this board, as a sentence; empty if it can."""
        if self.games and game not in self.games:
            return f"{self.title} plays {' and '.join(GAME_TITLES[name] for name in self.games)} only."
        if self.only_size and size != self.only_size:
            return f"{self.title} plays on {self.only_size}×{self.only_size} only."
        return ""

    def bot(self, variant: Variant, strength: int, seed: int) -> Bot:
        """Return a bot for one game. It may take time to be made."""
        refusal = self.refusal(variant.game.name, variant.size)
        if refusal:
            raise NobiError(refusal)
        if self.kind == "engine":
            bot = GtpBot(self.command, variant, _ENGINE_SECONDS)
            bot.seed = seed & 0x7FFFFFFF
            return bot
        playouts = self.playouts(strength)
        if playouts:
            model = str(self.file.path) if self.file else ""
            settings = SearchSettings(rollouts=playouts, memory=_TREE_MEGABYTES, model=model)
            return MctsPlayer(variant, settings).bot(seed)
        if self.file:
            return player_from_model(self.file, variant).bot(seed)
        return make_bot(self.id, variant, seed)


class Catalogue:
    """All opponents of a server."""

    def __init__(self, files: Sequence[Path] = (), engines: Sequence[str] = (), saved: Path | None = None) -> None:
        """All opponents that a server offers.

        Args:
            files: model files. A NobiError names a file that cannot be used.
            engines: GTP commands.
            saved: the folder of models that visitors have saved; None if saving is disabled.
        """
        self._saved = saved
        own = [_of_model(f"file-{i}", model_title(path), path, "given") for i, path in enumerate(files, 1)]
        own += _saved_models(saved)
        shipped = [_of_model(f"model-{name}", name, path, "shipped") for name, path in models.shipped().items()]
        built_in = [
            Opponent(name, title, "player", note, _GAMES_OF.get(name, ())) for name, (title, note) in _BUILT_IN.items()
        ]
        search = Opponent("mcts", "Search", "search", "tree search with random playouts, no network")
        programs = [
            Opponent(f"engine-{i}", engine_title(command), "engine", "another program", ("go",), command=command)
            for i, command in enumerate(engines, 1)
        ]
        self._all = {one.id: one for one in [*own, *shipped, *built_in, search, *programs]}

    def __getitem__(self, key: str) -> Opponent:
        if key not in self._all:
            raise NobiError("There is no such opponent.")
        return self._all[key]

    def for_game(self, game: str) -> list[Opponent]:
        """Return the opponents that play a game on at least one board size."""
        return [one for one in self._all.values() if not one.games or game in one.games]

    def models(self) -> list[Opponent]:
        """Return all networks, those of the command line first."""
        return [one for one in self._all.values() if one.file]

    def add_run(self, run: str, title: str, champion: Path) -> Opponent:
        """Add the champion of a run as an opponent, and return it; it replaces an earlier champion of the run."""
        one = _of_model(f"champion-{run}", title, champion, "run")
        self._all[one.id] = one
        return one

    def save(self, name: str, champion: Path) -> Opponent:
        """Save the champion of a run as a model with this name."""
        if self._saved is None:
            raise NobiError("Models cannot be saved here.")
        if not _NAME.fullmatch(name):
            raise NobiError("A name has up to 40 letters, digits, '-' and '_', and begins with a letter or digit.")
        if name in models.shipped():
            raise NobiError(f"{name} is the name of a model that ships with nobi.")
        path = make_writable_folder(self._saved) / f"{name}{models.SUFFIX}"
        if path.exists():
            raise NobiError(f"A model named {name} already exists; choose another name.")
        if len(list(self._saved.glob(f"*{models.SUFFIX}"))) >= MOST_SAVED:
            raise NobiError(f"There are {MOST_SAVED} saved models already.")
        load_model(champion)
        atomic_write(path, champion.read_bytes())
        one = _of_model(f"saved-{name}", name, path, "saved")
        self._all = {one.id: one, **self._all}
        return one

    def best_for(self, setup: Setup) -> str:
        """Return the opponent of these settings if it can play them, else another one."""
        if setup.opponent in self._all and not self[setup.opponent].refusal(setup.game, setup.size):
            return setup.opponent
        return self.first_for(setup.game, setup.size)

    def first_for(self, game: str, size: int) -> str:
        """Return the default opponent of a game: one of the command line, else the best shipped model, else `naive`."""
        able = [one for one in self.models() if not one.refusal(game, size)]
        if not able:
            return "naive"
        shipped = [one for one in able if one.shipped]
        return max(shipped, key=lambda one: models.quality(one.title)).id if able[0].shipped else able[0].id


def _saved_models(folder: Path | None) -> list[Opponent]:
    """Return the saved models; unreadable files are left out."""
    found = []
    for path in sorted(folder.glob(f"*{models.SUFFIX}")) if folder and folder.is_dir() else []:
        with suppress(NobiError):
            found.append(_of_model(f"saved-{path.stem}", path.stem, path, "saved"))
    return found


def _of_model(key: str, title: str, path: Path, origin: Origin) -> Opponent:
    return opponent_of(key, title, load_model(path), origin)


def opponent_of(key: str, title: str, file: Model, origin: Origin) -> Opponent:
    """Return a model file as an opponent."""
    only = 0 if file.sizes is None else file.size
    note = f"{file.spec}, {file.weight_count:,} weights"
    game = file.game.partition(":")[0]
    return Opponent(key, title, "model", note, (game,), only, file=file, origin=origin)


def model_title(path: Path) -> str:
    """Return the name of a model file; for a champion file, the name of its run."""
    return path.resolve().parent.name if path.stem in ("champion", "model") else path.stem


def engine_title(command: str) -> str:
    """Return the display name of an engine command."""
    name = Path(command.split()[0]).name if command.split() else command
    return {"gnugo": "GNU Go"}.get(name, name)


# --- cards ----------------------------------------------------------------------------------------------------------

_TRAINING_FACTS = {
    "method": "trainer",
    "opponents": "trained against",
    "generations": "generations",
    "net": "network",
    "data": "trained on",
    "steps": "steps",
    "seed": "seed",
}
"""Training settings shown on a card, by their names in the model file."""


@dataclass(frozen=True)
class Card:
    """Facts about a model."""

    opponent: Opponent
    summary: str
    """The game, the boards and the size of the network."""
    ratings: tuple[tuple[str, str], ...]
    """(board, Elo rating) of the network without search, where measured."""
    reference: str
    """The player whose rating is 0."""
    facts: tuple[tuple[str, str], ...]
    """Further facts: name and value."""

    @property
    def mini_size(self) -> int:
        """The size of the small board on its card."""
        return self.opponent.only_size or min(9, self.opponent.network_file.size or 9)


def card_of(opponent: Opponent) -> Card:
    """Return the card of a model; unknown facts are left out."""
    file = opponent.network_file
    boards = f"{opponent.only_size}×{opponent.only_size} only" if opponent.only_size else "every board size"
    weights = f"{opponent.weight_count:,} weights"
    summary = " · ".join([GAME_TITLES.get(file.game, file.game), boards, weights])
    facts = [("network", file.spec)]
    measured: dict[str, Any] = models.results().get(opponent.title, {}) if opponent.shipped else {}
    if measured.get("summary"):
        facts.append(("measured", str(measured["summary"])))
    ratings, reference = [], ""
    for match in measured.get("matches", []):
        if match.get("playouts") == 0:
            elo = str(models.measured_elo(opponent.title, match["board"])).removeprefix("Elo ")
            ratings.append((f"{match['board']}×{match['board']}", elo))
            reference = str(match["opponent"])
    training = file.provenance.get("training")
    for key, name in _TRAINING_FACTS.items():
        value = training.get(key) if isinstance(training, dict) else None
        if value not in (None, "", [], ()) and name != "network":
            facts.append((name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)[:80]))
    sizes = training.get("sizes") if isinstance(training, dict) else None
    if isinstance(sizes, list | tuple) and sizes:
        facts.append(("trained on", ", ".join(f"{size}×{size}" for size in sizes)))
    return Card(opponent, summary, tuple(ratings), reference, tuple(facts))


def first_preferences(cards: list[Card], stop: threading.Event) -> dict[str, tuple[float, ...]]:
    """Return the shares of the first moves on the small board of each card, by model id."""
    found = {}
    for card in cards:
        if stop.is_set():
            break
        file = card.opponent.network_file
        try:
            game = Setup(game=file.game, size=card.mini_size).new_game()
            found[card.opponent.id] = evaluate_by_model(file, game).shares
        except NobiError:  # the board stays empty
            continue
    return found
