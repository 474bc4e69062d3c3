"""What a LightningCLI's own `configure_optimizers` makes of the optimizer and the scheduler that it is given."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ..modules.graph import Definition, External, ModuleReference
from ..modules.module import Module
from ..spec.class_paths import ClassPaths
from .known import Unknown

PLATEAU = "ReduceLROnPlateau"


@dataclass(frozen=True)
class OwnOptimizer:
    """The method, as it stands in a class of the project's."""

    module: Module
    node: ast.FunctionDef

    @property
    def parameters(self) -> list[str]:
        """The names for the model, the optimizer and the scheduler."""
        names = [each.arg for each in self.node.args.args]
        return names if self.node.decorator_list else names[1:]

    def statements(
        self, given: GivenScheduler, paths: ClassPaths, name: Callable[[str], str]
    ) -> Iterator[ast.stmt]:
        """Those that are run with a scheduler, with the names that the model's own method has for things.

        Raises Unknown.
        """
        renamed = _Renamed(self, given, paths, name)
        for statement in self._run(deepcopy(self.node.body), given):
            yield renamed.visit(statement)
            if isinstance(statement, ast.Return):
                return

    def _run(self, body: list[ast.stmt], given: GivenScheduler) -> Iterator[ast.stmt]:
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring
            known = self._answer(statement.test, given) if isinstance(statement, ast.If) else None
            if isinstance(statement, ast.If) and known is not None:
                yield from self._run(statement.body if known else statement.orelse, given)
            else:
                yield statement

    def _answer(self, test: ast.expr, given: GivenScheduler) -> bool | None:
        """What a question about the scheduler is answered with; None: that is known only when the script runs."""
        match test:
            case ast.Name(name) if name == self.scheduler:
                return given.is_there
            case ast.UnaryOp(ast.Not(), inner):
                known = self._answer(inner, given)
                return None if known is None else not known
            case ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(None)]) if name == self.scheduler:
                return not given.is_there
            case ast.Compare(ast.Name(name), [ast.IsNot()], [ast.Constant(None)]) if name == self.scheduler:
                return given.is_there
            case ast.Call(ast.Name("isinstance"), [ast.Name(name), kind]) if name == self.scheduler:
                return given.name == PLATEAU if ast.unparse(kind).rpartition(".")[2] == PLATEAU else None
        return None

    @property
    def scheduler(self) -> str:
        return self.parameters[2] if len(self.parameters) > 2 else ""


@dataclass(frozen=True)
class GivenScheduler:
    """What the settings say of it."""

    name: str = ""  # of its class; empty: there is none
    monitor: Any = None

    @property
    def is_there(self) -> bool:
        return bool(self.name)


@dataclass
class _Renamed(ast.NodeTransformer):
    method: OwnOptimizer
    given: GivenScheduler
    paths: ClassPaths
    name: Callable[[str], str]  # of what is at a path

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if ast.unparse(node) == f"{self.method.scheduler}.monitor" and self.given.monitor is not None:
            return ast.Constant(self.given.monitor)  # which torch's scheduler does not have
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        path = self._path(root.id, ast.unparse(node)) if isinstance(root, ast.Name) else ""
        if path:
            return ast.Name(self.name(path), ast.Load())
        return ast.Attribute(self.visit(node.value), node.attr, node.ctx)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self.method.parameters[0]:
            return ast.Name("self", node.ctx)
        path = self._path(node.id, node.id)
        return ast.Name(self.name(path), node.ctx) if path else node

    def _path(self, name: str, dotted: str) -> str:
        """Where a name of the module's leads to; empty: it is one of the method's, or of Python's. Raises Unknown."""
        if name in self._own:
            return ""
        target, rest = self.paths.graph.resolve(self.method.module, name), dotted.partition(".")[2]
        if isinstance(target, Definition):
            return "" if rest else f"{target.module.place.name}.{target.name}"
        if isinstance(target, External | ModuleReference):
            return self.paths.meaning(self.method.module, dotted)
        if not hasattr(builtins, name):
            raise Unknown(self.method.node)
        return ""

    @property
    def _own(self) -> set[str]:
        nodes = list(ast.walk(self.method.node))
        stored = {each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        return stored | {each.arg for each in nodes if isinstance(each, ast.arg)}
