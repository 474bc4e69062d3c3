"""The functions that are given the configuration of a main of hydra's, and the branches in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..configuration.hydra_main import HydraMain
from ..modules.graph import Definition, Graph
from ..modules.module import Module

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Given:
    """A function, and its parameter that is the configuration."""

    module: Module
    node: ast.FunctionDef
    parameter: str


@dataclass(frozen=True)
class Branch:
    """Statements that run where a test holds, or where it does not."""

    function: Given
    test: ast.expr
    holds: bool
    body: tuple[ast.stmt, ...]


def functions_given(graph: Graph, mains: Iterable[HydraMain]) -> list[Given]:
    """The mains, and what is called with their configuration wherever it is called."""
    found = [Given(each.module, each.node, each.parameter) for each in mains if each.parameter]
    mains_found, calls = list(found), set[ast.Call]()
    for function in found:  # which grows
        for call, given in _passed(graph, function):
            calls.add(call)
            found += [given] if given not in found else []
    others = {
        _name(call) for each in graph.closure(graph.entry) for call in _calls(each.tree) if call not in calls
    }
    return [each for each in found if each in mains_found or each.node.name not in others]


def function_named(graph: Graph, module: Module, name: str) -> tuple[Module, ast.FunctionDef] | None:
    """The function of the project's that a name in a module stands for."""
    target = graph.followed(graph.resolve(module, name))
    if not isinstance(target, Definition):
        return None
    nodes = [each for chunk in target.module.binders.get(target.name, ()) for each in chunk.nodes]
    is_one = len(nodes) == 1 and isinstance(nodes[0], ast.FunctionDef)
    return (target.module, nodes[0]) if is_one else None  # type: ignore[return-value]  # a function


def parameters_given(call: ast.Call, function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that a call gives something, with what that is."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    is_plain = not any(isinstance(each, ast.Starred) for each in call.args)
    yield from zip(names, call.args, strict=False) if is_plain else ()
    yield from ((each.arg, each.value) for each in call.keywords if each.arg)


def branches(function: Given) -> Iterator[Branch]:
    """Those of its own, from the outside in; what comes behind one that leaves is one too."""
    for block in _blocks(function.node):
        for place, each in enumerate(block):
            if isinstance(each, ast.If):
                yield Branch(function, each.test, True, tuple(each.body))
                others = each.orelse or (block[place + 1 :] if isinstance(each.body[-1], LEAVING) else [])
                if others and not _is_elif(function.module, others[0]):
                    yield Branch(function, each.test, False, tuple(others))


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(node, field, [])
        if block and isinstance(block[0], ast.stmt):
            yield block
        for each in block:
            if not isinstance(each, FUNCTIONS):
                yield from _blocks(each)


def _is_elif(module: Module, node: ast.stmt) -> bool:
    """Whether a statement is the `elif` of the one before."""
    line = module.lines[node.lineno - 1].encode()
    return isinstance(node, ast.If) and line[node.col_offset :].startswith(b"elif")


def _passed(graph: Graph, function: Given) -> Iterator[tuple[ast.Call, Given]]:
    """The calls in a function that give its configuration to another one."""
    for call in _calls(function.node):
        called = (
            function_named(graph, function.module, call.func.id) if isinstance(call.func, ast.Name) else None
        )
        for name, value in parameters_given(call, called[1]) if called else ():
            if called and isinstance(value, ast.Name) and value.id == function.parameter:
                yield call, Given(*called, name)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (each for each in ast.walk(node) if isinstance(each, ast.Call))


def _name(call: ast.Call) -> str:
    """The last part of the name by which something is called."""
    return ast.unparse(call.func).rpartition(".")[2]
