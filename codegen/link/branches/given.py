"""The functions that have a configuration, as mains of hydra's are given one, and the branches in them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...diagnostics import Span
from ...ir.project import Load
from ..cli.parser import place_of
from ..configuration.hydra_main import HydraMain
from ..modules.graph import Definition, Graph
from ..modules.module import Module

LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True)
class Given:
    """A function, or a module's own code, and its parameter, or its variable, that is the configuration."""

    module: Module
    node: ast.FunctionDef | ast.Module
    parameter: str
    load: Load | None = None  # what gives it; None: hydra, as it starts a main


@dataclass(frozen=True)
class Branch:
    """Statements that run where a test holds, or where it does not."""

    function: Given
    test: ast.expr
    holds: bool
    body: tuple[ast.stmt, ...]

    def holds_place(self, span: Span) -> bool:
        """Whether something stands there, by its first line and column."""
        first, last = (place_of(self.function.module, each)[0] for each in (self.body[0], self.body[-1]))
        start, end = (first.line, first.column), (last.end_line, last.end_column)
        return span.path == first.path and start <= (span.line, span.column) < end


def functions_given(graph: Graph, mains: Iterable[HydraMain], loads: Iterable[Load] = ()) -> list[Given]:
    """The mains, those that load one, and what is called with one and the same wherever it is called."""
    found = [Given(each.module, each.node, each.parameter) for each in mains if each.parameter]
    found += _loading(graph, loads)
    first, calls = list(found), set[ast.Call]()
    for function in found:  # which grows
        for call, given in _passed(graph, function):
            calls.add(call)
            found += [given] if given not in found else []
    others = {
        _name(call) for each in graph.closure(graph.entry) for call in _calls(each.tree) if call not in calls
    }
    told = Counter(node for node, _ in {(each.node, each.load) for each in found})
    return [each for each in found if each in first or (_named(each) not in others and told[each.node] == 1)]


def _loading(graph: Graph, loads: Iterable[Load]) -> Iterator[Given]:
    """What binds a variable to that which a call loads."""
    by_place = {load.place: load for load in loads}
    for module in graph.closure(graph.entry) if by_place else ():
        for function in (each for each in module.nodes if isinstance(each, ast.Module | ast.FunctionDef)):
            for statement in own_nodes(function):
                match statement:
                    case ast.Assign([ast.Name(name)], ast.Call() as call):
                        span, _ = place_of(module, call)
                        if load := by_place.get((span.path, span.line, span.column)):
                            yield Given(module, function, name, load)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, or a module, and in no other function there."""
    for each in ast.iter_child_nodes(function):
        if not isinstance(each, FUNCTIONS):
            yield each
            yield from own_nodes(each)


def _named(function: Given) -> str:
    return function.node.name if isinstance(function.node, ast.FunctionDef) else ""


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
                for suite in _suites(function.module, others):
                    yield Branch(function, each.test, False, suite)


def _suites(module: Module, others: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ...]]:
    """What stands behind an `else`, or behind an `elif` and those that follow it."""
    if others and isinstance(others[0], ast.If) and _is_elif(module, others[0]):
        yield tuple(others[0].body)
        yield from _suites(module, others[0].orelse)
    elif others:
        yield tuple(others)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(node, field, [])
        if block and isinstance(block[0], ast.stmt):
            yield block
        for each in block:
            if not isinstance(each, FUNCTIONS):
                yield from _blocks(each)


def _is_elif(module: Module, node: ast.If) -> bool:
    """Whether it belongs to the one before."""
    line = module.lines[node.lineno - 1].encode()
    return line[node.col_offset :].startswith(b"elif")


def _passed(graph: Graph, function: Given) -> Iterator[tuple[ast.Call, Given]]:
    """The calls in a function that give its configuration to another one."""
    is_module = isinstance(function.node, ast.Module)
    for call in _calls_among(own_nodes(function.node) if is_module else ast.walk(function.node)):
        called = (
            function_named(graph, function.module, call.func.id) if isinstance(call.func, ast.Name) else None
        )
        for name, value in parameters_given(call, called[1]) if called else ():
            if called and isinstance(value, ast.Name) and value.id == function.parameter:
                yield call, Given(*called, name, function.load)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return _calls_among(ast.walk(node))


def _calls_among(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    return (each for each in nodes if isinstance(each, ast.Call))


def _name(call: ast.Call) -> str:
    """The last part of the name by which something is called."""
    return ast.unparse(call.func).rpartition(".")[2]
