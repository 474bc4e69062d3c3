"""What is handed to `fit` in the place of loaders: a data module, which a function or a class method may make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ..index import patterns as m
from ..ir.project import Class, Project
from .data import COLLECTIONS
from .literals import code_of
from .main_names import Names, name_of, nodes_of, step
from .resolve import Found, returned_values, stands_for


@dataclass(frozen=True)
class GivenData:
    """Follows expressions to what they are made by. A place is the class in whose method an expression stands."""

    project: Project
    names: Names

    def class_of(self, value: cst.BaseExpression) -> str | None:
        """The data module's class that an expression is an object of, where all that it may be says so."""
        found = {self._class(owner, each) for owner, each in self._made(value)}
        return found.pop() if len(found) == 1 else None

    def may_be_data(self, value: cst.BaseExpression) -> bool:
        """Whether it may be a data module for all that can be read: it comes of such a class, or is kept with one."""
        return any(self._names_data(each) for _, each in self._made(value) if not _is_loader(each))

    def _made(self, value: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression]]:
        return stands_for("", value, self._step)

    def _step(self, owner: str, node: cst.BaseExpression) -> Found[str] | None:
        if isinstance(node, cst.Call) and (called := list(self._called(owner, node.func))):
            return [(cls, value) for cls, function in called for value in self._results(cls, function)]
        values = self.names.get(name_of(node))
        if values is None:
            return None
        # a class method's own variable may have the name of one that is meant here
        return [(owner, value) for value in values if owner or not _is_own(value)]

    # ---- functions ---------------------------------------------------------------------------------------

    def _called(self, owner: str, func: cst.BaseExpression) -> Iterator[tuple[str, cst.FunctionDef]]:
        """The functions and methods that a call may run, each with the class that it is a method of."""
        name = code_of(func).rpartition(".")[2]
        if isinstance(func, cst.Name):
            functions = nodes_of(cst.FunctionDef, (each.node for each in self.project.statements))
            yield from ((owner, each) for each in functions if each.name.value == name)
        elif isinstance(func, cst.Attribute):
            holders = self._holders(owner, func.value)
            yield from ((cls.name, cls.methods[name]) for cls in holders if name in cls.methods)

    def _holders(self, owner: str, value: cst.BaseExpression) -> list[Class]:
        """The project's classes that an expression may be, or be an object of; all, where that cannot be told."""
        classes = self.project.classes
        if m.matches(value, m.Name("cls") | m.Name("self")) and owner:
            return [classes[owner]]
        # by name alone: `x = x.copy()` would be followed without an end
        made = [value, *(each for _, each in stands_for(self.names, value, step))]
        named = [code_of(each.func) if isinstance(each, cst.Call) else code_of(each) for each in made]
        return [classes[name] for name in named if name in classes] or list(classes.values())

    # ---- what they return --------------------------------------------------------------------------------

    def _results(self, owner: str, function: cst.FunctionDef) -> list[cst.BaseExpression]:
        """What a function returns, or what makes an object of the type that it says."""
        said = cst.Call(function.returns.annotation) if function.returns else None
        if said and self._class(owner, said):
            return [said]
        return [value for value in returned_values(function) if value]

    def _class(self, owner: str, value: cst.BaseExpression) -> str | None:
        if not isinstance(value, cst.Call):
            return None
        cls = self.project.classes.get(owner if _is_own(value) else code_of(value.func).strip("\"'"))
        return cls.name if cls and cls.kind == "data" else None

    def _names_data(self, value: cst.BaseExpression) -> bool:
        """Whether a data module's class is named in it, or in what its variables hold."""
        named = [code_of(node) for node in nodes_of(cst.Name, [value])]
        held = [
            node for name in named for each in self.names.get(name, ()) for node in nodes_of(cst.Name, [each])
        ]
        classes = (self.project.classes.get(name) for name in [*named, *map(code_of, held)])
        return any(cls is not None and cls.kind == "data" for cls in classes)


def _is_own(value: cst.BaseExpression) -> bool:
    """Whether an expression makes an object of the class in whose method it stands."""
    return m.matches(value, m.Call(func=m.Name("cls") | m.Name("Self")))


def _is_loader(value: cst.BaseExpression) -> bool:
    """Whether an expression makes loaders, by its form or by the name of what it calls."""
    if not isinstance(value, cst.Call):
        return isinstance(value, COLLECTIONS)
    return code_of(value.func).lower().endswith(("dataloader", "combinedloader"))
