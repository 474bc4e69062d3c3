"""What running a module's statements does, beside binding names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ..source.pure_calls import gives_a_value
from .modules.graph import Definition, External, Graph
from .modules.module import Module
from .modules.scopes import Use, uses_of

CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


def acts(node: ast.AST) -> bool:
    """Whether a statement calls something for its effect, or changes an object, beside binding names."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
        return False
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Subscript | ast.Attribute) for t in node.targets
    ):
        return True
    return any(map(acts, ast.iter_child_nodes(node)))


def acts_outside(
    graph: Graph, module: Module, nodes: Iterable[ast.stmt], seen: frozenset[Definition] = frozenset()
) -> bool:
    """Whether statements call what is not the project's, or change it, and so may print, write, or set a library up."""
    return any(
        any(_may_act(graph, module, use, seen) for use in _called(node))
        or any(isinstance(graph.resolve(module, use.name), External) for use in _changed(node))
        for node in nodes
    )


def own_calls_act_outside(graph: Graph, module: Module, nodes: Iterable[ast.stmt]) -> bool:
    """The same of calls of the project's functions; what a library's give is taken for a value."""
    uses = [use for node in nodes for use in _called(node)]
    own = (use for use in uses if isinstance(graph.resolve(module, use.name), Definition))
    return any(_may_act(graph, module, use, frozenset()) for use in own)


def _called(node: ast.stmt) -> Iterator[Use]:
    """The global names whose values, or their methods, a statement calls when it is run."""
    return _heads(node, (each for each in _run(node) if isinstance(each, ast.Call)))


def _changed(node: ast.stmt) -> Iterator[Use]:
    """The global names of whose values a statement sets attributes or entries when it is run."""
    held = (each for each in _run(node) if isinstance(each, ast.Attribute | ast.Subscript))
    return _heads(node, (each for each in held if not isinstance(each.ctx, ast.Load)))


def _heads(node: ast.stmt, nodes: Iterable[ast.expr]) -> Iterator[Use]:
    """The global names that expressions in a statement begin with."""
    uses = {use.spans[0][0]: use for use in uses_of(node).names}
    for root in map(head, nodes):
        if use := uses.get((root.lineno, root.col_offset)):
            yield use


def _may_act(graph: Graph, module: Module, use: Use, seen: frozenset[Definition]) -> bool:
    """Whether a call of what is used, or of one of its methods, may do so."""
    target = graph.resolve(module, use.name)
    if isinstance(target, Definition):
        return target not in seen and _defined_acts(graph, target, seen | {target})
    if isinstance(target, External):
        parts = (target.bound.module, target.bound.attribute, *use.attributes)
        return not gives_a_value(".".join(filter(None, parts)))
    return target is None and not gives_a_value(".".join((use.name, *use.attributes)))


def _defined_acts(graph: Graph, definition: Definition, seen: frozenset[Definition]) -> bool:
    """Whether calling a function or a class, or a method of an object, may do so."""
    nodes = [node for chunk in definition.module.binders[definition.name] for node in chunk.nodes]
    run = [each for node in nodes for each in _run_by_call(node)]
    return acts_outside(graph, definition.module, run, seen)


def _run_by_call(node: ast.stmt) -> list[ast.stmt]:
    """The statements that a call of what a statement binds runs; of an object's method, those that make the object."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node]
    if isinstance(node, ast.ClassDef):
        methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
        return [each for each in methods if each.name in CONSTRUCTORS]
    return [node]


def _run(node: ast.stmt) -> Iterator[ast.AST]:
    """What running a statement runs; of a function, its body."""
    waiting: list[ast.AST] = [*node.body] if isinstance(node, ast.FunctionDef) else [node]
    while waiting:
        each = waiting.pop()
        yield each
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(each)


def head(node: ast.expr) -> ast.expr:
    """What the chain of calls and attributes begins with: `ConfigStore` of `ConfigStore.instance().store(...)`."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node
