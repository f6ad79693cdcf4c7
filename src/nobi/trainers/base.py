"""Random weights, and random changes of them (S08: both normal, on every weight).

MERGED evolve/base.py: What a trainer is: it is asked for weights to try and told how well they did, again and again.

A trainer never evaluates anything, and all its chance comes from its seed. So its state is exactly (settings, weights,
seed, the fitness told so far), and that is all a checkpoint holds: `replay` makes the trainer again by asking and
telling once more, without playing a game. No trainer needs a file format of its own, a library's inner state is never
stored, and nothing is pickled. The price is time that grows with the generations done, though far less than they took
(CMA-ES of 140 weights: some 7 ms each), and that a resumed run must meet the same arithmetic: another
version of a library may draw other weights from the same seed. `fingerprint` notices that.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nobi.errors import NobiError
from nobi.spec import format_spec

Population = NDArray[np.float32]
"""[candidate, weight] the weights of several networks."""


def random_weights(count: int, weights: int, rng: np.random.Generator) -> Population:
    """[count, weights] drawn from N(0, 1), as both S08 and S09 start."""
    return rng.standard_normal((count, weights)).astype(np.float32)


def mutants(parents: NDArray[np.floating[Any]], count: int, deviation: float, rng: np.random.Generator) -> Population:
    """Copies of randomly chosen parents, each weight changed by a number drawn from N(0, deviation).

    Args:
        parents: [parent, weight]; each is as likely to be chosen as any other, and can be chosen more than once.
        count: how many mutants.
        deviation: the standard deviation of the change.
        rng: where the chance comes from.

    Returns:
        [count, weight].
    """
    chosen = rng.integers(len(parents), size=count)
    change = deviation * rng.standard_normal((count, parents.shape[1]))
    return (parents[chosen] + change).astype(np.float32)


class Trainer(ABC):
    """Searches for weights of high fitness. Asked and told in turn; higher is better."""

    name: ClassVar[str]
    settings_type: ClassVar[type]
    """A frozen dataclass."""
    objectives_wanted: ClassVar[bool] = False
    """Whether it is told several objectives for every candidate, not one fitness."""

    def __init__(self, settings: Any, weights: int, seed: int) -> None:
        if weights < 1:
            raise ValueError(f"a network has 1 weight or more, not {weights}")
        self.settings = self.settings_type() if settings is None else settings
        self.weights = weights
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.generation = 0
        """How many generations have been told."""
        self._asked: Population | None = None
        self._champion: int | None = None

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    def ask(self) -> Population:
        """[candidate, weight] all that is to be evaluated in this generation; the same until it is told.

        Every generation has the same number of candidates.
        """
        if self._asked is None:
            self._asked = self.propose().astype(np.float32)
        return self._asked.copy()

    def tell(self, fitness: NDArray[np.float64]) -> None:
        """Takes the fitness of what was asked last.

        Args:
            fitness: [candidate], or [candidate, objective] where `objectives_wanted`; finite.
        """
        if self._asked is None:
            raise RuntimeError("ask before you tell")
        fitness = np.array(fitness, np.float64)
        candidates = len(self._asked)
        if fitness.ndim != 1 + self.objectives_wanted or len(fitness) != candidates:
            wanted = f"[{candidates}, objectives]" if self.objectives_wanted else f"[{candidates}]"
            raise ValueError(f"the fitness must have the shape {wanted}, not {list(fitness.shape)}")
        if not np.isfinite(fitness).all():
            raise ValueError("the fitness must be finite")
        self.learn(self._asked, fitness)
        total = fitness.sum(axis=1) if self.objectives_wanted else fitness
        self._champion = int(np.argmax(total))
        self._asked = None
        self.generation += 1

    @property
    def champion(self) -> int:
        """The index of the best candidate in the set that was told last, the first of equals.

        Of several objectives the sum decides, as if all weighed the same.
        """
        if self._champion is None:
            raise RuntimeError("no generation has been told yet")
        return self._champion

    @abstractmethod
    def propose(self) -> NDArray[np.floating[Any]]:
        """[candidate, weight] the next candidates; called once a generation."""

    @abstractmethod
    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:
        """Learns from this generation: the candidates, as asked, and their fitness, of the right shape and finite."""


class Learner(Protocol):
    """What can be replayed: a trainer, or coevolution."""

    def ask(self) -> Any:
        """One array of weights, or a tuple of them."""

    def tell(self, told: NDArray[np.float64], /) -> None:
        """The results."""


def fingerprint(asked: NDArray[Any] | tuple[NDArray[Any], ...]) -> str:
    """A short text that two sets of candidates share only if they are equal bit for bit."""
    digest = hashlib.blake2b(digest_size=16)
    for array in asked if isinstance(asked, tuple) else (asked,):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def replay(
    learner: Learner,
    told: Iterable[NDArray[np.float64]],
    last: str | None = None,
    note: Callable[[Any, NDArray[np.float64]], None] = lambda _asked, _told: None,
) -> None:
    """Brings a new trainer to where another of the same settings, weights and seed was.

    Args:
        learner: the trainer, to which nothing has been told.
        told: the results of all generations, in their order.
        last: the fingerprint of the candidates of the last of these generations, if it is to be checked.
        note: is shown what was asked and told in every generation.
    """
    seen = None
    for results in told:
        asked = learner.ask()
        learner.tell(results)
        note(asked, results)
        seen = asked
    if last is not None and seen is not None and fingerprint(seen) != last:
        raise NobiError(
            "The run cannot be continued here: its trainer draws other weights than it did (another version of a "
            "library, or another processor?). Continue it where it was started, or start anew."
        )
