"""Registries: a folder of files, each of which is one game, player, network or trainer, found by its name alone."""

import importlib
import pkgutil
from collections.abc import Iterable, Set
from typing import Any, Generic, TypeVar

from nobi.errors import NobiError
from nobi.words import choices

T = TypeVar("T")


class Registry(Generic[T]):
    """The things of one kind. A file `my_thing.py` in the package's folder is the thing `my-thing`.

    The file is loaded when its thing is asked for. Things that live elsewhere announce themselves with `register`.
    """

    def __init__(self, kind: str, package: str, path: Iterable[str], others: Set[str]) -> None:
        """`kind` is the word for such a thing; `others` are the files of the folder that are none."""
        self._kind = kind
        self._package = package
        self._path = path
        self._others = others
        self._known: dict[str, type[T]] = {}

    def register(self, thing: Any) -> Any:
        """Makes a thing known by its name; to be written above the class."""
        self._known[thing.name] = thing
        return thing

    def names(self) -> list[str]:
        """The names of all things, without loading any."""
        files = {module.name for module in pkgutil.iter_modules(self._path)} - self._others
        return sorted({file.replace("_", "-") for file in files} | self._known.keys())

    def find(self, name: str) -> type[T]:
        """The thing of this name."""
        if name not in self._known:
            if name not in self.names():
                raise NobiError(f"There is no {self._kind} {name!r}; {choices(self.names(), name)}.")
            importlib.import_module(f"{self._package}.{name.replace('-', '_')}")
        return self._known[name]
