"""The interface of trainers: `ask` returns weights to evaluate, `tell` receives their fitness.

A trainer does not evaluate networks, and its seed determines all its random numbers. Its state is therefore determined
by settings, number of weights, seed and the fitness so far, and a checkpoint contains only these: `replay` restores a
trainer by repeating `ask` and `tell` without playing games. No trainer needs a file format, the state of a library is
never stored, and nothing is pickled. The time for restoring grows with the number of generations, but is much less than
that of their games (CMA-ES with 140 weights: about 7 ms each). A resumed run needs the same arithmetic: another version
of a library may draw other weights from the same seed, which `fingerprint` detects.
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


def normal_population(count: int, weights: int, rng: np.random.Generator) -> Population:
    """Return [count, weights] drawn from N(0, 1), the initial population of S08 and S09."""
    return rng.standard_normal((count, weights)).astype(np.float32)


def mutants(parents: NDArray[np.floating[Any]], count: int, deviation: float, rng: np.random.Generator) -> Population:
    """Return copies of parents drawn with replacement, with N(0, deviation) added to every weight (S08).

    Args:
        parents: [parent, weight].
        count: number of mutants.
        deviation: standard deviation of the change.
        rng: random numbers.

    Returns:
        [count, weight].
    """
    chosen = rng.integers(len(parents), size=count)
    change = deviation * rng.standard_normal((count, parents.shape[1]))
    return (parents[chosen] + change).astype(np.float32)


class Trainer(ABC):
    """Searches for weights of high fitness; `ask` and `tell` are called in turn."""

    name: ClassVar[str]
    settings_type: ClassVar[type]
    """A frozen dataclass."""
    version: ClassVar[int] = 1
    """Version number, incremented when the same settings and seed give other candidates than before."""
    objectives_wanted: ClassVar[bool] = False
    """Whether `tell` receives several objectives per candidate instead of one fitness."""

    def __init__(self, settings: Any, weights: int, seed: int) -> None:
        if weights < 1:
            raise ValueError(f"a network has 1 weight or more, not {weights}")
        self.settings = self.settings_type() if settings is None else settings
        self.weights = weights
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.generation = 0
        """Number of finished generations."""
        self._asked: Population | None = None
        self._champion: int | None = None

    def __str__(self) -> str:
        return format_spec(self.name, self.settings)

    def ask(self) -> Population:
        """Return the candidates of this generation, [candidate, weight]; unchanged until `tell`.

        Every generation has the same number of candidates.
        """
        if self._asked is None:
            self._asked = self.propose().astype(np.float32)
        return self._asked.copy()

    def tell(self, fitness: NDArray[np.float64]) -> None:
        """Receive the fitness of the candidates.

        Args:
            fitness: [candidate], or [candidate, objective] if `objectives_wanted`; finite, higher is better.
        """
        if self._asked is None:
            raise RuntimeError("call ask before tell")
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
        """The index of the best candidate of the latest generation, by the sum of its objectives."""
        if self._champion is None:
            raise RuntimeError("no generation is done yet")
        return self._champion

    @abstractmethod
    def propose(self) -> NDArray[np.floating[Any]]:
        """Return the next candidates, [candidate, weight]; called once per generation."""

    @abstractmethod
    def learn(self, candidates: Population, fitness: NDArray[np.float64]) -> None:
        """Learn from the candidates of this generation and their fitness, whose shape has been checked."""


class Learner(Protocol):
    """A trainer, or coevolution."""

    def ask(self) -> Any:
        """Return one array of weights, or a tuple of arrays."""

    def tell(self, results: NDArray[np.float64], /) -> None:
        """Receive the results."""


def fingerprint(candidates: NDArray[Any] | tuple[NDArray[Any], ...]) -> str:
    """Return a hash of the candidates' weights."""
    digest = hashlib.blake2b(digest_size=16)
    for array in candidates if isinstance(candidates, tuple) else (candidates,):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def replay(
    learner: Learner,
    history: Iterable[NDArray[np.float64]],
    last: str | None = None,
    note: Callable[[Any, NDArray[np.float64]], None] = lambda _candidates, _results: None,
) -> None:
    """Bring a new trainer to the state of another with the same settings, weights and seed.

    Args:
        learner: the new trainer.
        history: the results of all generations, in order.
        last: the fingerprint of the candidates of the last generation, to check them; None: no check.
        note: called with the candidates and results of every generation.
    """
    candidates = None
    for results in history:
        candidates = learner.ask()
        learner.tell(results)
        note(candidates, results)
    if last is not None and candidates is not None and fingerprint(candidates) != last:
        raise NobiError(
            "The run cannot be continued here: its trainer draws other weights than before, because of another version "
            "of a library or another processor. Continue it where it was started, or start a new run."
        )
