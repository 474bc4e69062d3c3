"""Which of the file's functions a call runs, and what a variable or an attribute that is called holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import libcst as cst
import libcst.matchers as m

from ..project import Class, Project
from .bindings import bindings


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: in a function, which may be a method."""

    project: Project
    function: cst.FunctionDef
    cls: Class | None = None  # the class of what `self` is
    seen: frozenset[object] = field(default_factory=frozenset)

    def past(self, place: object) -> Scope:
        """The same, where `place` is not to be looked into again."""
        return replace(self, seen=self.seen | {place})

    def into(self, function: cst.FunctionDef, cls: Class | None = None) -> Scope:
        return replace(self, function=function, cls=cls)

    @property
    def self_name(self) -> str:
        parameters = [*self.function.params.posonly_params, *self.function.params.params]
        return parameters[0].name.value if self.cls and parameters else ""

    def binds(self, name: str) -> bool:
        """Whether the name is one of the function's own variables."""
        return any(bindings(self.function, cst.Name(name)))


def function_called(scope: Scope, called: cst.BaseExpression) -> Scope | None:
    """The function of the file's that a call runs: a function, a method, or an object's `forward`."""
    if scope.cls and m.matches(called, m.Name(scope.self_name)):
        return _method(scope, scope.cls, scope.cls.lineage, ("forward",))
    if isinstance(called, cst.Name):
        node = None if scope.binds(called.value) else _definition(scope.project, called.value)
        return scope.into(node) if isinstance(node, cst.FunctionDef) else None
    if isinstance(called, cst.Call) and isinstance(called.func, cst.Name):
        cls = scope.project.classes.get(called.func.value)
        return _method(scope, cls, cls.lineage, ("__call__", "forward")) if cls else None
    if scope.cls is None or not isinstance(called, cst.Attribute):
        return None
    if m.matches(called.value, m.Name(scope.self_name)):
        return _method(scope, scope.cls, scope.cls.lineage, (called.attr.value,))
    if m.matches(called.value, m.Call(func=m.Name("super"))):
        return _method(scope, scope.cls, _bases(scope, scope.cls), (called.attr.value,))
    return None


def _definition(project: Project, name: str) -> cst.CSTNode | None:
    """The one statement that binds a name of the file's."""
    nodes = [statement.node for statement in project.statements if name in statement.names]
    return nodes[0] if len(nodes) == 1 else None


def _bases(scope: Scope, cls: Class) -> tuple[Class, ...]:
    """Those parts of a class in which `super()` looks, in a method of the scope's."""
    owners = [scope.function in part.own_methods.values() for part in cls.lineage]
    return cls.lineage[owners.index(True) + 1 :] if True in owners else ()


def _method(scope: Scope, cls: Class, lineage: Iterable[Class], names: tuple[str, ...]) -> Scope | None:
    methods = (part.own_methods.get(name) for name in names for part in lineage)
    method = next(filter(None, methods), None)
    return scope.into(method, cls) if method else None


def values_held(
    scope: Scope, holder: cst.BaseExpression
) -> Iterator[tuple[Scope, cst.BaseExpression | None]]:
    """What is ever assigned to a variable or to an attribute of `self`; None: something that is not seen."""
    for place, within, name in _places(scope, holder):
        for binding in bindings(within, name):
            yield place, binding.value if binding.index is None else None


def _places(
    scope: Scope, holder: cst.BaseExpression
) -> Iterator[tuple[Scope, cst.CSTNode, cst.BaseExpression]]:
    """Where something may be assigned to it, and as what."""
    if isinstance(holder, cst.Name):
        local = scope.binds(holder.value)
        node = scope.function if local else _definition(scope.project, holder.value)
        if node:
            yield scope, node, holder
    elif scope.cls and m.matches(holder, m.Attribute(value=m.Name(scope.self_name))):
        name = cst.ensure_type(holder, cst.Attribute).attr
        for part in scope.cls.lineage:
            for method in part.own_methods.values():
                inside = scope.into(method, scope.cls)
                yield inside, method, cst.Attribute(cst.Name(inside.self_name), name)
            for statement in part.node.body.body:
                if isinstance(statement, cst.SimpleStatementLine):
                    yield scope, statement, name
