"""What expressions are in code that stores configurations, as objects of this process."""

from __future__ import annotations

import ast
import builtins
import importlib
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, Protocol

from ..cli.known import OPERATORS as ARITHMETIC
from ..modules.graph import Definition, External, Graph, ModuleReference, Target
from ..modules.module import Module

LIBRARIES = frozenset("abc dataclasses enum math omegaconf pathlib types typing typing_extensions".split())
"""Those whose objects are taken as they are: importing them does nothing."""

INSTANCE = "hydra.core.config_store.ConfigStore.instance"
"""What gives hydra's ConfigStore, and stands for that too."""

BUILTINS = frozenset("None Any bool bytes dict float int list object set str tuple".split())

CALLED = frozenset("bool dict float int list set str tuple pathlib.Path omegaconf.II omegaconf.SI".split())
"""What may be called: it gives the same wherever it is."""

DATA = frozenset({"omegaconf.OmegaConf.create", "omegaconf.OmegaConf.structured"})
"""What gives the configuration that it is given."""

OPERATORS = {**ARITHMETIC, ast.Mod: operator.mod}

DEPTH = 40
"""Of names that stand for names; circles end so."""


class Unread(Exception):
    """Why something is not read, in words."""


@dataclass(frozen=True)
class Library:
    """Something of a library's that is but named."""

    path: str


@dataclass(frozen=True)
class Scope:
    """Where names are looked up: in a class or a function, then in its module."""

    module: Module
    names: Mapping[str, object] = field(default_factory=dict)
    depth: int = 0
    is_class: bool = False  # functions that are defined in it do not see its names

    def inner(self, names: Mapping[str, object]) -> Scope:
        return replace(self, names={**self.names, **names})

    def deeper(self, depth: int) -> Scope:
        return replace(self, depth=depth + 1)


@dataclass(frozen=True)
class Function:
    """A function, or a lambda, where it is defined."""

    node: ast.FunctionDef | ast.Lambda
    scope: Scope


class MadeClasses(Protocol):
    """The project's own, made anew."""

    def of(self, module: Module, node: ast.ClassDef) -> type: ...

    def has(self, value: object) -> bool: ...


@dataclass(eq=False)
class Values:
    """Says what expressions are. Raises Unread."""

    graph: Graph
    classes: MadeClasses = field(init=False)

    def known(self, node: ast.expr, scope: Scope) -> Any:
        """The same, of what a configuration may hold."""
        found = self.of(node, scope)
        return found if self.is_known(found) else unread(node)

    def is_known(self, value: object) -> bool:
        """Whether a configuration may hold it, and all of it is known."""
        if isinstance(value, dict):
            return all(map(self.is_known, (*value, *value.values())))
        if isinstance(value, list | tuple):
            return all(map(self.is_known, value))
        is_made = self.classes.has(value) or self.classes.has(type(value))
        return value is None or is_made or isinstance(value, bool | int | float | str | bytes | Path)

    def of(self, node: ast.expr, scope: Scope) -> Any:
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self.named(name, scope)
            case ast.Attribute(owner, name):
                return self._attribute(self.of(owner, scope), name)
            case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
                found = [self.of(each, scope) for each in parts]
                return tuple(found) if isinstance(node, ast.Tuple) else found
            case ast.Dict(keys, values):
                return _computed(dict, self._entries(keys, values, scope))
            case ast.UnaryOp(sign, of) if type(sign) in OPERATORS:
                return _computed(OPERATORS[type(sign)], self.of(of, scope))
            case ast.BinOp(left, sign, right) if type(sign) in OPERATORS:
                return _computed(OPERATORS[type(sign)], self.of(left, scope), self.of(right, scope))
            case ast.JoinedStr(parts):
                return "".join(self._written(each, scope) for each in parts)
            case ast.Lambda():
                return Function(node, Scope(scope.module) if scope.is_class else scope)
            case ast.Call():
                return self._called(node, scope)
        return unread(node)

    def _entries(
        self, keys: list[ast.expr | None], values: list[ast.expr], scope: Scope
    ) -> Iterator[tuple[object, object]]:
        for key, value in zip(keys, values, strict=True):
            found = self.of(value, scope)
            if key is not None:
                yield self.of(key, scope), found
            elif isinstance(found, dict):
                yield from found.items()
            else:
                unread(value)

    def _written(self, node: ast.expr, scope: Scope) -> str:
        match node:
            case ast.Constant(str(text)):
                return text
            case ast.FormattedValue(value, -1, None):
                found = self.of(value, scope)
                return str(found) if type(found) in (str, int, bool) else unread(node)
        return unread(node)

    # ---- names -------------------------------------------------------------------------------------------

    def named(self, name: str, scope: Scope) -> Any:
        if name in scope.names:
            found = scope.names[name]
            if isinstance(found, Unread):
                raise found
            return self.target(found, name, scope.depth) if isinstance(found, Target) else found
        target = self.graph.resolve(scope.module, name)
        if target is None and name in BUILTINS:
            return getattr(builtins, name)
        return self.target(target, name, scope.depth)

    def target(self, target: Target | None, name: str, depth: int = 0) -> Any:
        """What is bound there."""
        if depth > DEPTH or target is None:
            raise Unread(f"what `{name}` is is not known")
        if isinstance(target, External) and target.bound.is_local and target.bound.attribute:
            return self.target(self._in_its_module(target), name, depth + 1)
        if isinstance(target, Definition):
            return self._defined(target, depth + 1)
        if isinstance(target, ModuleReference):
            return target
        bound = self.graph.first_import(target.bound)
        if bound.is_local and bound.attribute is None:
            return ModuleReference(bound.target)
        return library(bound.target)

    def _in_its_module(self, external: External) -> Target | None:
        """What an import from a module of the project's is there: bound in it, or a module below it."""
        source, name = external.bound.module, external.bound.attribute or ""
        module, below = self.graph.module(source), f"{source}.{name}" if source else name
        target = self.graph.resolve(module, name) if module else None
        return target or (ModuleReference(below) if self.graph.module(below) else None)

    def _defined(self, definition: Definition, depth: int) -> Any:
        nodes = [node for chunk in definition.module.binders.get(definition.name, ()) for node in chunk.nodes]
        scope = Scope(definition.module, depth=depth)
        match nodes:
            case [ast.ClassDef() as node]:
                return self.classes.of(definition.module, node)
            case [ast.FunctionDef(decorator_list=[]) as node]:
                return Function(node, scope)
            case [ast.Assign() | ast.AnnAssign()] if definition.assigned is not None:
                return self.kept(definition.name, self.of(definition.assigned, scope))
        raise Unread(f"what `{definition.name}` is is not known")

    def kept(self, name: str, value: Any) -> Any:
        """What a variable is that is set once, if nothing of the project's may change what is in it."""
        is_instance = self.classes.has(type(value)) and not isinstance(value, Enum)
        if (is_instance or isinstance(value, list | dict)) and name in self._changed:
            raise Unread(f"code changes `{name}`")
        return value

    @cached_property
    def _changed(self) -> frozenset[str]:
        """The names of variables of which methods are called, or in which something is set."""
        trees = (module.tree for module in self.graph.closure(self.graph.entry))
        found = (_changed_by(node) for tree in trees for node in ast.walk(tree))
        return frozenset(filter(None, found))

    def _attribute(self, owner: object, name: str) -> Any:
        if isinstance(owner, ModuleReference):
            return self.target(self.graph.member(owner.name, name), f"{owner.name}.{name}")
        if isinstance(owner, ModuleType):
            return library(f"{owner.__name__}.{name}")
        if isinstance(owner, Library):
            return library(f"{owner.path}.{name}")
        is_enum = isinstance(owner, type) and issubclass(owner, Enum)
        if is_enum and name in owner.__members__:  # type: ignore[attr-defined]
            return owner[name]  # type: ignore[index]
        is_told = isinstance(owner, Enum) and name in ("name", "value")
        if is_told or (isinstance(owner, type) and name in ("__name__", "__qualname__")):
            return getattr(owner, name)
        raise Unread(f"what its `{name}` is is not known")

    # ---- calls -------------------------------------------------------------------------------------------

    def _called(self, node: ast.Call, scope: Scope) -> Any:
        callee = self.of(node.func, scope)
        given, named = self.arguments(node, scope)
        if isinstance(callee, Library) and callee.path in DATA and len(given) == 1:
            return given[0]
        if callee == Library(INSTANCE):
            return callee
        if not (name_of(callee) in CALLED or self.classes.has(callee)):
            unread(node)
        return _computed(callee, *given, **named)

    def arguments(self, node: ast.Call, scope: Scope) -> tuple[list[Any], dict[str, Any]]:
        if any(isinstance(each, ast.Starred) for each in node.args):
            unread(node)
        named = dict[str, Any]()
        for each in node.keywords:
            found = self.of(each.value, scope)
            named |= {each.arg: found} if each.arg else found if isinstance(found, dict) else unread(node)
        return [self.of(each, scope) for each in node.args], named

    def made_by(self, factory: Any) -> Any:
        """What calling a default's factory gives."""
        if isinstance(factory, Function) and isinstance(factory.node, ast.Lambda):
            return self.known(factory.node.body, factory.scope)
        if name_of(factory) in CALLED or self.classes.has(factory):
            return _computed(factory)
        raise Unread("what makes its default is not read")


def library(path: str) -> Any:
    """Something of a library's: of those that may be imported itself."""
    package, _, attributes = path.partition(".")
    if package not in LIBRARIES or path in DATA or path == "omegaconf.OmegaConf":
        return Library(path)
    try:
        found = importlib.import_module(package)
        return operator.attrgetter(attributes)(found) if attributes else found
    except (ImportError, AttributeError):
        raise Unread(f"there is no `{path}` here") from None


def name_of(value: object) -> str:
    """The dotted name of a library's function or class, or a builtin's own."""
    try:
        module = getattr(value, "__module__", "")
        name = getattr(value, "__qualname__", "")
    except Exception:  # whatever an object says of itself
        return ""
    package = str(module).partition(".")[0]
    return f"{name}" if package == "builtins" else f"{package}.{name}"


def unread(node: ast.AST) -> NoReturn:
    raise Unread(f"`{_short(ast.unparse(node))}` is not known when building")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _computed(function: Callable[..., Any], *given: object, **named: object) -> Any:
    try:
        return function(*given, **named)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Unread(str(error)) from None


def _changed_by(node: ast.AST) -> str | None:
    match node:
        case ast.Attribute(ast.Name(name)) | ast.AugAssign(ast.Name(name)):
            return name
        case ast.Subscript(ast.Name(name), _, ast.Store() | ast.Del()):
            return name
    return None
