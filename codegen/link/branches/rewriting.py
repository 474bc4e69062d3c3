"""Code that rewrites a configuration: it sets, under keys that it computes, what only a run can know."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..modules.graph import Graph
from ..modules.module import Module
from .given import Branch, function_named, parameters_given

SETTING = frozenset({"setattr", "delattr", "OmegaConf.update", "omegaconf.OmegaConf.update"})
"""Functions that set, in what they are given first, what they are given second the name of."""


@dataclass(frozen=True)
class Rewriting:
    """Looks into the functions of the project's that code calls."""

    graph: Graph

    def is_done_by(self, branch: Branch) -> bool:
        """Whether it puts something in the configuration's place that is written so, or writes into it so."""
        module, name, body = branch.function.module, branch.function.parameter, branch.body
        made = [each.value for each in _walk(body) if isinstance(each, ast.Assign) and _binds(each, name)]
        called = [found for found, _ in self._called(module, made)]
        is_made = any(any(_keys_computed([node])) for _, node in self._reached(called))
        return is_made or self._writes(module, body, name, set())

    def _reached(self, called: list[tuple[Module, ast.FunctionDef]]) -> list[tuple[Module, ast.FunctionDef]]:
        """Functions, and those that they call."""
        for module, node in called:  # which grows
            called += [found for found, _ in self._called(module, [node]) if found not in called]
        return called

    def _writes(
        self, module: Module, body: Iterable[ast.AST], name: str, seen: set[tuple[ast.AST, str]]
    ) -> bool:
        """Whether it is done to what has a name, or to a part of that, here or in functions that are given it."""
        nodes = [*body]
        if any(root_of(each) == name for each in _keys_computed(nodes)):
            return True
        for (inner, function), call in self._called(module, nodes):
            for parameter, value in parameters_given(call, function):
                if root_of(value) == name and (function, parameter) not in seen:
                    seen.add((function, parameter))
                    if self._writes(inner, function.body, parameter, seen):
                        return True
        return False

    def _called(
        self, module: Module, body: Iterable[ast.AST]
    ) -> Iterator[tuple[tuple[Module, ast.FunctionDef], ast.Call]]:
        """The functions of the project's that are called by their names."""
        calls = (each for each in _walk(body) if isinstance(each, ast.Call))
        for call in calls:
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if found := function_named(self.graph, module, name):
                yield found, call


def _walk(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    return (inner for each in body for inner in ast.walk(each))


def _binds(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in statement.targets)


def _keys_computed(body: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """What something is set in, or taken out of, under a key that is not written out."""
    for node in _walk(body):
        match node:
            case ast.Subscript(owner, key, ast.Store() | ast.Del()) if not isinstance(key, ast.Constant):
                yield owner
            case ast.Call(function, [owner, key, *_]) if ast.unparse(function) in SETTING:
                if not isinstance(key, ast.Constant):
                    yield owner


def root_of(node: ast.expr) -> str:
    """The variable of which an expression is a part: `cfg.model[key]`; empty: it is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
