"""What an expression stands for: what the function returns that a call runs, what a variable or an attribute holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import visit
from ..ir.project import Class, Project
from .bindings import bindings

Place = TypeVar("Place")
Found = Sequence[tuple[Place, cst.BaseExpression | None]]
"""Expressions, each with where it is written; None: something that is not seen."""

Step = Callable[[Place, cst.BaseExpression], Found[Place] | None]
"""What an expression stands for, followed no further; None: for itself, as far as can be told."""


def stands_for(
    place: Place, node: cst.BaseExpression, step: Step[Place]
) -> Iterator[tuple[Place, cst.BaseExpression]]:
    """All that an expression may stand for, None left out, each with where it is written.

    Of what is in terms of itself, the rest tells.
    """
    waiting, seen = [(place, node)], set[cst.BaseExpression]()
    while waiting:
        at, each = waiting.pop()
        if each in seen or m.matches(each, m.Name("None")):
            continue
        seen.add(each)
        found = [(at, each.body), (at, each.orelse)] if isinstance(each, cst.IfExp) else step(at, each)
        if found is None or any(value is None for _, value in found):
            yield at, each
        waiting += [(to, value) for to, value in reversed(found or ()) if value is not None]


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


def step(scope: Scope, node: cst.BaseExpression) -> Found[Scope] | None:
    """What an expression of a function's stands for, followed no further."""
    if isinstance(node, cst.Call) and (called := function_called(scope, node.func)):
        return [(called, value) for value in returned_values(called.function) if value]
    return list(values_held(scope, node)) or None


# ---- calls -----------------------------------------------------------------------------------------------


def function_called(scope: Scope, called: cst.BaseExpression) -> Scope | None:
    """The function of the file's that a call runs: a function, a method, or an object's `forward`."""
    if scope.cls and m.matches(called, m.Name(scope.self_name)):
        return _method(scope, scope.cls, "forward")
    if isinstance(called, cst.Name):
        node = None if scope.binds(called.value) else _definition(scope.project, called.value)
        return scope.into(node) if isinstance(node, cst.FunctionDef) else None
    if isinstance(called, cst.Call) and isinstance(called.func, cst.Name):
        cls = scope.project.classes.get(called.func.value)
        return _method(scope, cls, "__call__", "forward") if cls else None
    if scope.cls is None or not isinstance(called, cst.Attribute):
        return None
    if m.matches(called.value, m.Name(scope.self_name)):
        return _method(scope, scope.cls, called.attr.value)
    if m.matches(called.value, m.Call(func=m.Name("super"))):
        return _inherited(scope, scope.cls, called.attr.value)
    return None


def _definition(project: Project, name: str) -> cst.CSTNode | None:
    """The one statement that binds a name of the file's."""
    nodes = [statement.node for statement in project.statements if name in statement.names]
    return nodes[0] if len(nodes) == 1 else None


def _method(scope: Scope, cls: Class, *names: str) -> Scope | None:
    methods = cls.methods
    found = next((methods[name] for name in names if name in methods), None)
    return scope.into(found, cls) if found else None


def _inherited(scope: Scope, cls: Class, name: str) -> Scope | None:
    """The method that `super()` finds in a method of the scope's."""
    owners = [scope.function in part.own_methods.values() for part in cls.lineage]
    behind = cls.lineage[owners.index(True) + 1 :] if True in owners else ()
    found = next((part.own_methods[name] for part in behind if name in part.own_methods), None)
    return scope.into(found, cls) if found else None


def returned_values(function: cst.FunctionDef) -> list[cst.BaseExpression | None]:
    """The values that a function returns, those of functions inside it left out."""
    returns = _Returns()
    visit(function.body, returns)
    return returns.values


class _Returns(cst.CSTVisitor):
    def __init__(self) -> None:
        self.values: list[cst.BaseExpression | None] = []

    def visit_Return(self, node: cst.Return) -> None:
        self.values.append(node.value)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False


# ---- variables and attributes ----------------------------------------------------------------------------


def values_held(
    scope: Scope, holder: cst.BaseExpression
) -> Iterator[tuple[Scope, cst.BaseExpression | None]]:
    """What is ever assigned to a variable or to an attribute of `self`; None: something that is not seen."""
    for place, within, name in _places(scope, holder):
        for binding in bindings(within, name):
            yield place, binding.held


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
                if inside.self_name:
                    yield inside, method, cst.Attribute(cst.Name(inside.self_name), name)
            for statement in part.node.body.body:
                if isinstance(statement, cst.SimpleStatementLine):
                    yield scope, statement, name
