"""The spec's values as expressions: plain ones, and objects that `class_path` and `init_args` describe."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..definitions import Import
from ..project import Project

OBJECT_KEYS = {"class_path", "init_args"}


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


@dataclass
class ObjectWriter:
    """Writes expressions, and notes what they import."""

    project: Project
    imports: list[Import] = field(default_factory=list)

    def code(self, value: Any, is_factory: bool = False) -> str:
        """The value as an expression; of a factory, what makes the object when it is called."""
        if is_object(value):
            return self._object(value, is_factory)
        if isinstance(value, float) and not math.isfinite(value):
            return f'float("{value}")'
        if isinstance(value, list):
            return f"[{', '.join(map(self.code, value))}]"
        if isinstance(value, dict):
            items = (f"{self.code(key)}: {self.code(item)}" for key, item in value.items())
            return "{" + ", ".join(items) + "}"
        return repr(value)

    def _object(self, value: Mapping[str, Any], is_factory: bool) -> str:
        name = self._class(str(value["class_path"]))
        arguments = [f"{key}={self.code(item)}" for key, item in (value.get("init_args") or {}).items()]
        if is_factory:
            self.imports.append(Import("partial", "functools", "partial"))
            return f"partial({', '.join([name, *arguments])})"
        return f"{name}({', '.join(arguments)})"

    def _class(self, path: str) -> str:
        module, _, name = path.rpartition(".")
        if not module or any(name in statement.names for statement in self.project.statements):
            return name
        self.imports.append(Import(name, module, name))
        return name
