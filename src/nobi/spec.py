"""Specs, a name with settings such as `heuristic:e=0.2` or `go:komi=5.5,ko=simple`, and the registries of names.

A registry holds one explicit line per built-in class, "name": "module:Class". Other installed packages add classes by
entry points of the registry's group (`nobi.games`, `nobi.players`, …); a file named by `--load` or `NOBI_PLUGINS` adds
them by `register`. A class is imported when it is first used.
"""

import dataclasses
import hashlib
import importlib
import importlib.util
import numbers
import sys
import traceback
from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from nobi.errors import NobiError, phrase, sentence

PLUGIN_PREFIX = "nobi_plugin_"
"""Prefix of the module names of files loaded by a user."""

S = TypeVar("S")
T = TypeVar("T")

_SIMILARITY = 0.7
"""Minimum similarity (`difflib`) between a proposed name and the given name."""
_SHORT_TEXT = 60
"""Maximum length of a value that an error message quotes."""
_SHORT_LIST = 12
"""Maximum number of choices that are all listed next to a proposed name."""


def parse_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,key=value` into the name and its settings, all as text."""
    as_type(spec, str, "A spec")
    name, _, rest = spec.partition(":")
    settings = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise NobiError(f"{spec!r}: {part!r} is not of the form key=value.")
        settings[key.strip()] = value.strip()
    return name.strip(), settings


def format_spec(name: str, settings: Any) -> str:
    """Return the shortest spec of a name and its settings dataclass; defaults are left out."""
    changed = [
        f"{field.name}={_as_text(getattr(settings, field.name))}"
        for field in dataclasses.fields(settings)
        if getattr(settings, field.name) != field.default
    ]
    return f"{name}:{','.join(changed)}" if changed else name


def settings_from(kind: type[S], given: dict[str, str], spec: str) -> S:
    """Build the settings dataclass `kind` from texts; errors quote the spec."""
    types = get_type_hints(kind)
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    values = {}
    for key, text in given.items():
        if key not in known:
            raise NobiError(f"{spec!r}: there is no setting {key!r}; {choices(known, key)}.")
        values[key] = _convert(text, types[key], f"{spec!r}: {key}")
    try:
        return kind(**values)
    except (ValueError, NobiError) as error:
        raise NobiError(f"{spec!r}: {phrase(error)}.") from None


def settings_with(settings: S, fields: Mapping[str, Any]) -> S:
    """Return a settings dataclass with some fields replaced, each of the type of its annotation, see `as_type`."""
    if not dataclasses.is_dataclass(settings):
        raise NobiError(f"The settings must be a settings object, not {_short(settings)}.")
    types, known = get_type_hints(type(settings)), [field.name for field in dataclasses.fields(settings)]
    for name in fields:
        if name not in known:
            raise NobiError(f"There is no setting {name!r}; {choices(known, name)}.")
    try:
        changed = {key: as_type(value, types[key], key) for key, value in fields.items()}
        whole_number(changed.get("seed", 0), "seed")
        return dataclasses.replace(settings, **changed)  # type: ignore[type-var]
    except ValueError as error:
        raise NobiError(sentence(error)) from None


def as_type(value: Any, kind: Any, name: str) -> Any:
    """Return the argument `name` of a public function as a type, or raise a NobiError.

    Whole numbers of other types become `int`. Where a tuple is expected, any sequence is accepted, and a single value
    stands for a sequence of one.
    """
    if get_origin(kind) in (Union, UnionType):
        for one in get_args(kind):
            with suppress(NobiError):
                return as_type(value, one, name)
    elif get_origin(kind) is tuple:
        single = isinstance(value, str | bytes | Path) or not isinstance(value, Iterable)
        return tuple(as_type(one, get_args(kind)[0], name) for one in ([value] if single else value))
    elif get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise NobiError(f"{name} cannot be {_short(value)}; {choices(get_args(kind), str(value))}.")
        return value
    elif kind in (int, float) and not isinstance(value, bool):
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, numbers.Real) and kind is float:
            return float(value)
    elif isinstance(value, kind) and not (kind in (int, float) and isinstance(value, bool)):
        return value
    elif kind is str and isinstance(value, Path):
        return str(value)
    raise NobiError(f"{name} must be {_noun(kind)}, not {_short(value)}.")


LARGEST = 2**63 - 1
"""The largest seed, and the largest number of anything."""


def whole_number(value: Any, name: str, least: int = 0) -> int:
    """Return the argument `name` of a public function as an integer of at least this value, or raise a NobiError."""
    number: int = as_type(value, int, name)
    if not least <= number <= LARGEST:
        bound = f"{least} or more" if number < least else "at most 2^63 - 1"
        raise NobiError(f"{name} must be {bound}, not {number}.")
    return number


_NOUNS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False", Path: "a path"}


def _noun(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(_noun(one) for one in get_args(kind))
    return "None" if kind is type(None) else _NOUNS.get(kind) or f"a {kind.__name__}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHORT_TEXT and "\n" not in text else f"a {type(value).__name__}"


def closest(given: str, names: Iterable[str]) -> str | None:
    """Return the name that is most similar to the given one, or None if none is similar."""
    by_lower_case = {name.lower(): name for name in names}
    similar = get_close_matches(given.lower(), by_lower_case, 1, _SIMILARITY)
    return by_lower_case[similar[0]] if similar else None


def choices(names: Iterable[str], given: str = "") -> str:
    """Return the end of an error message, such as `choose one of a, b or c`; proposes a name similar to `given`."""
    *most, last = known = list(names) or [""]
    if not last:
        return "it takes none"
    text = f"choose one of {', '.join(most)} or {last}" if most else f"the only choice is {last}"
    similar = closest(given, known) if given else None
    if similar is None:
        return text
    more = f"{text[0].upper()}{text[1:]}" if len(known) <= _SHORT_LIST else f"There are {len(known) - 1} others"
    return f"did you mean {similar!r}? {more}"


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _convert(text: str, kind: Any, what: str) -> object:
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            raise NobiError(f"{what} cannot be {text!r}; {choices(get_args(kind), text)}.")
        return text
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise NobiError(f"{what} is true or false, not {text!r}.")
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError:
        raise NobiError(f"{what} is {_noun(kind)}, not {text!r}.") from None


@cache
def _entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group; reading the metadata of all installed packages takes milliseconds."""
    return tuple(entry_points(group=group))


class Registry(Generic[T]):
    """The classes of one kind by name: games, players, networks, trainers, sets of planes."""

    def __init__(self, kind: str, group: str, builtin: Mapping[str, str]) -> None:
        """`kind` is the noun for messages, `group` the entry-point group, `builtin` maps name to "module:Class"."""
        self._kind = kind
        self._group = group
        self._builtin = builtin
        self._loaded: dict[str, type[T]] = {}

    def register(self, cls: Any) -> Any:
        """Add a class under its attribute `name`; usable as a decorator. Later registrations replace earlier ones."""
        self._loaded[cls.name] = cls
        return cls

    def names(self) -> list[str]:
        """Return all names, without importing any class."""
        return sorted({*self._builtin, *self._loaded, *(point.name for point in _entry_points(self._group))})

    def find(self, name: str) -> type[T]:
        """Return the class of this name, imported if necessary."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def make(self, spec: str, *arguments: Any) -> T:
        """Return the object of a spec: its class is called with its settings and these arguments."""
        name, given = parse_spec(spec)
        kind: Any = self.find(name)
        made: T = kind(settings_from(kind.settings_type, given, spec), *arguments)
        return made

    def _load(self, name: str) -> type[T]:
        if name in self._builtin:
            module, _, attribute = self._builtin[name].partition(":")
            built_in: type[T] = getattr(importlib.import_module(module), attribute)
            return built_in
        for point in _entry_points(self._group):
            if point.name != name:
                continue
            try:
                third_party: type[T] = point.load()
            except (ImportError, AttributeError) as error:
                raise NobiError(f"The {self._kind} {name!r} ({point.value}) cannot be loaded: {error}.") from None
            return third_party
        raise NobiError(f"There is no {self._kind} {name!r}; {choices(self.names(), name)}.")


def load_file(path: Path) -> None:
    """Execute a user's Python file, which registers classes by `nobi.games.register` and the like."""
    if not path.is_file():
        raise NobiError(f"There is no Python file {str(path)!r} to load.")
    # compiled code that depends on types of the file is cached by the name of its module: other content, other name
    name = f"{PLUGIN_PREFIX}{path.stem}_{hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()}"
    if getattr(sys.modules.get(name), "__file__", None) == str(path):
        return  # loaded by an earlier command of this process
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise NobiError(f"There is no Python file {str(path)!r} to load.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # as `import` does
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 1
        reason = error.msg if isinstance(error, SyntaxError) else phrase(error).replace("\n", " ")
        raise NobiError(f"{path}, line {line}: {type(error).__name__}: {reason}.") from None
