"""The spec's values as code of the types that annotations ask for, as LightningCLI turns them.

Objects are what `class_path` and `init_args` describe.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

OBJECT_KEYS = {"class_path", "init_args", "dict_kwargs"}

LISTS = frozenset("list List Sequence Iterable Collection MutableSequence".split())
TUPLES = frozenset("tuple Tuple".split())
SETS = frozenset("set Set frozenset FrozenSet".split())
MAPPINGS = frozenset("dict Dict Mapping MutableMapping".split())
CALLED = frozenset("Callable OptimizerCallable LRSchedulerCallable".split())
CLASSES = frozenset("type Type".split())
NUMBERS = frozenset("bool int float".split())
TEXT = frozenset("str Literal".split())
ENUMERATIONS = frozenset("Enum IntEnum StrEnum Flag IntFlag".split())
KNOWN = LISTS | TUPLES | SETS | MAPPINGS | CALLED | CLASSES | NUMBERS | TEXT | {"timedelta"}


class Names(Protocol):
    """What classes are called where the code is to stand."""

    def class_name(self, path: str) -> str:
        """The name of the class at a dotted path."""

    def enum_name(self, annotation: str) -> str | None:
        """The name of the project's enumeration that an annotation means, if it means one."""

    def is_object(self, annotation: str) -> bool:
        """Whether an annotation means a class of the project's that no mapping stands for."""

    def inside(self, path: str) -> tuple[Mapping[str, str], Names]:
        """The annotations of what the class at a path is made with, and what names mean there."""


class WrongType(ValueError):
    """A value that a parameter does not take."""


def is_object(value: Any) -> bool:
    """Whether a value of the spec describes an object."""
    return isinstance(value, Mapping) and "class_path" in value and value.keys() <= OBJECT_KEYS


def class_paths(value: Any) -> Iterator[str]:
    """The classes that a value of the spec names, however deep."""
    if is_object(value):
        yield str(value["class_path"])
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        yield from class_paths(child)


def typed(value: Any, annotation: str, names: Names) -> str:
    """The value as code. Raises WrongType where the annotation rules it out."""
    return _Typed(names).code(value, _kinds(annotation))


def _kinds(annotation: str) -> list[ast.expr]:
    """The types that an annotation allows; none: any."""
    try:
        return list(_alternatives(ast.parse(annotation, mode="eval").body))
    except SyntaxError:
        return []


def _alternatives(node: ast.expr) -> Iterator[ast.expr]:
    """The types of a union, `None` left out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _kinds(node.value)
    elif isinstance(node, ast.BinOp):
        yield from (*_alternatives(node.left), *_alternatives(node.right))
    elif isinstance(node, ast.Subscript) and _name(node) in ("Optional", "Union", "Annotated"):
        inner = _arguments(node)[: 1 if _name(node) == "Annotated" else None]
        yield from (each for part in inner for each in _alternatives(part))
    elif not (isinstance(node, ast.Constant) and node.value is None):
        yield node


def _name(node: ast.expr) -> str:
    """The last part of a type's name, without its own types."""
    bare = node.value if isinstance(node, ast.Subscript) else node
    return ast.unparse(bare).rpartition(".")[2]


def _arguments(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.Subscript):
        return []
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


@dataclass(frozen=True)
class _Typed:
    names: Names

    def code(self, value: Any, kinds: list[ast.expr]) -> str:
        if value is None or not kinds:
            return self._plain(value)
        codes = (self._as(value, kind) for kind in kinds)
        found = next((code for code in codes if code is not None), None)
        if found is None:
            raise WrongType
        return found

    def _plain(self, value: Any) -> str:
        """The value as it is."""
        if is_object(value):
            path, arguments = str(value["class_path"]), self._arguments(value)
            return f"{self.names.class_name(path)}({', '.join(arguments)})"
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        if isinstance(value, list):
            return f"[{', '.join(map(self._plain, value))}]"
        if isinstance(value, Mapping):
            items = (f"{self._plain(key)}: {self._plain(item)}" for key, item in value.items())
            return "{" + ", ".join(items) + "}"
        return repr(value)

    def _arguments(self, value: Mapping[str, Any]) -> list[str]:
        """What an object is made with."""
        annotations, names = self.names.inside(str(value["class_path"]))
        given = {**(value.get("init_args") or {}), **(value.get("dict_kwargs") or {})}
        return [f"{name}={typed(item, annotations.get(name, ''), names)}" for name, item in given.items()]

    def _as(self, value: Any, kind: ast.expr) -> str | None:
        """The value as one of a kind; None: it is none."""
        name = _name(kind)
        if is_object(value):
            return self._factory(value) if name in CALLED else self._plain(value)
        if isinstance(value, list):
            return self._listed(value, kind) if name in KNOWN else self._plain(value)
        if isinstance(value, Mapping):
            return self._mapping(value, kind)
        if isinstance(value, str):
            return self._text(value, kind)
        if name == "float" and type(value) is int:
            return f"{value}.0"
        # a number of another kind is taken for what the user means
        return self._plain(value) if name in NUMBERS | TEXT or name not in KNOWN else None

    def _factory(self, value: Mapping[str, Any]) -> str:
        """What makes the object when it is called."""
        partial, name = map(self.names.class_name, ("functools.partial", str(value["class_path"])))
        return f"{partial}({', '.join([name, *self._arguments(value)])})"

    def _listed(self, value: list[Any], kind: ast.expr) -> str | None:
        name, types = _name(kind), [each for each in _arguments(kind) if ast.unparse(each) != "..."]
        if name not in LISTS | TUPLES | SETS:
            return None
        is_row = name in TUPLES and len(types) == len(value)
        kinds = [
            list(_alternatives(types[place if is_row else 0])) if types else [] for place in range(len(value))
        ]
        items = [self.code(item, each) for item, each in zip(value, kinds, strict=True)]
        if name in TUPLES:
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if name in SETS:
            return "{" + ", ".join(items) + "}" if items else "set()"
        return f"[{', '.join(items)}]"

    def _mapping(self, value: Mapping[Any, Any], kind: ast.expr) -> str | None:
        name, types = _name(kind), _arguments(kind)
        if name not in MAPPINGS:
            is_refused = name in KNOWN or self.names.is_object(ast.unparse(kind))
            return None if is_refused else self._plain(value)
        inner = list(_alternatives(types[1])) if len(types) == 2 else []
        items = (f"{self._plain(key)}: {self.code(item, inner)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"

    def _text(self, value: str, kind: ast.expr) -> str | None:
        name = _name(kind)
        if name == "Path":
            return f"{self.names.class_name('pathlib.Path')}({value!r})"
        if name == "timedelta":
            return self._length(value)
        if name in CALLED | CLASSES:
            return self.names.class_name(value) if is_path(value) else None
        if enum := self.names.enum_name(ast.unparse(kind)):
            return f"{enum}.{value}" if value.isidentifier() else None
        if name in KNOWN:
            return self._plain(value) if name in TEXT else None
        # a class that is not known may also be another name for text
        is_class = is_path(value) and value.rpartition(".")[2][0].isupper() and name[:1].isupper()
        return f"{self.names.class_name(value)}()" if is_class else self._plain(value)

    def _length(self, value: str) -> str | None:
        found = _LENGTH.fullmatch(value)
        if found is None:
            return None
        given = ((unit, float(count)) for unit, count in found.groupdict().items() if count)
        units = ", ".join(f"{unit}={count:g}" for unit, count in given if count)
        return f"{self.names.class_name('datetime.timedelta')}({units})"


_LENGTH = re.compile(
    r"(?:(?P<days>-?\d+) days?, )?(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+(?:\.\d+)?)"
)


def is_path(text: str) -> bool:
    """Whether a text looks like the path of a class or a function."""
    parts = text.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)
