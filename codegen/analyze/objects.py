"""What the spec's values need to know of classes, once all modules are one."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst
import libcst.matchers as m

from ..definitions import Import
from ..project import Class, Project, SpecClass
from ..signature import ENUMERATIONS, Parameter, Signature, with_whole_names
from .parameters import parameters

OWN = "own"
"""Stands for the module of the user's classes."""


@dataclass
class SpecNames:
    """What classes are called in the script; notes what has to be imported."""

    project: Project
    imports: list[Import] = field(default_factory=list)

    def class_name(self, path: str) -> str:
        """The name of the class at a dotted path."""
        module, _, name = path.rpartition(".")
        if module == OWN:
            return name
        found = self.project.spec_classes.get(path, SpecClass())
        if found.name:
            self.imports += [found.kept] if found.kept else []
            return found.name
        if not module or any(name in statement.names for statement in self.project.statements):
            return name
        self.imports.append(Import(name, module, name))
        return name

    def members(self, path: str) -> frozenset[str] | None:
        """Those of the user's enumeration at a path; None: it is none."""
        cls = self._class(path)
        if cls is None or not ENUMERATIONS & self._bases(cls):
            return None
        targets = (
            each.target
            for each in m.findall(cls.node.body, m.AssignTarget(m.Name()))
            if isinstance(each, cst.AssignTarget)
        )
        return frozenset(target.value for target in targets if isinstance(target, cst.Name))

    def is_class(self, path: str) -> bool:
        """Whether a path is that of a class, of which objects can be described; a library's, by its looks."""
        module, _, name = path.rpartition(".")
        if module != OWN:
            return bool(module) and name[:1].isupper()
        cls = self._class(path)
        return cls is not None and "TypedDict" not in self._bases(cls)

    def signature(self, path: str) -> Signature | None:
        """What the class at a path of the spec's is made with; None: that is not known."""
        return self.project.spec_classes.get(path, SpecClass()).constructor

    def parameter(self, cls: Class, name: str) -> Parameter:
        """A parameter of the constructor of a class of the user's."""
        written = next((each.annotation for each in parameters(cls) if each.name == name), "")
        return Parameter(with_whole_names(written, self._meaning), written=written)

    def _meaning(self, dotted: str) -> str:
        name = dotted.partition(".")[0]
        if name in self.project.classes:
            return f"{OWN}.{dotted}"
        if any(name in statement.names for statement in self.project.statements):
            return "object"  # a variable, which may be any type
        return self.project.qualified(cst.parse_expression(dotted)) or dotted

    def _class(self, path: str) -> Class | None:
        module, _, name = path.rpartition(".")
        return self.project.classes.get(name) if module == OWN else None

    def _bases(self, cls: Class) -> set[str]:
        return {each.rpartition(".")[2] for each in cls.resolution_order if isinstance(each, str)}
