"""What constructors of classes that derive from LightningCLI hand on to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from ..spec.class_paths import Found

INIT = "__init__"


@dataclass
class Constructor:
    """A class's constructor, read up to where it calls that of its base."""

    method: ast.FunctionDef
    call: ast.Call  # of its base's
    names: dict[str, ast.expr]  # what variables stand for
    set: dict[str, ast.expr] = field(default_factory=dict)  # whatever the class is given itself
    preset: dict[str, ast.expr] = field(default_factory=dict)  # where it is given nothing
    unread: list[ast.AST] = field(default_factory=list)

    @property
    def beside_call(self) -> list[ast.AST]:
        """Its parameters, and the statements that do not call that of its base."""
        others = (each for each in self.method.body if self.call not in ast.walk(each))
        return [self.method.args, *others]

    def read(self) -> Constructor:
        self.others = self.method.args.kwarg.arg if self.method.args.kwarg else ""
        for statement in self.method.body:
            if self.call in ast.walk(statement):
                break
            if not self._is_read(statement):
                self.unread += self._touched(statement)
                self._forget(statement)
        own = {each.arg for each in (*self.method.args.args, *self.method.args.kwonlyargs)}
        for keyword in self.call.keywords:
            if keyword.arg:
                to = self.set if keyword.arg in own else self.preset
                to[keyword.arg] = self._filled(keyword.value)
        return self

    def _is_read(self, statement: ast.stmt) -> bool:
        """Whether it is known what a statement does to what is handed on."""
        match statement:
            case ast.Assign([ast.Subscript(ast.Name(name), ast.Constant(str(key)))], value):
                return name == self.others and self._set(key, value)
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                return name != self.others and self._name(name, value)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "setdefault"), [key, value], [])):
                return name == self.others and self._preset(key, value)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "update"), given, keywords)):
                return self._update(name, given, keywords)
        return False

    def _set(self, key: str, value: ast.expr) -> bool:
        self.set[key] = self._filled(value)
        return True

    def _preset(self, key: ast.expr, value: ast.expr) -> bool:
        if not isinstance(key, ast.Constant):
            return False
        self.preset[str(key.value)] = self._filled(value)
        return True

    def _name(self, name: str, value: ast.expr) -> bool:
        self.names[name] = self._filled(value)
        return True

    def _update(self, name: str, given: list[ast.expr], keywords: list[ast.keyword]) -> bool:
        if name == self.others and not given:
            self.set |= {each.arg: self._filled(each.value) for each in keywords if each.arg}
            return all(each.arg for each in keywords)
        if name in self.names and len(given) == 1 and not keywords:
            both = ast.Dict([None, None], [self.names[name], self._filled(given[0])])
            self.names[name] = ast.fix_missing_locations(ast.copy_location(both, given[0]))
            return True
        return False

    def _filled(self, value: ast.expr) -> ast.expr:
        """With what variables stand for in their place."""
        filled: ast.expr = _Filled(self.names).visit(deepcopy(value))
        return filled

    def _touched(self, statement: ast.stmt) -> Iterator[ast.AST]:
        """Where a statement may change what is handed on."""
        named = (each for each in ast.walk(statement) if isinstance(each, ast.Name))
        yield from [statement] if self.others and any(each.id == self.others for each in named) else []

    def _forget(self, statement: ast.stmt) -> None:
        """Variables that a statement may change."""
        for each in ast.walk(statement):
            if isinstance(each, ast.Name):
                self.names.pop(each.id, None)


@dataclass
class _Filled(ast.NodeTransformer):
    names: dict[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.names.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def constructor_of(found: Found, made: ast.Call | None) -> Constructor | None:
    """With what the class is made, where that stands in its module.

    None: the class has no constructor of its own, or none that calls its base's.
    """
    methods = (each for each in found.node.body if isinstance(each, ast.FunctionDef) and each.name == INIT)
    for method in methods:
        calls = (each for each in ast.walk(method) if isinstance(each, ast.Call))
        if call := next((each for each in calls if ast.unparse(each.func) == "super().__init__"), None):
            names = dict(_given(method, made)) if made and not _is_open(made) else {}
            return Constructor(method, call, names).read()
    return None


def defaults_in(taken: ast.arguments) -> dict[str, ast.expr]:
    """Those of parameters."""
    by_place = taken.args[len(taken.args) - len(taken.defaults) :]
    found = {each.arg: value for each, value in zip(by_place, taken.defaults, strict=True)}
    named = zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    return found | {each.arg: value for each, value in named if value is not None}


def _is_open(call: ast.Call) -> bool:
    """Whether something is given by place, or unpacked."""
    return bool(call.args) or any(each.arg is None for each in call.keywords)


def _given(method: ast.FunctionDef, made: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What the parameters are, those that are known."""
    yield from defaults_in(method.args).items()
    yield from ((each.arg, each.value) for each in made.keywords if each.arg)
