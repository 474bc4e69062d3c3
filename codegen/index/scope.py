"""Scopes, the variables in them, what binds these and what uses them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import libcst as cst

ScopeKind = Literal["module", "class", "function", "lambda", "comprehension", "types"]


@dataclass(frozen=True, eq=False)
class Binding:
    """One place where a variable is bound."""

    node: cst.Name  # that is bound
    by: cst.CSTNode
    """An Assign, AnnAssign, AugAssign, NamedExpr, For, CompFor, WithItem, ExceptHandler, Param, ImportAlias,
    FunctionDef, ClassDef, Del, a pattern of a `match`, or a type parameter."""
    variable: Variable

    @property
    def name(self) -> str:
        return self.node.value

    @property
    def uses(self) -> list[cst.Name]:
        """Where the variable is read."""
        return self.variable.uses


@dataclass(frozen=True, eq=False)
class Variable:
    """A name in a scope; one without bindings is a builtin, comes of a star import, or is undefined."""

    name: str
    scope: Scope
    bindings: list[Binding] = field(default_factory=list)
    uses: list[cst.Name] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Scope:
    """A stretch of code with variables of its own."""

    kind: ScopeKind
    node: cst.CSTNode | None  # what opens it; None: the module's
    parent: Scope | None
    private: str = ""  # the class, whose name `__name` takes on in it
    variables: dict[str, Variable] = field(default_factory=dict)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)  # in its own code
    stars: list[cst.ImportFrom] = field(default_factory=list)  # `from module import *`

    def bindings(self, name: str) -> list[Binding]:
        """What binds one of its own variables, from inner scopes too; empty: it has no such variable."""
        variable = self.variables.get(name)
        return variable.bindings if variable else []

    def variable(self, name: str) -> Variable:
        """Its own variable of this name, which is made where there is none."""
        if name not in self.variables:
            self.variables[name] = Variable(name, self)
        return self.variables[name]

    def lookup(self, name: str) -> Variable:
        """The variable that a name stands for in this scope."""
        return self._owner(name).variable(name)

    @property
    def is_function(self) -> bool:
        return self.kind in ("function", "lambda", "comprehension", "types")

    @property
    def module(self) -> Scope:
        return self.parent.module if self.parent else self

    @property
    def function(self) -> cst.FunctionDef | None:
        """The function whose code it is part of."""
        if isinstance(self.node, cst.FunctionDef) and self.kind == "function":
            return self.node
        return self.parent.function if self.parent else None

    @property
    def cls(self) -> cst.ClassDef | None:
        """The class whose code it is part of, in methods too."""
        if isinstance(self.node, cst.ClassDef) and self.kind == "class":
            return self.node
        return self.parent.cls if self.parent else None

    def mangled(self, name: str) -> str:
        """`_Class__name`, as Python reads `__name` in a class."""
        if self.private and name.startswith("__") and not name.endswith("__"):
            return f"_{self.private.lstrip('_')}{name}"
        return name

    def _owner(self, name: str) -> Scope:
        if name in self.declared_global:
            return self.module
        if name in self.declared_nonlocal:
            return self._enclosing(name)
        return self if name in self.bound else self._enclosing(name)

    def _enclosing(self, name: str) -> Scope:
        """The scope further out in which a name is looked up; those of classes are passed over."""
        scope = self.parent
        while scope and scope.parent:
            if scope.is_function:
                if name in scope.declared_global:
                    return scope.module
                if name in scope.bound and name not in scope.declared_nonlocal:
                    return scope
            scope = scope.parent
        return self.module
