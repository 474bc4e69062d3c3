"""Values of the spec's `init_args` as expressions, with the imports that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..definitions import Import
from ..project import Class, Project
from ..spec_values import ENUMERATIONS
from .parameters import parameters


@dataclass
class SpecNames:
    """What classes are called in the script; notes what has to be imported."""

    project: Project
    imports: list[Import] = field(default_factory=list)

    def class_name(self, path: str) -> str:
        """The name of the class at a dotted path."""
        module, _, name = path.rpartition(".")
        if path in self.project.named:
            return self.project.named[path]
        if path in self.project.kept:
            self.imports.append(self.project.kept[path])
            return self.project.kept[path].name
        if not module or any(name in statement.names for statement in self.project.statements):
            return name
        self.imports.append(Import(name, module, name))
        return name

    def enum_name(self, annotation: str) -> str | None:
        """The name of the project's enumeration that an annotation means, if it means one."""
        return annotation if ENUMERATIONS & self._bases(annotation) else None

    def is_object(self, annotation: str) -> bool:
        """Whether an annotation means a class of the project's that no mapping stands for."""
        return annotation in self.project.classes and "TypedDict" not in self._bases(annotation)

    def inside(self, path: str) -> tuple[Mapping[str, str], SpecNames]:
        """The annotations of what the class at a path is made with; names mean the same everywhere in a script."""
        cls = self.project.classes.get(path)
        own = {each.name: each.annotation for each in parameters(cls)} if cls else {}
        return self.project.constructors.get(path, own), self

    def _bases(self, annotation: str) -> set[str]:
        cls: Class | None = self.project.classes.get(annotation)
        bases = (each for each in cls.resolution_order if isinstance(each, str)) if cls else ()
        return {each.rpartition(".")[2] for each in bases}
