"""Methods of a class that derives from Lightning's Trainer, as functions that take one."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...source.source_text import first_line
from ..modules.module import Module
from ..spec.class_paths import ClassPaths
from .constructor import TRAINERS, NoFunction
from .edits import Edit, behind, over
from .uses import LIGHTNINGS, TrainerClass

RUNNING = frozenset("fit validate test predict".split())
"""Methods of the Trainer's that the main alone calls."""

OF_THE_CLASS = re.compile(r"property|staticmethod|classmethod|\.(setter|getter|deleter)$|override$")
"""Decorators that say something of a class's members."""

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Methods:
    """Those that the project's code asks for."""

    cls: TrainerClass

    @cached_property
    def kept(self) -> Mapping[str, ast.FunctionDef]:
        """By their names."""
        methods = (each for each in self.cls.methods if each is not self.cls.constructor)
        return {each.name: each for each in methods if each.name in RUNNING or self.cls.is_asked(each.name)}

    def edits(self) -> Iterator[Edit]:
        """Those of the class's own. Raises NoFunction."""
        for method in self.kept.values():
            yield from self._head(method)
            yield from self.of_self(method, method.args.args[0].arg, self._trainer(method))

    def sites(self) -> Iterator[tuple[Module, Edit]]:
        """Those where the methods are called. Raises NoFunction."""
        for module in self.cls.modules if self.kept else ():
            scopes = _Scopes(self.cls, module)
            names = set[str]()
            for call, node in scopes.asked(self.kept):
                names.add(self.names[node.attr])
                yield from ((module, each) for each in self._called(call, node, ast.unparse(node.value)))
            if names and module is not self.cls.module:
                yield module, behind(scopes.imported, "".join(f", {each}" for each in sorted(names)))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the functions are called, by the methods. Raises NoFunction."""
        found = {name: f"own_{name}" if name in RUNNING else name for name in self.kept}
        for module in self.cls.modules:
            named = {each.id for each in module.nodes if isinstance(each, ast.Name)}
            taken = {each.arg for each in module.nodes if isinstance(each, ast.arg)}
            if not {*module.binders, *module.imports, *named, *taken}.isdisjoint(found.values()):
                raise NoFunction
        return found

    # ---- in the class ------------------------------------------------------------------------------------

    def _head(self, method: ast.FunctionDef) -> Iterator[Edit]:
        decorators = [ast.unparse(each).partition("(")[0] for each in method.decorator_list]
        found = re.match(r"\s*def\s+\w+", self.cls.module.lines[method.lineno - 1])
        is_plain = found and method.args.args and not method.args.posonlyargs
        if not found or not is_plain or any(map(OF_THE_CLASS.search, decorators)):
            raise NoFunction
        if method.name in LIGHTNINGS - RUNNING:
            raise NoFunction
        for line in {first_line(method), *(each.lineno for each in method.decorator_list)} - {method.lineno}:
            text = self.cls.module.lines[line - 1]
            yield Edit(line, 0, line, len(text) - len(text.lstrip()))
        yield Edit(method.lineno, 0, method.lineno, len(found[0].encode()), f"def {self.names[method.name]}")
        yield over(method.args.args[0], self._trainer(method))

    def _trainer(self, method: ast.FunctionDef) -> str:
        """What a method calls the Trainer. Raises NoFunction."""
        named = {each.id for each in ast.walk(method) if isinstance(each, ast.Name)}
        named |= {each.arg for each in ast.walk(method) if isinstance(each, ast.arg)}
        found = next((each for each in TRAINERS if each not in named), None)
        if found is None:
            raise NoFunction
        return found

    def of_self(self, root: ast.AST, own: str, trainer: str) -> Iterator[Edit]:
        """With the object's own methods called as functions, and those of Lightning's as they are."""
        called = [each for each in ast.walk(root) if isinstance(each, ast.Call)]
        handled = set[ast.AST]()
        for call in called:
            match call.func:
                case ast.Attribute(ast.Name(name), attr) as function if name == own and attr in self.kept:
                    handled |= {function, function.value}
                    yield from self._called(call, function, trainer)
                case ast.Attribute(ast.Call() as above, attr) if ast.unparse(above) in (
                    "super()",
                    f"super({self.cls.name}, {own})",
                ):
                    if attr not in RUNNING:
                        raise NoFunction
                    handled |= {call.func, *ast.walk(above)}
                    yield over(above, trainer)
        for each in (each for each in ast.walk(root) if each not in handled):
            if isinstance(each, ast.Attribute) and ast.unparse(each.value) == own and each.attr in self.kept:
                raise NoFunction
            if isinstance(each, ast.Name) and each.id in {
                "super",
                "locals",
                "vars",
                "eval",
                "exec",
                "__class__",
            }:
                raise NoFunction
            if isinstance(each, ast.Name) and each.id == own:
                yield over(each, trainer)

    def _called(self, call: ast.Call, function: ast.Attribute, trainer: str) -> Iterator[Edit]:
        """The function, which is given the Trainer first. Raises NoFunction."""
        end = over(function)
        yield over(
            function, f"{self.names[function.attr]}({trainer}{', ' if call.args or call.keywords else ''}"
        )
        yield Edit(end.end_line, end.end_column, end.end_line, end.end_column + 1)


@dataclass(frozen=True)
class _Scopes:
    """The variables of a module, as far as they hold objects of the class."""

    cls: TrainerClass
    module: Module

    def asked(self, names: Mapping[str, ast.FunctionDef]) -> Iterator[tuple[ast.Call, ast.Attribute]]:
        """Calls of methods of the class's. Raises NoFunction where something may be one, or a method is handed on."""
        within = {*ast.walk(self.cls.node)} if self.module is self.cls.module else set()
        calls = {each.func: each for each in self.module.nodes if isinstance(each, ast.Call)}
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and _may_call(node, names):
                raise NoFunction
            if isinstance(node, ast.Attribute) and node.attr in names and node not in within:
                if self._is_other(node):
                    continue
                if node not in calls or not self._is_made(node.value):
                    raise NoFunction
                yield calls[node], node

    def _is_made(self, node: ast.expr) -> bool:
        """Whether an expression is a variable that surely has an object of the class."""
        return self._value(node) in self.cls.calls

    def _is_other(self, node: ast.Attribute) -> bool:
        """Whether it is a member of what a library has made, or of an object of another class of the project's."""
        value = self._value(node.value)
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name | ast.Attribute):
            return False
        given = (inner for each in (*value.args, *value.keywords) for inner in ast.walk(each))
        if any(self._is_made(each) for each in given if isinstance(each, ast.expr)):
            return False
        paths = ClassPaths(self.cls.graph)
        if found := paths.found(paths.meaning(self.module, ast.unparse(value.func))):
            return found.node is not self.cls.node
        root = ast.unparse(value.func).partition(".")[0]
        bound = self.module.imports.get(root)
        return bound is not None and not any(self.cls.graph.imported_by(self.module, bound[0]))

    def _value(self, node: ast.expr) -> ast.expr | None:
        """What a variable is set to, once."""
        if not isinstance(node, ast.Name):
            return None
        scopes = [*reversed(self._around(node)), self.module.tree]
        for scope in scopes:
            stores = list(_stores(scope, node.id))
            if stores:
                values = [
                    each.value
                    for each in ast.walk(scope)
                    if isinstance(each, ast.Assign) and each.targets == stores[:1]
                ]
                return values[0] if len(stores) == len(values) == 1 else None
        return None

    def _around(self, node: ast.expr) -> list[ast.AST]:
        """The functions that an expression stands in, the outermost first."""
        functions = (each for each in self.module.nodes if isinstance(each, Function))
        return [each for each in functions if any(inner is node for inner in ast.walk(each))]

    @property
    def imported(self) -> ast.expr:
        """Where the module imports the class. Raises NoFunction."""
        for node in self.module.tree.body:
            for alias in node.names if isinstance(node, ast.ImportFrom) else ():
                if alias.name == self.cls.name:
                    return alias  # type: ignore[return-value]  # it has a place too
        raise NoFunction


def _may_call(call: ast.Call, names: Container[str]) -> bool:
    """Whether a call may give, or call, a method that it does not write as such."""
    match call.func, call.args:
        case ast.Name("getattr"), [_, ast.Constant(name), *_]:
            return name in names
    return ast.unparse(call.func).rpartition(".")[2] in ("getattr", "attrgetter", "methodcaller", "Tuner")


def _stores(scope: ast.AST, name: str) -> Iterator[ast.AST]:
    """Where a variable of a scope's is set, or functions within it say that they set it."""
    functions = [each for each in ast.walk(scope) if isinstance(each, Function) and each is not scope]
    inner = {part for each in functions for part in ast.walk(each) if part is not each}
    for each in ast.walk(scope):
        match each:
            case ast.Global(names) | ast.Nonlocal(names) if name in names:
                yield each
            case _ if each in inner:
                pass
            case ast.Name(found, ast.Store() | ast.Del()) | ast.arg(found) if found == name:
                yield each
            case ast.alias(found, other) if (other or found) == name:
                yield each
            case ast.FunctionDef(found) | ast.ClassDef(found) if found == name and each is not scope:
                yield each
