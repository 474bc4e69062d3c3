"""What calls of `ConfigStore.store` are given, where modules and the functions that they call are run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...source.names import bound_by
from ..modules.module import Module
from ..modules.scopes import bound_names
from .classes import Classes
from .values import DEPTH, INSTANCE, Function, Library, Scope, Unread, Values

STORE = Library(f"{INSTANCE}.store")

PARAMETERS = ("name", "node", "group", "package", "provider")
"""Those of `store`."""

LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue


@dataclass(frozen=True)
class Returned:
    value: Any


@dataclass(eq=False)
class Running:
    """Follows statements as they are run, as far as that is known."""

    values: Values
    classes: Classes
    found: list[tuple[Module, ast.Call, dict[str, Any], str]] = field(default_factory=list)
    reached: set[ast.Call] = field(default_factory=set)
    nameless: list[tuple[Module, ast.Call]] = field(default_factory=list)  # under which names is not known

    def module(self, module: Module) -> None:
        for chunk in module.chunks:
            guarded = chunk.nodes[0] if chunk.is_guard else None
            if isinstance(guarded, ast.If) and module.is_entry:
                self._top_level(guarded.body, Scope(module))
            for node in () if guarded else chunk.nodes:
                if isinstance(node, ast.ClassDef):
                    self._decorated(node, Scope(module))
                elif isinstance(node, ast.Expr | ast.For):  # the names of others the graph resolves
                    self._top_level([node], Scope(module))

    def _top_level(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        with suppress(Unread):  # the calls in it are not reached
            self._run(body, scope)

    def _decorated(self, node: ast.ClassDef, scope: Scope) -> None:
        for decorator in reversed(node.decorator_list):
            with suppress(Unread):  # the calls in it are not reached
                callee = self.values.of(
                    decorator.func if isinstance(decorator, ast.Call) else decorator, scope
                )
                if isinstance(callee, Function) and isinstance(decorator, ast.Call):
                    callee = self._called(callee, *self.values.arguments(decorator, scope), scope.depth)
                if isinstance(callee, Function):
                    self._called(callee, [self._class(node, scope)], {}, scope.depth)

    def _class(self, node: ast.ClassDef, scope: Scope) -> object:
        return self.classes.of(scope.module, node)

    # ---- statements --------------------------------------------------------------------------------------

    def _run(self, body: Iterable[ast.stmt], scope: Scope) -> Returned | None:
        """Raises Unread, where it is not known which statement is next."""
        for node in body:
            match node:
                case ast.Return(value):
                    return Returned(self._value(value, scope) if value else None)
                case ast.Expr(ast.Call() as call):
                    self._call(call, scope)
                case ast.For(target, iterable, inner, []) if not _leaves(inner):
                    for names in self._turns(target, iterable, scope):
                        self._run(inner, scope.inner(names))
                case _ if _leaves([node]):
                    raise Unread("where it goes on is not known")
                case _:
                    scope = scope.inner(dict(self._bound(node, scope)))
        return None

    def _bound(self, node: ast.stmt, scope: Scope) -> Iterator[tuple[str, object]]:
        """The names that a statement binds, with what they are, or why that is not known."""
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                yield name, self._kept(name, value, scope)
            case ast.FunctionDef(name, decorator_list=[]):
                yield name, Function(node, scope)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    yield bound_by(alias, node), self.values.graph.imported(
                        scope.module, node, alias, may_fail=True
                    )
            case _:
                for name in bound_names(node):
                    yield name, Unread(f"what `{name}` is is not known")

    def _value(self, node: ast.expr, scope: Scope) -> Any:
        try:
            return self.values.of(node, scope)
        except Unread as error:
            return error

    def _kept(self, name: str, node: ast.expr, scope: Scope) -> Any:
        try:
            return self.values.kept(name, self.values.of(node, scope))
        except Unread as error:
            return error

    def _turns(self, target: ast.expr, iterable: ast.expr, scope: Scope) -> Iterator[dict[str, object]]:
        """What the names of a loop are at each turn; none, where that is not known."""
        items = self._value(iterable, scope)
        for item in items if isinstance(items, list | tuple | dict) else ():
            match target:
                case ast.Name(name):
                    yield {name: item}
                case ast.Tuple(parts) if isinstance(item, list | tuple) and len(item) == len(parts):
                    yield {
                        each.id: value
                        for each, value in zip(parts, item, strict=True)
                        if isinstance(each, ast.Name)
                    }

    # ---- calls -------------------------------------------------------------------------------------------

    def _call(self, call: ast.Call, scope: Scope) -> None:
        with suppress(Unread):  # the calls in it are not reached
            callee = self.values.of(call.func, scope)
            if callee == STORE:
                self._store(call, scope)
            elif isinstance(callee, Function):
                self._called(callee, *self.values.arguments(call, scope), scope.depth)

    def _called(self, function: Function, given: list[Any], named: dict[str, Any], depth: int) -> Any:
        node = function.node
        if isinstance(node, ast.Lambda) or depth > DEPTH or node.args.vararg or node.args.kwarg:
            raise Unread("what it does is not known")
        scope = function.scope.inner(self._parameters(node, given, named, function.scope)).deeper(depth)
        returned = self._run(node.body, scope)
        return returned.value if returned else None

    def _parameters(
        self, node: ast.FunctionDef, given: list[Any], named: dict[str, Any], scope: Scope
    ) -> dict[str, object]:
        all_ = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        names = [each.arg for each in all_]
        last = reversed([*node.args.posonlyargs, *node.args.args])
        defaults = {each.arg: value for each, value in zip(last, reversed(node.args.defaults), strict=False)}
        defaults |= {
            each.arg: value
            for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if value
        }
        unset = {name: Unread(f"what `{name}` is is not known") for name in names}
        first = {name: self._value(value, scope) for name, value in defaults.items()}
        return {**unset, **first, **dict(zip(names, given, strict=False)), **named}

    def _store(self, call: ast.Call, scope: Scope) -> None:
        self.reached.add(call)
        named = parameters(call)
        node = named.pop("node", None)
        try:
            given = {name: self.values.of(value, scope) for name, value in named.items()}
            is_known = given.keys() <= {*PARAMETERS} and all(
                isinstance(each, str | None) for each in given.values()
            )
            if node is None or "name" not in given or not is_known:
                raise Unread("what it is given is not known")
        except Unread:
            self.nameless.append((scope.module, call))
            return
        self.found.append((scope.module, call, *self._node(node, scope, given)))

    def _node(self, node: ast.expr, scope: Scope, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
        try:
            return {**given, "node": self.values.known(node, scope)}, ""
        except Unread as error:
            return given, str(error)


def parameters(call: ast.Call) -> dict[str, ast.expr]:
    """What a call of `store` is given, by names."""
    given = dict(zip(PARAMETERS, call.args, strict=False))
    return given | {each.arg or "": each.value for each in call.keywords}


def _leaves(body: Iterable[ast.stmt]) -> bool:
    """Whether statements may end the function, or the loop, that they are in."""
    return any(isinstance(node, LEAVING) for each in body for node in _within(each))


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """Itself and what is in it, without functions and classes."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        yield node
        for each in ast.iter_child_nodes(node):
            yield from _within(each)
