"""Definitions that a decorator, a metaclass or a base notes, so that importing their module does something."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...source.definitions import Import
from ...source.execution import SUBCLASSES, execution, notes_classes, notes_subclasses
from ..modules.graph import Definition, External, Graph, ModuleReference, Target
from ..modules.module import Chunk, Module


def metaclasses_written(node: ast.ClassDef) -> list[ast.expr]:
    """What a class says that it is made by."""
    return [each.value for each in node.keywords if each.arg == "metaclass"]


def noting(
    graph: Graph, module: Module, node: ast.ClassDef, below: tuple[ast.ClassDef, ...] = ()
) -> Iterator[Definition]:
    """The metaclasses that note a class, of those that make it or one of its bases, and the bases that do."""
    for each in definitions_called(graph, module, metaclasses_written(node)):
        yield from (part for part in lineage(graph, each) if any(map(notes_classes, classes_of(part))))
    for base in definitions_called(graph, module, node.bases):
        if any(map(notes_subclasses, classes_of(base))):
            yield base
        for cls in classes_of(base):
            if cls not in (*below, node):
                yield from noting(graph, base.module, cls, (*below, node))


def lineage(graph: Graph, cls: Definition, seen: frozenset[Definition] = frozenset()) -> Iterator[Definition]:
    """A class, and those of its bases that are the project's."""
    if cls not in seen:
        yield cls
        for base in definitions_called(
            graph, cls.module, [base for node in classes_of(cls) for base in node.bases]
        ):
            yield from lineage(graph, base, seen | {cls})


def classes_of(definition: Definition) -> list[ast.ClassDef]:
    chunks = definition.module.binders[definition.name]
    return [node for chunk in chunks for node in chunk.nodes if isinstance(node, ast.ClassDef)]


def definitions_called(graph: Graph, module: Module, nodes: Iterable[ast.expr]) -> Iterator[Definition]:
    """The project's definitions that expressions name."""
    for dotted in (ast.unparse(each) for each in nodes if isinstance(each, ast.Name | ast.Attribute)):
        head, *rest = dotted.split(".")
        if found := definition_at(graph, graph.resolve(module, head), rest):
            yield found


def definition_at(graph: Graph, target: Target | None, rest: Iterable[str]) -> Definition | None:
    """The project's definition that a name's target leads to, with the attributes behind the name."""
    if isinstance(target, External) and target.bound.is_local:
        return _defined(graph, ".".join((target.bound.target, *rest)))
    if isinstance(target, ModuleReference):
        return _defined(graph, ".".join((target.name, *rest)))
    return target if isinstance(target, Definition) else None


def _defined(graph: Graph, dotted: str, seen: frozenset[str] = frozenset()) -> Definition | None:
    """What a dotted name of the project's leads to, through modules that import it."""
    source, _, name = dotted.rpartition(".")
    module = graph.module(source) if source else None
    target = graph.resolve(module, name) if module else None
    if isinstance(target, External) and target.bound.is_local and dotted not in seen:
        return _defined(graph, target.bound.target, seen | {dotted})
    return target if isinstance(target, Definition) else None


# ---- outside the script ----------------------------------------------------------------------------------

REGISTERS = re.compile("regist|custom_op", re.IGNORECASE)
"""What the names of a library's decorators have that keep what they decorate."""

CHANGING = sys.stdlib_module_names | frozenset(
    "attr attrs beartype deprecated jaxtyping lightning pydantic pytorch_lightning typing_extensions".split()
)
"""Packages whose decorators but change a class, unless they are called as those that keep one."""


def is_known_elsewhere(graph: Graph, module: Module, chunk: Chunk) -> bool:
    """Whether modules that stay, or libraries, may know of what a statement defines."""
    return any(map(_Elsewhere(graph, module).notes, chunk.nodes))


@dataclass(frozen=True)
class _Elsewhere:
    """What modules that stay have been told of, and libraries, of what a module defines."""

    graph: Graph
    module: Module

    def notes(self, node: ast.stmt) -> bool:
        """Whether they may know of what a statement defines."""
        is_class = isinstance(node, ast.ClassDef)
        if any(self._is_told_by(each, is_class) for each in getattr(node, "decorator_list", [])):
            return True
        return isinstance(node, ast.ClassDef) and any(
            self._is_told_of(part)
            for base in (*node.bases, *metaclasses_written(node))
            for found in self._defined(base)
            for part in lineage(self.graph, found)
        )

    def _is_told_by(self, decorator: ast.expr, is_of_class: bool) -> bool:
        """Whether a decorator does more than to wrap or to change what it decorates."""
        is_called = isinstance(decorator, ast.Call)
        head = decorator.func if isinstance(decorator, ast.Call) else decorator
        path = self._path(head)
        if path is None:
            return False
        if not path.is_local:
            is_unknown = is_of_class and path.module.partition(".")[0] not in CHANGING
            return is_unknown or REGISTERS.search(path.target) is not None
        functions = [
            node
            for found in self._defined(head)
            for chunk in found.module.binders[found.name]
            for node in chunk.nodes
        ]
        use = "called" if is_called else "as it is"
        return not functions or any(execution(ast.unparse(each)).decorates != use for each in functions)

    def _is_told_of(self, base: Definition) -> bool:
        """Whether a base, or a metaclass, is told of the classes that derive from it, or asked for them."""
        told = any(notes_classes(each) or notes_subclasses(each) for each in classes_of(base))
        return told or SUBCLASSES in base.module.text

    def _defined(self, node: ast.expr) -> Iterator[Definition]:
        path = self._path(node)
        found = _defined(self.graph, path.target) if path and path.is_local else None
        if found is not None:
            yield found

    def _path(self, node: ast.expr) -> Import | None:
        """What a name, or one with dots, is imported as."""
        head, *rest = ast.unparse(node).split(".") if isinstance(node, ast.Name | ast.Attribute) else [""]
        target = self.graph.resolve(self.module, head)
        if not isinstance(target, External):
            return None
        bound = target.bound
        return Import(head, ".".join((bound.target, *rest)), is_local=bound.is_local)
