"""The spec's values as code of the types that annotations ask for, as LightningCLI turns them.

Objects are what `class_path` and `init_args` describe.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from ... import messages
from ...diagnostics import Diagnostic
from ..sections.section import ObjectSettings
from .annotations import (
    ANY,
    CALLED,
    CLASSES,
    FACTORIES,
    KNOWN,
    LISTS,
    MAPPINGS,
    NUMBERS,
    SETS,
    TEXT,
    TUPLES,
    alternatives,
    kinds_of,
    known_name,
    types_in,
    whole_name,
)
from .environment import AtRun, FromCode
from .kept_defaults import kept_silently
from .object_defaults import DescribedDefault
from .signature import Parameter, Signature

SECTIONS = ("init_args", "dict_kwargs")
OBJECT_KEYS = {"class_path", *SECTIONS}

PLAIN_RESULTS = ANY | NUMBERS | TEXT | frozenset({"Tensor", "None"})
"""What a function returns that makes nothing."""


FUNCTION = "function"
"""Stands for the function that computes an argument, until its name is known."""


def source_name(place: int) -> str:
    """What stands for one of the sources in such code."""
    return f"source_{place}"


@dataclass(frozen=True)
class Source:
    """Where an argument's value comes from."""

    key: tuple[str, ...]  # of a setting, such as ("data", "batch_size")
    known: str  # its value as code, where nothing else is known of it


@dataclass(frozen=True)
class Linked:
    """In the place of an argument's value: what LightningCLI computes it from."""

    sources: tuple[Source, ...]
    code: str  # what is made of them
    function: str = ""  # the path of one of the project's that is called
    is_of_objects: bool = False  # of what has been made, not of what it is made from

    def computed(self, sources: Iterable[str], function: str) -> str:
        """The code, with what the sources and the function are called."""
        names = {source_name(place): code for place, code in enumerate(sources)} | {FUNCTION: function}
        return ast.unparse(_Filled(names).visit(ast.parse(self.code, mode="eval")))


@dataclass(frozen=True)
class Description:
    """In the place of an argument's value: what describes an object, as a dict."""

    value: Mapping[str, Any]


class _Filled(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.names.get(node.id, node.id), mode="eval").body


class Names(Protocol):
    """What is known of the classes at whole paths, and what they are called where the code is to stand."""

    def class_name(self, path: str) -> str:
        """The name of the class at a path."""

    def members(self, path: str) -> frozenset[str] | None:
        """Those of the project's enumeration at a path; None: it is none."""

    def is_class(self, path: str) -> bool:
        """Whether a path is that of a class, of which objects can be described."""

    def signature(self, path: str) -> Signature | None:
        """What the class at a path, which may be a short one, is made with; None: that is not known."""

    def whole(self, path: str) -> str:
        """The path by which annotations and defaults know the class at a path."""

    def linked(self, value: Linked) -> str:
        """The code that computes an argument."""


class Wrong(ValueError):
    """A value that cannot be taken: what there is to say of it at its place, and `below` which keys that is."""

    def __init__(self, say: Callable[..., Diagnostic], *about: Any, below: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.message, self.about, self.below = say, about, below

    def say(self, place: messages.Place) -> Diagnostic:
        return self.message(place, *self.about)

    def within(self, *keys: str) -> Wrong:
        """The same, as seen from further out."""
        return Wrong(self.message, *self.about, below=(*keys, *self.below))


class _NoneOfThese(Exception):
    """A value that is of none of the kinds."""


def is_object(value: Any) -> bool:
    """Whether a value of the spec describes an object."""
    return isinstance(value, Mapping) and "class_path" in value and value.keys() <= OBJECT_KEYS


def class_paths(value: Any) -> Iterator[str]:
    """The classes that a value of the spec names, however deep, and functions that compute one."""
    if isinstance(value, Linked) and value.function:
        yield value.function
    if is_object(value):
        yield str(value["class_path"])
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        yield from class_paths(child)


def links_in(value: Any) -> Iterator[Linked]:
    """What is computed of a value, however deep."""
    if isinstance(value, Linked):
        yield value
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        yield from links_in(child)


def described_class(value: Any) -> str:
    """The path of the class that a value of the spec's describes an object of, or names; empty: it does neither."""
    if isinstance(value, str):
        return value if is_path(value) else ""
    return str(value["class_path"]) if is_object(value) else ""


def is_path(text: str) -> bool:
    """Whether a text looks like the path of a class or a function."""
    parts = text.split(".")
    return len(parts) > 1 and all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)


def is_text(code: str) -> bool:
    """Whether code is a text that stands there."""
    try:
        return isinstance(ast.literal_eval(code), str)
    except (ValueError, SyntaxError):
        return False


def typed(name: str, value: Any, parameter: Parameter, names: Names) -> str:
    """The value of the argument `name` as code. Raises Wrong where its annotation or its default rules it out."""
    kinds = [_of_default(kind, parameter.default) for kind in kinds_of(parameter.annotation)]
    try:
        code = _Typed(names).code(value, kinds)
    except _NoneOfThese:
        is_known = all(_values_of(kind) is not None for kind in kinds if known_name(kind) == "Literal")
        say = messages.wrong_type if is_known else messages.literal_unknown
        raise Wrong(say, name, parameter.written) from None
    if parameter.described and any(known_name(kind) not in KNOWN - CALLED for kind in kinds):
        _check_default(name, value, parameter.described, names)
    return code


def _values_of(kind: ast.expr) -> list[Any] | None:
    """Those of a `Literal`; None: code computes them."""
    try:
        return [ast.literal_eval(each) for each in types_in(kind)]
    except ValueError:
        return None


def _of_default(kind: ast.expr, default: str) -> ast.expr:
    """The type; of a `Literal` whose values are computed, and of which the default is a text, text."""
    is_open = known_name(kind) == "Literal" and _values_of(kind) is None
    return ast.Name("str") if is_open and is_text(default) else kind


def made_round(first: str, settings: ObjectSettings, names: Names) -> str:
    """The code that makes an object, of which the first argument is given. Raises Wrong."""
    takes = names.signature(settings.class_path)
    takes = takes.after_first if takes else None
    for wrong in wrong_arguments(settings, takes):
        raise wrong
    arguments = ", ".join([first, *_arguments(settings, takes, names)])
    return f"{names.class_name(settings.class_path)}({arguments})"


def _check_default(name: str, value: Any, default: DescribedDefault, names: Names) -> None:
    """Raises Wrong where an object would get arguments of another, the default."""
    if not (path := described_class(value)):
        return
    settings = _settings(value if is_object(value) else {"class_path": path})
    given = {*settings.init_args, *settings.dict_kwargs}
    kept = kept_silently(default, names.whole(path), given, names.signature)
    called, below = path.rpartition(".")[2], ("class_path",) if is_object(value) else ()
    if kept is None:
        raise Wrong(messages.default_unreadable, name, default.path.rpartition(".")[2], called, below=below)
    if kept:
        raise Wrong(messages.default_kept, name, called, kept, below=below)


def _arguments(settings: ObjectSettings, takes: Signature | None, names: Names) -> Iterator[str]:
    """What an object is made with. Raises Wrong where something cannot be taken."""
    for section in SECTIONS:
        for name, value in getattr(settings, section).items():
            try:
                yield f"{name}={typed(name, value, takes[name] if takes else Parameter(), names)}"
            except Wrong as wrong:
                raise wrong.within(section, name) from None


def wrong_arguments(settings: ObjectSettings, takes: Signature | None) -> Iterator[Wrong]:
    """Arguments that the class does not take, or is given twice, and those that it lacks."""
    name = settings.class_path.rpartition(".")[2]
    for each in settings.init_args:
        if each in settings.dict_kwargs:
            yield Wrong(messages.argument_given_twice, each, below=("dict_kwargs", each))
    if takes is None:
        return
    known = [each for each, parameter in takes.parameters.items() if not parameter.by_place]
    for section in SECTIONS:
        for each in getattr(settings, section):
            # as LightningCLI has it, what a constructor does not name belongs into `dict_kwargs`
            is_open = takes.takes_any and (section == "dict_kwargs" or not takes.hands_on)
            if each not in known and not is_open:
                yield Wrong(messages.unknown_init_argument, name, each, known, below=(section, each))
    given = {*settings.init_args, *settings.dict_kwargs}
    for each, parameter in takes.parameters.items():
        if not parameter.default and each not in given:
            yield Wrong(messages.missing_object_argument, name, each, below=("class_path",))


# ---- values ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Typed:
    names: Names

    def code(self, value: Any, kinds: list[ast.expr]) -> str:
        """The value as one of the kinds, the first that takes it. Raises _NoneOfThese."""
        if isinstance(value, Linked):
            return self.names.linked(value)
        if isinstance(value, Description):
            return _literal(value.value)
        if isinstance(value, AtRun):
            return self._at_run(value, kinds)
        if value is None or not kinds:
            return self.plain(value)
        if isinstance(value, str) and any(known_name(kind) in TEXT for kind in kinds):
            kinds = [kind for kind in kinds if not self._is_class(kind)]  # text before the name of a class
        for kind in kinds:
            try:
                return self._of_kind(value, kind)
            except _NoneOfThese:
                continue
        raise _NoneOfThese

    def _at_run(self, value: AtRun, kinds: list[ast.expr]) -> str:
        """The text, or what is read of it. Raises Wrong."""
        read = value.code(self.names.class_name)
        kind = known_name(kinds[0]) if kinds else ""
        if isinstance(value, FromCode) and kind != "str":
            raise _untyped(value)
        if kind == "Path" and len(kinds) == 1:
            return f"{self.names.class_name('pathlib.Path')}({read})"
        if kind in NUMBERS - {"bool", "complex"} and len(kinds) == 1:
            return f"{kind}({read})"
        if kind != "str":
            raise _untyped(value)
        return read

    def plain(self, value: Any) -> str:
        """The value as it is."""
        if isinstance(value, Linked):
            return self.names.linked(value)
        return self._object(value) if is_object(value) else _literal(value, self.plain)

    def _of_kind(self, value: Any, kind: ast.expr) -> str:
        name = known_name(kind)
        if is_object(value) and name in MAPPINGS:
            return _literal(value)
        if is_object(value):
            return self._object(value, is_factory=_makes(kind, str(value["class_path"])))
        if name in ANY:
            return self.plain(value)
        if name == "Literal":
            return self._one_of(value, _values_of(kind) or [])
        if isinstance(value, list):
            return self._listed(value, kind)
        if isinstance(value, Mapping):
            return self._mapping(value, kind)
        return self._text(value, kind) if isinstance(value, str) else self._number(value, kind)

    def _one_of(self, value: Any, values: Iterable[Any]) -> str:
        return repr(value) if value in values else _refuse()

    def _number(self, value: Any, kind: ast.expr) -> str:
        name = known_name(kind)
        if name == "float" and type(value) is int:
            return f"{value}.0"
        is_known = name in KNOWN or self._is_class(kind)
        # annotations say `int` of what has a float's default: numbers go as they are
        return self.plain(value) if name in NUMBERS or not is_known else _refuse()

    def _listed(self, value: list[Any], kind: ast.expr) -> str:
        name, types = known_name(kind), types_in(kind)
        if name not in LISTS | TUPLES | SETS:
            return _refuse() if name in KNOWN or self._is_class(kind) else self.plain(value)
        is_row = name in TUPLES and bool(types) and ast.unparse(types[-1]) != "..."
        if is_row and len(types) != len(value):
            _refuse()
        kinds = [
            list(alternatives(types[place if is_row else 0])) if types else [] for place in range(len(value))
        ]
        items = [self.code(item, each) for item, each in zip(value, kinds, strict=True)]
        if name in TUPLES:
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if name in SETS:
            return "{" + ", ".join(items) + "}" if items else "set()"
        return f"[{', '.join(items)}]"

    def _mapping(self, value: Mapping[Any, Any], kind: ast.expr) -> str:
        name, types = known_name(kind), types_in(kind)
        if name not in MAPPINGS:
            return self._record(value, kind) if name not in KNOWN else _refuse()
        inner = list(alternatives(types[1])) if len(types) == 2 else []
        items = (f"{self.plain(key)}: {self.code(item, inner)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"

    def _record(self, value: Mapping[Any, Any], kind: ast.expr) -> str:
        """An object of a dataclass, whose fields the mapping says; what is of no known class stays a mapping."""
        if not self._is_class(kind):
            return self.plain(value)
        path = whole_name(kind)
        takes = self.names.signature(path)
        return (
            self._object({"class_path": path, "init_args": value})
            if takes and takes.is_dataclass
            else _refuse()
        )

    def _text(self, value: str, kind: ast.expr) -> str:
        name, whole = known_name(kind), whole_name(kind)
        if name == "Path":
            return f"{self.names.class_name('pathlib.Path')}({value!r})"
        if name == "timedelta":
            return self._length(value)
        if name in CALLED | CLASSES:
            return self._called(value, kind)
        if (members := self.names.members(whole)) is not None:
            return f"{self.names.class_name(whole)}.{value}" if value in members else _refuse()
        if self._is_class(kind):
            return self._object({"class_path": value}) if is_path(value) else _refuse()
        return repr(value) if name in TEXT or name not in KNOWN else _refuse()

    def _called(self, value: str, kind: ast.expr) -> str:
        """A class or a function, by its path; where what is called is wanted, an object of the class."""
        if not is_path(value):
            return _refuse()
        if known_name(kind) in CALLED and value.rpartition(".")[2][0].isupper():
            return self._object({"class_path": value}, is_factory=_makes(kind, value))
        return self.names.class_name(value)

    def _length(self, value: str) -> str:
        found = _LENGTH.fullmatch(value)
        if found is None:
            return _refuse()
        given = ((unit, float(count)) for unit, count in found.groupdict().items() if count)
        units = ", ".join(f"{unit}={count:g}" for unit, count in given if count)
        return f"{self.names.class_name('datetime.timedelta')}({units})"

    def _is_class(self, kind: ast.expr) -> bool:
        return not known_name(kind) and self.names.is_class(whole_name(kind))

    def _object(self, value: Mapping[str, Any], is_factory: bool = False) -> str:
        """The object, or what makes it when it is called. Raises Wrong."""
        settings = _settings(value)
        takes = self.names.signature(settings.class_path)
        if not is_factory:
            for wrong in wrong_arguments(settings, takes):
                raise wrong
        given = _arguments(settings, takes, self.names)
        name = self.names.class_name(settings.class_path)
        if is_factory:
            return f"{self.names.class_name('functools.partial')}({', '.join([name, *given])})"
        return f"{name}({', '.join(given)})"


def _literal(value: Any, inside: Callable[[Any], str] | None = None) -> str:
    """The value, of which the parts are what `inside` makes of them."""
    inside = inside or _literal
    if isinstance(value, AtRun):
        raise _untyped(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(map(inside, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inside(key)}: {inside(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _untyped(value: AtRun) -> Wrong:
    """What becomes of a text depends on what it is when the script runs."""
    if isinstance(value, FromCode):
        return Wrong(messages.cli_unread)
    return Wrong(messages.environment_untyped, value.text)


def _settings(value: Mapping[str, Any]) -> ObjectSettings:
    try:
        return ObjectSettings.model_validate({key: each for key, each in value.items() if each is not None})
    except ValidationError:
        raise Wrong(messages.object_badly_described) from None


def _makes(kind: ast.expr, path: str) -> bool:
    """Whether what is wanted is to make the object, not the object itself."""
    if known_name(kind) in FACTORIES:
        return True
    if known_name(kind) != "Callable":
        return False
    types = types_in(kind)
    if not types:  # an optimizer is no object that can be called
        return path.startswith("torch.optim.")
    return whole_name(types[-1]).rpartition(".")[2] not in PLAIN_RESULTS


def _refuse() -> str:
    raise _NoneOfThese


_LENGTH = re.compile(
    r"(?:(?P<days>-?\d+) days?, )?(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+(?:\.\d+)?)"
)
