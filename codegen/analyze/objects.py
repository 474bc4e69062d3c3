"""Values of the spec's `init_args` as expressions, with the imports that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..definitions import Import
from ..project import Project
from ..spec_values import arguments_of, expression, is_object


@dataclass
class ObjectWriter:
    """Writes expressions, and notes what they import."""

    project: Project
    imports: list[Import] = field(default_factory=list)

    def code(self, value: Any, is_factory: bool = False) -> str:
        """The value as an expression; of a factory, what makes the object when it is called."""
        return self._factory(value) if is_factory and is_object(value) else expression(value, self._class)

    def _factory(self, value: Mapping[str, Any]) -> str:
        name = self._class(str(value["class_path"]))
        arguments = (f"{key}={self.code(item)}" for key, item in arguments_of(value).items())
        self.imports.append(Import("partial", "functools", "partial"))
        return f"partial({', '.join([name, *arguments])})"

    def _class(self, path: str) -> str:
        module, _, name = path.rpartition(".")
        if path in self.project.named:
            return self.project.named[path]
        if not module or any(name in statement.names for statement in self.project.statements):
            return name
        self.imports.append(Import(name, module, name))
        return name
