"""The commands by name."""

from typing import Any

import nobi
from nobi.cli.bench import Bench
from nobi.cli.coevolve import Coevolve
from nobi.cli.data import Data
from nobi.cli.evolve import Evolve
from nobi.cli.export import Export
from nobi.cli.gtp import Gtp
from nobi.cli.imitate import Imitate
from nobi.cli.listing import ListGames, ListPlayers
from nobi.cli.match import Match
from nobi.cli.models import ListModels
from nobi.cli.play import Play
from nobi.cli.predict import Predict
from nobi.cli.review import Review
from nobi.cli.show import Show
from nobi.cli.study import Study
from nobi.cli.tournament import Tournament
from nobi.cli.transfer import Transfer
from nobi.cli.warm_up import WarmUp

DESCRIPTION = (
    f"nobi {nobi.__version__}: neural networks that learn a board game on a small board and play it on any board. "
    "'nobi COMMAND --help' tells what a command takes, 'nobi --version' which nobi it is."
)

COMMANDS: dict[str, Any] = {
    "play": Play,
    "review": Review,
    "evolve": Evolve,
    "coevolve": Coevolve,
    "transfer": Transfer,
    "study": Study,
    "match": Match,
    "data": Data,
    "imitate": Imitate,
    "predict": Predict,
    "tournament": Tournament,
    "gtp": Gtp,
    "show": Show,
    "export": Export,
    "models": ListModels,
    "games": ListGames,
    "players": ListPlayers,
    "warm-up": WarmUp,
    "bench": Bench,
}
